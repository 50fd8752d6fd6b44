package contest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/bench/serve"
	"github.com/vedette-io/vedette/bench/workload"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// usage is one configuration of our informer.
type usage uint8

const (
	packed usage = iota
	live
	pull
	field
	warm
)

// snapshotFile is the file of warm, in the folder of the case.
const snapshotFile = "vedette.snapshot"

func openVedette(u usage) func(Env) (Cache, error) {
	return func(env Env) (Cache, error) {
		all := vedettes{}
		for _, k := range env.Kinds {
			one, err := openers(env.Objects, k)
			if err != nil {
				return nil, err
			}
			c, err := one(env, k, u)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
		return all, nil
	}
}

type opener func(Env, workload.Kind, usage) (Cache, error)

// openers returns the function for a form and a kind.
func openers(o Object, k workload.Kind) (opener, error) {
	switch o {
	case Dynamic:
		return openVedetteOf[unstructured.Unstructured], nil
	case Metadata:
		return openVedetteOf[metav1.PartialObjectMetadata], nil
	}
	switch k.New(0, 0).(type) {
	case *corev1.Pod:
		return openVedetteOf[corev1.Pod], nil
	case *batchv1.Job:
		return openVedetteOf[batchv1.Job], nil
	case *corev1.Node:
		return openVedetteOf[corev1.Node], nil
	case *corev1.ConfigMap:
		return openVedetteOf[corev1.ConfigMap], nil
	case *corev1.Secret:
		return openVedetteOf[corev1.Secret], nil
	case *corev1.Event:
		return openVedetteOf[corev1.Event], nil
	case *workload.Widget:
		return openVedetteOf[workload.Widget], nil
	}
	return nil, fmt.Errorf("there is no type for %s", k.Name)
}

// resourceOf returns the type of a kind, as from discovery.
func resourceOf(k workload.Kind) kube.Resource {
	r := kube.Resource{Group: k.Group, Version: k.Version, Name: k.Resource, Kind: k.Kind, Verbs: []string{"list", "watch"}}
	if k.Scope == workload.Namespaced {
		r.Scope = kube.Namespaced
	}
	return r
}

// identified is a source that says which cluster answers, as that of a program does. Without that,
// a restart from a file lists as soon as the watch is open.
type identified struct {
	*kube.Collection
	cluster *kube.Cluster
}

// Identity implements clusterid.Identifier.
func (i identified) Identity(ctx context.Context, since time.Time) (string, error) {
	return i.cluster.Identity(ctx, since)
}

func openVedetteOf[T any](env Env, k workload.Kind, u usage) (Cache, error) {
	cluster, err := kube.Connect(kube.Config{REST: env.rest()})
	if err != nil {
		return nil, err
	}
	selection := kube.Selection{Encoding: kube.JSONOnly}
	switch env.Encoding {
	case workload.Protobuf:
		selection.Encoding = kube.PreferProtobuf
	case workload.CBOR:
		selection.Encoding = kube.PreferCBOR
	}
	if env.Objects == Metadata {
		selection.View = kube.Metadata
	}
	resource := resourceOf(k)
	coll, err := cluster.Collection(resource, selection) // the server of the bench has no discovery
	if err != nil {
		return nil, err
	}
	cfg := informer.Config{}
	if env.Mode != serve.Streaming {
		cfg.Reflector.Streaming = reflector.PagesOnly
	}
	if u == live {
		cfg.Storage = informer.Live
	}
	source := reflector.Source(coll)
	if u == warm {
		source = identified{coll, cluster}
		cfg.WarmStart = informer.WarmStart{Path: filepath.Join(env.Dir, snapshotFile), Identity: "bench"}
	}
	inf, err := informer.New[T](source, cfg)
	if err != nil {
		return nil, err
	}
	v := &vedette[T]{inf: inf, usage: u}
	return v, v.register(env.Handlers)
}

// vedette is one of our informers.
type vedette[T any] struct {
	inf    *informer.Informer[T]
	usage  usage
	pulled []Handler
}

// register adds handlers, or keeps them for the loops that pull.
func (v *vedette[T]) register(handlers []Handler) error {
	sent, err := wire.FieldOf[metav1.PartialObjectMetadata]("metadata.annotations['" + workload.StampKey + "']")
	if err != nil {
		return err
	}
	for _, h := range handlers {
		if v.usage == pull {
			v.pulled = append(v.pulled, h)
			continue
		}
		var values []string
		_, err := v.inf.Handle(informer.Handler[T]{OnEvent: func(_ context.Context, ev informer.Event[T]) error {
			if h.Reads > ReadNothing && v.usage == field {
				values = sent.Append(values[:0], ev.Record())
				h.Told(ev.Key().Name, workload.Sent(first(values)))
				return nil
			}
			return tell(h, ev)
		}}, informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Mode: store.Latest}})
		if err != nil {
			return err
		}
	}
	return nil
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// tell passes an event on. It decodes the object only if the handler reads it.
func tell[T any](h Handler, ev informer.Event[T]) error {
	if h.Reads == ReadNothing {
		h.Told(ev.Key().Name, 0)
		return nil
	}
	obj, err := ev.Object()
	if err != nil {
		return err
	}
	meta, ok := any(obj).(metav1.Object)
	if !ok {
		return errors.New("the object has no metadata")
	}
	h.Told(meta.GetName(), workload.Sent(meta.GetAnnotations()[workload.StampKey]))
	return nil
}

// Run implements Cache.
func (v *vedette[T]) Run(ctx context.Context) error {
	var work sync.WaitGroup
	defer work.Wait()
	for _, h := range v.pulled {
		work.Go(func() {
			for ev := range v.inf.Changes(ctx, informer.SubscriptionConfig{Mode: store.Lossless}) {
				if tell(h, ev) != nil {
					return
				}
			}
		})
	}
	return v.inf.Run(ctx)
}

// Synced implements Cache.
func (v *vedette[T]) Synced() <-chan struct{} { return v.inf.Synced() }

// Len implements Cache.
func (v *vedette[T]) Len() int { return v.inf.Snapshot().Records().Len() }

// vedettes are several informers in one process.
type vedettes []Cache

// Run implements Cache.
func (v vedettes) Run(ctx context.Context) error { return runAll(ctx, slices.Values(v)) }

// Synced implements Cache.
func (v vedettes) Synced() <-chan struct{} {
	var all []<-chan struct{}
	for _, c := range v {
		all = append(all, c.Synced())
	}
	return whenAll(all)
}

// Len implements Cache.
func (v vedettes) Len() int {
	n := 0
	for _, c := range v {
		n += c.Len()
	}
	return n
}
