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

// object is what watch works with: any type, whole and as the server has it,
// also where this program was built before a field was invented.
type object = unstructured.Unstructured

// redraw is how often progress is drawn.
const redraw = 200 * time.Millisecond

// followed is one type that is being followed.
type followed struct {
	resource kube.Resource
	inf      *informer.Informer[object]
}

// follow prints every change of the targets until ctx is done, or until it is
// clear that one of them can not be watched.
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
		// Somebody is looking on: a server that is back should be seen soon.
		Reflector: reflector.Config{MaxBackoff: 5 * time.Second, SlowRetry: 10 * time.Second},
		Logger:    slog.New(slog.DiscardHandler), // attend reports faults
	})
}

// print writes the events of one type. What is there comes once it is complete,
// so that progress is not torn apart.
func (f *followed) print(ctx context.Context, p *printer) error {
	select {
	case <-f.inf.Synced():
	case <-ctx.Done():
		return nil
	}
	// The output must be complete, however slowly it is read.
	for ev := range f.inf.Changes(ctx, informer.Subscribe{Mode: store.Lossless}) {
		if err := p.event(ev, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// attend shows progress until all types are there, and from then on says when
// the server is away and when it is back. It returns an error if a type can not
// be watched at all.
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

// hopeless returns the error of a first list that waiting will not help.
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

// namespaces are none for all of them.
func namespaces(name string) []string {
	if name == "" {
		return nil
	}
	return []string{name}
}
