package watchview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
)

// Follow prints every change of the targets until ctx is done, or until one of them cannot be
// watched at all.
func Follow(ctx context.Context, cluster *kube.Cluster, targets []Target, format *Format, con *console.Console) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all []Followed
	for _, t := range targets {
		inf, err := NewInformer(cluster, t)
		if err != nil {
			return err
		}
		all = append(all, Followed{t.Resource, inf})
	}
	pods, own, err := podsFor(cluster, targets, all)
	if err != nil {
		return err
	}
	var states *podStates
	var work sync.WaitGroup
	if pods != nil && format.ForPeople() {
		states = newPodStates(format.status)
		if own {
			work.Go(func() { _ = pods.Run(ctx) }) // without it, jobs have the states of their objects
		}
		work.Go(func() {
			if err := states.follow(ctx, pods); err != nil {
				cancel(err)
			}
		})
	}
	failed := newFailures(all)
	for i, f := range all {
		work.Go(func() {
			if err := f.Inf.Run(ctx); err != nil && failed.note(i, err) {
				cancel(failed.settled(ctx))
			}
		})
		work.Go(func() {
			p := format.of(f.Resource)
			if isJob(f.Resource) {
				p.pods = states
			}
			if err := f.print(ctx, p); err != nil {
				cancel(err)
			}
		})
	}
	work.Go(func() {
		if err := Attend(ctx, cluster.Host(), all, con); err != nil {
			cancel(cmp.Or(failed.settled(ctx), err))
		}
	})
	work.Wait()
	con.Clear()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// NewInformer returns an informer of a target.
func NewInformer(cluster *kube.Cluster, t Target) (*informer.Informer[Object], error) {
	return informer.Watch[Object](cluster, informer.Config{
		Resource:      t.Resource.Name + "." + t.Resource.Version + "." + t.Resource.Group,
		Namespaces:    namespaces(t.Selection.Namespace),
		LabelSelector: t.Selection.LabelSelector,
		FieldSelector: t.Selection.FieldSelector,
		// A user waits for the server, so retries are frequent.
		Reflector: reflector.Config{MaxBackoff: 5 * time.Second, SlowRetry: 10 * time.Second},
		Logger:    slog.New(slog.DiscardHandler), // Attend reports faults
		Missing:   informer.WaitIfMissing,        // and a type that is not served
	})
}

// print writes the events of one type. It begins after the first list, so that objects do
// not interrupt the progress line.
func (f *Followed) print(ctx context.Context, p *printer) error {
	select {
	case <-f.Inf.Synced():
	case <-ctx.Done():
		return nil
	}
	// The output must be complete, however slowly it is read.
	for ev := range f.Inf.Changes(ctx, informer.SubscriptionConfig{Mode: store.Lossless}) {
		if err := p.event(ev, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// Attend shows progress until all types are synced. It reports when the server goes away
// and when it is back. It returns an error if a type cannot be watched at all.
func Attend(ctx context.Context, host string, all []Followed, con *console.Console) error {
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	watch := Outage{host: host, con: con, Known: map[string]reflector.Relists{}, odd: map[string]oddities{}}
	// An informer ends by itself for some of these errors, with a better remedy. Attend returns
	// an error only if a second look finds one too.
	failing := false
	for {
		waiting, news, failed := 0, false, false
		for _, f := range all {
			health, _ := f.Inf.Health()
			if !health.Synced {
				waiting++
				err := Hopeless(f.Resource.String(), health.Health)
				if err != nil && failing {
					return err
				}
				if err != nil {
					failed = true
					continue
				}
			}
			news = watch.Note(f.Resource.String(), health.Health) || news
		}
		failing = failed
		watch.report(news)
		if waiting > 0 && len(watch.away) == 0 {
			con.Progress("%s", progressOf(all))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func progressOf(all []Followed) string {
	var parts []string
	for _, f := range all {
		health, _ := f.Inf.Health()
		switch {
		case health.Synced:
			parts = append(parts, fmt.Sprintf("%s: %d", f.Resource.String(), f.Inf.Snapshot().Records().Len()))
		case health.Remaining > 0:
			parts = append(parts, fmt.Sprintf("%s: %d of about %d …", f.Resource.String(), health.Listed, health.Listed+health.Remaining))
		default:
			parts = append(parts, fmt.Sprintf("%s: %d …", f.Resource.String(), health.Listed))
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

// podResource is the type of pods.
var podResource = kube.Resource{Version: "v1", Name: "pods", Kind: "Pod", Scope: kube.Namespaced}

// podsFor returns the informer of the pods of the jobs among some targets, or nil if there are none.
// own is set if it is not among the informers of the targets.
func podsFor(cluster *kube.Cluster, targets []Target, all []Followed) (inf *informer.Informer[Object], own bool, err error) {
	i := slices.IndexFunc(targets, func(t Target) bool { return isJob(t.Resource) })
	if i < 0 {
		return nil, false, nil
	}
	for k, t := range targets {
		if t.Resource.String() == podResource.String() && t.Selection.LabelSelector == "" && t.Selection.FieldSelector == "" {
			return all[k].Inf, false, nil
		}
	}
	inf, err = NewInformer(cluster, Target{podResource, kube.Selection{Namespace: targets[i].Selection.Namespace}})
	return inf, true, err
}
