package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/timeout"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/wire"
)

// baseline is the state of affairs when the command began. It tells objects of earlier runs,
// which had been deleted by then, from others. Clocks do not matter: an object is recognized by
// its UID and its versions.
type baseline struct {
	cluster *clusterList       // nil if the cluster was not asked
	deleted map[int64]struct{} // objects that the first reading showed as deleted; nil before it
}

// clusterList is the answer of a cluster to a list of the objects of a type and a name.
type clusterList struct {
	identity string // of the cluster; "" if it may not be read
	typ      string
	uids     []string
	version  wire.Version
}

// of reports whether the list is about an object's cluster and type.
func (l *clusterList) of(obj *history.Object) bool {
	return l != nil && l.typ == obj.Type.String() && (l.identity == "" || l.identity == obj.ClusterUID)
}

// read takes the first reading of the history.
func (b *baseline) read(objects []history.Object) {
	if b.deleted != nil {
		return
	}
	b.deleted = map[int64]struct{}{}
	for _, obj := range objects {
		if obj.Presence == history.Deleted {
			b.deleted[obj.ID] = struct{}{}
		}
	}
}

// earlier reports whether an object had been deleted when the command began. The cluster knows
// it if it was asked: the object was not in its list, and was not seen alive at a later version.
// Otherwise the first reading of the history decides.
func (b *baseline) earlier(obj *history.Object, all []history.Transition) bool {
	l := b.cluster
	if !l.of(obj) {
		_, deleted := b.deleted[obj.ID]
		return deleted
	}
	return !slices.Contains(l.uids, obj.UID) && !slices.ContainsFunc(all, func(t history.Transition) bool {
		return t.To != string(job.Deleted) && t.Version > l.version
	})
}

// replaced reports whether the cluster had another object of the name when the command began.
func (b *baseline) replaced(obj *history.Object) bool {
	return b.cluster.of(obj) && len(b.cluster.uids) > 0 && !slices.Contains(b.cluster.uids, obj.UID)
}

// listCluster asks a cluster for the objects that the command waits for.
//
// Errors: the cluster does not answer within a time, or does not allow it. The answer has no
// identity if only that may not be read.
func listCluster(ctx context.Context, cfg kube.Config, within time.Duration, args []string, namespace string) (*clusterList, error) {
	kind, name, err := source.ObjectName(args)
	if err != nil {
		return nil, err
	}
	cfg.Logger = slog.New(slog.DiscardHandler)
	cluster, err := kube.Connect(cfg)
	if err != nil {
		return nil, err
	}
	defer cluster.Close()
	ctx, cancel := timeout.AnswerWithin(ctx, cluster.Host(), within)
	defer cancel()
	r, err := cluster.Resolve(ctx, kind)
	if err != nil {
		return nil, timeout.Cause(ctx, err)
	}
	l := &clusterList{typ: r.String()}
	if l.identity, err = cluster.Identity(ctx, time.Time{}); err != nil && !apierrors.IsForbidden(err) {
		return nil, timeout.Cause(ctx, err)
	}
	if r.Scope != kube.Namespaced {
		namespace = ""
	}
	err = l.list(ctx, cluster, r, kube.Selection{Namespace: namespace, FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String(), View: kube.Metadata})
	return l, timeout.Cause(ctx, err)
}

// list reads the list of a selection.
func (l *clusterList) list(ctx context.Context, cluster *kube.Cluster, r kube.Resource, s kube.Selection) error {
	coll, err := cluster.Collection(r, s)
	if err != nil {
		return err
	}
	stream, err := coll.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	defer stream.Body.Close()
	list := wire.NewListReader(stream.Body, stream.Encoding, wire.Options{APIVersion: stream.APIVersion, Kind: stream.Kind})
	for {
		rec, err := list.Next()
		if err == io.EOF {
			l.version = list.Meta().Version
			return nil
		}
		if err != nil {
			return fmt.Errorf("the list of %s: %w", r, err)
		}
		l.uids = append(l.uids, rec.UID)
	}
}
