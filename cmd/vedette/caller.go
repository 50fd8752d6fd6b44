package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/timeout"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/wire"
)

// caller is the user of a kubeconfig, with an object that the cluster let them read.
type caller struct {
	user   string // as the cluster calls the user
	typ    history.Type
	object *metav1.PartialObjectMetadata
}

// askCluster reads an object with the credentials of a kubeconfig, and asks the cluster
// whose credentials they are.
//
// Errors: the cluster does not answer; it has no such object, or the user may not read it.
func askCluster(ctx context.Context, cfg kube.Config, kind, name string) (c caller, err error) {
	err = withCluster(ctx, cfg, func(ctx context.Context, cluster *kube.Cluster) error {
		r, err := cluster.Resolve(ctx, kind)
		if err != nil {
			return err
		}
		client, err := kube.For[metav1.PartialObjectMetadata](cluster, kube.ClientConfig{Resource: r.Name + "." + r.Version + "." + r.Group})
		if err != nil {
			return err
		}
		key := wire.Key{Name: name}
		if r.Scope == kube.Namespaced {
			key.Namespace = cluster.Namespace()
		}
		c.typ = history.Type{Group: r.Group, Resource: r.Name, Kind: r.Kind}
		if c.object, err = client.Get(ctx, key); apierrors.IsForbidden(err) {
			return fmt.Errorf("you may not read %s %s, so you cannot get messages about it: request the permission to get %s", r, key, r.Name)
		} else if err != nil {
			return err
		}
		c.user, err = cluster.User(ctx)
		return err
	})
	return c, err
}

// askUser asks a cluster whose credentials a kubeconfig has.
//
// Errors: the cluster does not answer.
func askUser(ctx context.Context, cfg kube.Config) (user string, err error) {
	err = withCluster(ctx, cfg, func(ctx context.Context, cluster *kube.Cluster) error {
		user, err = cluster.User(ctx)
		return err
	})
	return user, err
}

// withCluster connects to a cluster for a few requests, which have to be answered soon.
func withCluster(ctx context.Context, cfg kube.Config, do func(context.Context, *kube.Cluster) error) error {
	cluster, err := kube.Connect(cfg)
	if err != nil {
		return err
	}
	defer cluster.Close()
	ctx, cancel := timeout.AnswerWithin(ctx, cluster.Host(), timeout.FirstAnswer)
	defer cancel()
	return timeout.Cause(ctx, do(ctx, cluster))
}

// addConnection adds the flags for the cluster that identifies the user.
func addConnection(cmd *cobra.Command, c *kube.Config) {
	f := cmd.Flags()
	f.StringVar(&c.Kubeconfig, "kubeconfig", "", "path of the kubeconfig (default: KUBECONFIG, then ~/.kube/config)")
	f.StringVar(&c.Context, "context", "", "context of the kubeconfig (default: the current one)")
}
