package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
)

// object is an object of any type with all its fields, including those that are newer
// than this program.
type object = unstructured.Unstructured

// redraw is how often progress is drawn.
const redraw = 200 * time.Millisecond

// followed is a type that is being watched.
type followed struct {
	resource kube.Resource
	inf      *informer.Informer[object]
}

// follow prints every change of the targets until ctx is done, or until one of them turns
// out to be impossible to watch.
func follow(ctx context.Context, cluster *kube.Cluster, targets []target, format *format, con *console) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all []followed
	for _, t := range targets {
		inf, err := newInformer(cluster, t)
		if err != nil {
			return err
		}
		all = append(all, followed{t.resource, inf})
	}
	var work sync.WaitGroup
	for _, f := range all {
		work.Go(func() {
			if err := f.inf.Run(ctx); err != nil {
				cancel(err)
			}
		})
		work.Go(func() {
			if err := f.print(ctx, format.of(f.resource)); err != nil {
				cancel(err)
			}
		})
	}
	work.Go(func() {
		if err := attend(ctx, cluster.Host(), all, con); err != nil {
			cancel(err)
		}
	})
	work.Wait()
	con.clear()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func newInformer(cluster *kube.Cluster, t target) (*informer.Informer[object], error) {
	return informer.Watch[object](cluster, informer.Config{
		Resource:      t.resource.Name + "." + t.resource.Version + "." + t.resource.Group,
		Namespaces:    namespaces(t.selection.Namespace),
		LabelSelector: t.selection.LabelSelector,
		FieldSelector: t.selection.FieldSelector,
		// A user is watching, so a server that is back must be noticed soon.
		Reflector: reflector.Config{MaxBackoff: 5 * time.Second, SlowRetry: 10 * time.Second},
		Logger:    slog.New(slog.DiscardHandler), // attend reports faults
	})
}

// print writes the events of one type. It begins after the first list, so that objects do
// not interrupt the progress line.
func (f *followed) print(ctx context.Context, p *printer) error {
	select {
	case <-f.inf.Synced():
	case <-ctx.Done():
		return nil
	}
	// The output must be complete, however slowly it is read.
	for ev := range f.inf.Changes(ctx, informer.SubscriptionConfig{Mode: store.Lossless}) {
		if err := p.event(ev, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// attend shows progress until all types are synced. It reports when the server goes away
// and when it is back. It returns an error if a type cannot be watched at all.
func attend(ctx context.Context, host string, all []followed, con *console) error {
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	watch := outage{host: host, con: con, known: map[string]reflector.Relists{}, odd: map[string]oddities{}}
	for {
		waiting, news := 0, false
		for _, f := range all {
			health, _ := f.inf.Health()
			if !health.Synced {
				waiting++
				if err := hopeless(f.resource.String(), health.Health); err != nil {
					return err
				}
			}
			news = watch.note(f.resource.String(), health.Health) || news
		}
		watch.report(news)
		if waiting > 0 && len(watch.away) == 0 {
			con.progress("%s", progressOf(all))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// hopeless returns the error of a first list that no retry can help.
func hopeless(name string, h reflector.Health) error {
	switch h.Fault {
	case reflector.Denied, reflector.Absent, reflector.Unsupported:
		return h.Err
	}
	return nil
}

func progressOf(all []followed) string {
	var parts []string
	for _, f := range all {
		health, _ := f.inf.Health()
		switch {
		case health.Synced:
			parts = append(parts, fmt.Sprintf("%s: %d", f.resource.String(), f.inf.Snapshot().Len()))
		case health.Remaining > 0:
			parts = append(parts, fmt.Sprintf("%s: %d of about %d …", f.resource.String(), health.Listed, health.Listed+health.Remaining))
		default:
			parts = append(parts, fmt.Sprintf("%s: %d …", f.resource.String(), health.Listed))
		}
	}
	return "listing " + strings.Join(parts, ", ")
}

// namespaces returns nil, which means all, for an empty name.
func namespaces(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}
