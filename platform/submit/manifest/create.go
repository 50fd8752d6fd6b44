package manifest

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/kube"
)

// Create creates the objects of manifests on a cluster, in their order, and returns them as
// stored on the server:
//
//	all, err := manifest.Parse(ctx, "deploy.yaml", text)
//	if err != nil {
//		return err
//	}
//	created, err := manifest.Create(ctx, cluster, all...)
//
// An object of a namespaced type without a namespace goes to the cluster's default one. A
// custom resource may follow its definition. At the first error Create stops, and returns the
// objects that it has created. The manifests do not change.
//
// Errors: *kube.RequestError, with the place in the file before it; apierrors.IsAlreadyExists.
func Create(ctx context.Context, cluster *kube.Cluster, all ...*Manifest) ([]*unstructured.Unstructured, error) {
	return each(ctx, cluster, all, kube.ClientConfig{}, func(c *client, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return c.Create(ctx, obj)
	})
}

// Apply is Create by server-side apply: it creates the objects that do not exist and changes
// the others. fieldManager becomes the owner of all fields of the manifests, and conflicts
// says what happens to fields of other owners. See kube.Client.Apply.
//
// Errors: as Create; apierrors.IsConflict.
func Apply(ctx context.Context, cluster *kube.Cluster, fieldManager string, conflicts kube.Conflicts, all ...*Manifest) ([]*unstructured.Unstructured, error) {
	return each(ctx, cluster, all, kube.ClientConfig{FieldManager: fieldManager}, func(c *client, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		return c.Apply(ctx, obj, conflicts)
	})
}

type client = kube.Client[unstructured.Unstructured]

// each calls a function with a copy of each object and a client of its type.
func each(ctx context.Context, cluster *kube.Cluster, all []*Manifest, cfg kube.ClientConfig, write func(*client, *unstructured.Unstructured) (*unstructured.Unstructured, error)) ([]*unstructured.Unstructured, error) {
	clients := map[schema.GroupVersionKind]*client{}
	var written []*unstructured.Unstructured
	for _, m := range all {
		obj := m.Object.DeepCopy()
		kind := obj.GroupVersionKind()
		c := clients[kind]
		if c == nil {
			var err error
			cfg.Resource, cfg.GroupVersion = kind.Kind, kind.GroupVersion()
			if c, err = kube.For[unstructured.Unstructured](cluster, cfg); err != nil {
				return written, m.failed(err)
			}
			clients[kind] = c
		}
		r, err := c.Resource(ctx)
		if err != nil {
			return written, m.failed(err)
		}
		if r.Scope == kube.Namespaced && obj.GetNamespace() == "" {
			obj.SetNamespace(cluster.Namespace())
		}
		stored, err := write(c, obj)
		if err != nil {
			return written, m.failed(err)
		}
		written = append(written, stored)
	}
	return written, nil
}

// failed adds the place of the object to an error.
func (m *Manifest) failed(err error) error {
	line, _ := m.Line("")
	return fmt.Errorf("%s: %w", at(m.Source, line), err)
}
