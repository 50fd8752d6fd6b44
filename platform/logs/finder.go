package logs

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/wire"
)

// maxDepth is the maximum length of the chain of owners between a pod and its job.
const maxDepth = 8

// pods is the type of pods.
var pods = kube.Resource{Version: "v1", Name: "pods", Kind: "Pod", Singular: "pod", Scope: kube.Namespaced}

// finder finds the pods of a job. It belongs to one goroutine.
type finder struct {
	cluster *kube.Cluster
	job     submit.Job
	owners  map[string]ownerRef // controllers of objects between pods and jobs, by UID
	refused error               // the first unreadable object between pods and jobs
}

func newFinder(cluster *kube.Cluster, of submit.Job) *finder {
	return &finder{cluster: cluster, job: of, owners: map[string]ownerRef{}}
}

// find lists the pods of the job. selector is the selector that was used, or "" if labels
// are not sufficient.
//
// Errors: *submit.DeniedError, *kube.RequestError.
func (f *finder) find(ctx context.Context) (found []*podState, selector string, err error) {
	selector = selectorOf(f.job)
	found, err = f.list(ctx, selector)
	if err == nil && len(found) == 0 && selector != "" {
		// Labels may be missing. Controller references are not.
		selector = ""
		found, err = f.list(ctx, "")
	}
	if err == nil && len(found) == 0 {
		err = f.refused // a pod may belong to the job through that object
	}
	return found, selector, err
}

func (f *finder) list(ctx context.Context, selector string) ([]*podState, error) {
	client, err := kube.For[corev1.Pod](f.cluster, kube.ClientConfig{OnExpired: kube.ContinueInconsistent})
	if err != nil {
		return nil, err
	}
	var found []*podState
	for pod, err := range client.List(ctx, kube.Where{Namespace: f.job.Namespace, LabelSelector: selector}) {
		if err != nil {
			return nil, submit.Denied(ctx, f.cluster, err, submit.Right{Verb: "list", Resource: pods, Namespace: f.job.Namespace, Also: []string{"get", "watch"}})
		}
		state := podStateOf(pod)
		mine, err := f.owns(ctx, state)
		if err != nil {
			return nil, err
		}
		if mine {
			found = append(found, state)
		}
	}
	return found, nil
}

// owns reports whether a pod belongs to the job, directly or through other objects. It
// compares UIDs, because names are reused.
func (f *finder) owns(ctx context.Context, p *podState) (bool, error) {
	if p.UID == f.job.UID {
		return true, nil
	}
	owner := p.Owner
	for range maxDepth {
		switch owner.UID {
		case "":
			return false, nil
		case f.job.UID:
			return true, nil
		}
		if f.alike(owner) {
			return false, nil
		}
		next, known := f.owners[owner.UID]
		if !known {
			var err error
			if next, err = f.ownerOf(ctx, owner); err != nil {
				return false, err
			}
			f.owners[owner.UID] = next
		}
		owner = next
	}
	return false, nil
}

// alike reports whether an owner has the type of the job. Then it is another job, because
// no job controls another one of its type. A namespace may have thousands of them.
func (f *finder) alike(owner ownerRef) bool {
	group, _, ok := strings.Cut(owner.APIVersion, "/")
	if !ok {
		group = ""
	}
	return owner.Kind == f.job.Resource.Kind && group == f.job.Resource.Group
}

// ownerOf reads the controller of an object. It is empty if the object has none, is
// deleted, or may not be read.
func (f *finder) ownerOf(ctx context.Context, of ownerRef) (ownerRef, error) {
	group, version, _ := strings.Cut(of.APIVersion, "/")
	if version == "" {
		group, version = "", group
	}
	name := strings.TrimSuffix(strings.ToLower(of.Kind)+"."+version+"."+group, ".")
	client, err := kube.For[metav1.PartialObjectMetadata](f.cluster, kube.ClientConfig{Resource: name})
	if err != nil {
		return ownerRef{}, nil // an invalid reference
	}
	object, err := client.Get(ctx, wire.Key{Namespace: f.job.Namespace, Name: of.Name})
	switch {
	case apierrors.IsNotFound(err):
		return ownerRef{}, nil
	case apierrors.IsForbidden(err):
		if r, unknown := f.cluster.Resolve(ctx, name); unknown == nil && f.refused == nil {
			f.refused = submit.Denied(ctx, f.cluster, err, submit.Right{Verb: "get", Resource: r, Namespace: f.job.Namespace})
		}
		return ownerRef{}, nil
	case err != nil:
		return ownerRef{}, err
	case string(object.UID) != of.UID:
		return ownerRef{}, nil
	}
	ref := metav1.GetControllerOfNoCopy(object)
	if ref == nil {
		return ownerRef{}, nil
	}
	return ownerRef{APIVersion: ref.APIVersion, Kind: ref.Kind, Name: ref.Name, UID: string(ref.UID)}, nil
}

// selectorOf returns a selector for the labels that the operator of a job's type sets on
// all pods of the job, or "" if there are no such labels.
func selectorOf(j submit.Job) string {
	if j.Resource.Name == "jobs" && j.Resource.Group == "batch" {
		if j.Object == nil {
			return ""
		}
		match, _, _ := unstructured.NestedStringMap(j.Object.Object, "spec", "selector", "matchLabels")
		if len(match) == 0 {
			return ""
		}
		return labels.FormatLabels(match)
	}
	o := job.Object{"metadata": map[string]any{"name": j.Name}}
	if j.Object != nil {
		o = j.Object.Object
	}
	for label, value := range job.KindOfType(j.Resource.String()).PodLabels(o) {
		if len(validation.IsValidLabelValue(value)) == 0 {
			return label + "=" + value
		}
	}
	return ""
}
