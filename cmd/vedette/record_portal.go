package main

import (
	"cmp"
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/platform/record"
)

// recordPortal is the portal inside `vedette record --listen`.
type recordPortal struct {
	on bool
	portalFlags
	current atomic.Pointer[portal.Portal] // nil until the recorder has its database
}

// shown reports whether a recorder has a portal at an address. On addresses other than loopback it
// has a portal only if users must sign in.
func (o *recordPortal) shown(listen string) bool {
	return o.on && listen != "" && (o.signsIn() || identity.Loopback(listen))
}

// ServeHTTP serves the portal. Until the portal exists, it answers that the portal starts.
func (o *recordPortal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p := o.current.Load(); p != nil {
		p.Handler().ServeHTTP(w, r)
		return
	}
	web.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { web.Fail(w, r, web.Loading(0)) }), false, nil).ServeHTTP(w, r)
}

// Describe implements prometheus.Collector. It describes nothing, because the portal exists
// only after the registry.
func (o *recordPortal) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (o *recordPortal) Collect(ch chan<- prometheus.Metric) {
	if p := o.current.Load(); p != nil {
		p.Collector().Collect(ch)
	}
}

// start runs the portal if it is shown at an address, and returns a function that waits for
// its end.
//
// Errors: those of portal.New.
func (o *recordPortal) start(ctx context.Context, listen string, cfg portal.Config) (wait func(), err error) {
	if !o.shown(listen) {
		return func() {}, nil
	}
	if err := o.fill(&cfg, listen); err != nil {
		return nil, err
	}
	p, err := portal.New(cfg)
	if err != nil {
		return nil, err
	}
	o.current.Store(p)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := p.Run(ctx); err != nil {
			cfg.Logger.Error("the portal ended", "err", err)
		}
	}()
	return func() { <-ended }, nil
}

// watchesOf returns the state of recorders for the operations page.
func watchesOf(recorders []record.Health, now time.Time) (all []api.Watch) {
	for _, h := range recorders {
		for _, t := range h.Targets {
			if t.Standby {
				continue // other recorders show it
			}
			w := api.Watch{
				Cluster: h.Cluster, Type: t.Target.Type, Namespace: t.Target.Namespace, Phase: t.Reflector.Phase.String(), Since: t.Reflector.Since,
				Version: t.Reflector.Version.String(), Lag: -1, Objects: t.Objects, Bytes: -1, Queued: t.Queued,
			}
			if err := cmp.Or(t.Err, t.Failed, t.Reflector.Err); err != nil {
				w.Note = err.Error()
			}
			if !t.FailedSince.IsZero() {
				w.Lag = now.Sub(t.FailedSince).Seconds()
			} else if t.Queued == 0 && t.Ready {
				w.Lag = 0
			}
			all = append(all, w)
		}
	}
	return all
}
