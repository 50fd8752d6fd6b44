package portal

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/audit"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/livestream"
	"github.com/vedette-io/vedette/platform/portal/readapi"
	"github.com/vedette-io/vedette/platform/portal/recordapi"
	"github.com/vedette-io/vedette/platform/portal/ui"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/platform/portal/writeapi"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Portal is the server of the portal. Any goroutine may use it.
type Portal struct {
	cfg   Config
	reads *sqldb.DB // for queries about histories, which a replica may answer
	index *jobindex.Index
	hub   *livestream.Hub
	relay *relay
	// recording tells which parts of the history are current.
	recording *recording
	insight   *insight.Insight
	access    *access.Access
	audit     *audit.Log
	identity  *identity.Identity
	api       huma.API
	types     *types
	tls       *tls.Config // nil for plain HTTP
	requests  requests
	handler   http.Handler
}

// New returns a portal. It reads the files of the configuration and sends no requests.
//
// Errors: all errors of the configuration.
func New(cfg Config) (*Portal, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	p := &Portal{cfg: cfg, reads: cfg.DB, audit: audit.New(cfg.DB, cfg.AuditAge)}
	if cfg.Replica != nil {
		p.reads = cfg.Replica.View(p.position)
	}
	var err error
	if p.tls, err = Certificate(cfg.CertFile, cfg.KeyFile, cfg.logger()); err != nil {
		return nil, err
	}
	p.access = access.New(access.Config{Clusters: cfg.Clusters, Rights: cfg.Rights, Types: func(cluster string) []string { return p.types.of(cluster) }, Recorded: func() []string { return p.types.clusters() }, Operators: cfg.Operators, Logger: cfg.logger()})
	id := cfg.Identity
	id.Endings = audit.NewSignOuts(cfg.DB)
	id.Unsubscribe = func(ctx context.Context, token string) (bool, error) {
		err := delivery.UnsubscribeBy(ctx, cfg.DB, token)
		if errors.Is(err, delivery.ErrUnknown) {
			return false, nil
		}
		return err == nil, cfg.DB.Explain(err)
	}
	id.TLS, id.Open, id.Logger = p.tls != nil, append(slices.Clone(id.Open), openPaths...), cfg.logger()
	if cfg.ClusterTokens {
		id.Audience, id.Several = cmp.Or(strings.TrimRight(id.URL, "/"), defaultAudience), len(cfg.Clusters) > 1
		id.Review = access.NewTokenReviewer(cfg.Clusters, id.Audience, cfg.logger()).Review
	}
	if p.identity, err = identity.New(id); err != nil {
		return nil, err
	}
	pages, err := ui.New()
	if err != nil {
		return nil, err
	}
	p.index = jobindex.New(jobindex.Config{DB: cfg.DB, Logger: cfg.logger(), Changed: p.changed, Reloaded: p.reloaded})
	p.recording = &recording{history: history.New(cfg.DB), logger: cfg.logger(), changed: func() { p.hub.Beat() }}
	p.hub = livestream.New(livestream.Config{
		Sight:    func(ctx context.Context) (livestream.Sight, error) { return p.access.Sight(withNamespaces(ctx)) },
		Expires:  func(ctx context.Context) time.Time { return identity.Of(ctx).Expires },
		Person:   func(ctx context.Context) string { return identity.Of(ctx).ID() },
		Position: p.position, Stale: p.index.Stale, Unrecorded: p.recording.unrecorded, Done: p.index.Done, Logger: cfg.logger(),
	})
	p.insight = insight.New(insight.Config{DB: p.reads, Index: p.index})
	p.relay = newRelay(p.hub, p.details(jobview.NewEnricher(history.New(p.reads))))
	p.types = newTypes(p.index)
	p.handler = p.routes(pages)
	return p, web.DescribeTypes(p.api, api.Source)
}

// details returns a function that reads the columns of changed rows that are not in the index.
// Places in line come from the cache of the lists; a stream does not read them.
func (p *Portal) details(e *jobview.Enricher) func(context.Context, []jobindex.Row) (map[int64]jobview.Extra, error) {
	return func(ctx context.Context, rows []jobindex.Row) (map[int64]jobview.Extra, error) {
		extras, err := e.Extras(ctx, rows, time.Time{})
		for id, place := range p.insight.KeptPlaces(rows) {
			x := extras[id]
			x.Place = place
			extras[id] = x
		}
		return extras, err
	}
}

// defaultAudience is the audience of tokens for a portal without a public address.
const defaultAudience = "vedette"

// openPaths need no sign-in, because everything below them is public.
var openPaths = []string{"/assets/", "/licenses.txt"}

// RequiresSignIn reports whether sign-in is required.
func (p *Portal) RequiresSignIn() bool { return p.identity.RequiresSignIn() }

// TLS reports whether the portal serves HTTPS.
func (p *Portal) TLS() bool { return p.tls != nil }

// API returns the operations and their OpenAPI document.
func (p *Portal) API() huma.API { return p.api }

// Handler returns the handler of all paths, for callers that do not use Serve.
func (p *Portal) Handler() http.Handler { return p.handler }

// Collector returns the metrics of the portal.
func (p *Portal) Collector() prometheus.Collector {
	return collector{&p.requests, func() numbers {
		n := numbers{stream: p.hub.Stats(), loaded: p.index.Done(), bytes: p.index.Bytes(), position: p.position(), stale: !p.index.Stale().IsZero()}
		if p.cfg.Replica != nil {
			s := p.cfg.Replica.Stats()
			n.replica = &s
		}
		return n
	}}
}

// Run keeps the index and the streams up to date until ctx ends. Call it once.
//
// Errors: none; it returns nil when ctx ends.
func (p *Portal) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var work sync.WaitGroup
	errs := make([]error, 2)
	work.Go(func() { errs[0] = p.index.Run(ctx); cancel() })
	work.Go(func() { errs[1] = p.access.Run(ctx); cancel() })
	work.Go(func() { p.relay.run(ctx, p.position) })
	work.Go(func() { p.insight.Run(ctx) })
	work.Go(func() { p.recording.run(ctx) })
	work.Go(func() { p.open(ctx) })
	work.Go(func() { p.audit.Run(ctx) })
	if p.cfg.Replica != nil {
		work.Go(func() { p.cfg.Replica.Run(ctx) })
	}
	if p.identity.RequiresSignIn() {
		work.Go(func() { p.identity.Run(ctx) })
	}
	work.Wait()
	for i, err := range errs {
		if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
			errs[i] = nil
		}
	}
	return errors.Join(errs...)
}

// open starts the streams when the index is loaded.
func (p *Portal) open(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-p.index.Ready():
	}
	floor, some, err := earlier(ctx, p.cfg.DB, p.index, feed.Position(p.position()))
	if err != nil && ctx.Err() == nil {
		p.cfg.logger().Warn("earlier changes cannot be read, so streams start at the current position and open pages reload", "err", err)
	}
	p.hub.Start(floor, p.relay.detailed(ctx, some, len(some) <= detailsUpTo))
	p.hub.Run(ctx)
}

// Serve runs the portal and answers the requests of a listener until ctx ends. It closes the
// listener, and joins all goroutines.
//
// Errors: the listener failed.
func (p *Portal) Serve(ctx context.Context, listener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ran := make(chan error, 1)
	go func() {
		ran <- p.Run(ctx)
		cancel()
	}()
	err := web.Serve(ctx, listener, p.handler, p.tls, p.cfg.logger())
	cancel()
	return errors.Join(err, <-ran)
}

// Ready returns nil if the portal has read the history and the database answers.
func (p *Portal) Ready() error {
	select {
	case <-p.index.Ready():
	default:
		return fmt.Errorf("the portal is reading the history: %.0f %% done", p.index.Done()*100)
	}
	if !p.hub.Started() {
		return errors.New("the portal is reading the newest changes")
	}
	if at := p.index.Stale(); !at.IsZero() {
		return fmt.Errorf("the database has not answered since %s", at.UTC().Format(time.RFC3339))
	}
	return nil
}

func (p *Portal) position() int64 { return int64(p.index.Position()) }

func (p *Portal) changed(some []jobindex.Change) { p.relay.add(some) }

// reloaded is called after the index was reloaded from scratch, which skips changes.
func (p *Portal) reloaded(reason error, at feed.Position) {
	why := "expired"
	if errors.Is(reason, feed.ErrAhead) {
		why = "restored"
	}
	p.hub.Reset(int64(at), why)
}

// operations registers the operations of the API.
func (p *Portal) operations() {
	web.Document(p.api, http.MethodDelete, api.PathSessionAuth, "sign-out", "End the session of the browser")
	p.hub.Register(p.api)
	readapi.Register(p.api, readapi.Config{
		DB: p.cfg.DB, Histories: p.reads, Index: p.index, Insight: p.insight, Clusters: p.access.Clusters(), Cluster: p.access.Cluster,
		Sight:    func(ctx context.Context) (readapi.Sight, error) { return p.access.Sight(withNamespaces(ctx)) },
		Operates: p.access.Operates, May: p.access.MayRead, Trusting: p.access.Trusting, CSRF: p.identity.CSRF,
		Version: p.cfg.Version, KeepsDays: p.cfg.KeepsDays, Demo: p.cfg.Demo, Watches: p.cfg.Watches, TraceURL: p.cfg.TraceURL, Logger: p.cfg.logger(),
		Browsers: func() (open int, lag float64) {
			s := p.hub.Stats()
			return s.Browsers, s.Lag
		},
	})
	visible := recordapi.Config{DB: p.reads, Sight: func(ctx context.Context) (recordapi.Sight, error) { return p.access.Sight(withNamespaces(ctx)) }}
	if p.access.Rights() {
		visible.May, visible.Since = p.access.May, p.access.Since
	}
	recordapi.Register(p.api, visible)
	var ends func(context.Context, string) error
	if p.identity.RequiresSignIn() {
		ends = p.identity.EndSessions
	}
	writeapi.Register(p.api, writeapi.Config{
		EndSessions: ends,
		DB:          p.cfg.DB, Index: p.index, Access: p.access, Audit: p.audit, Templates: p.cfg.Templates, Notify: p.cfg.Notify, Forecast: p.insight.Forecast, Logger: p.cfg.logger(),
	})
}

// withNamespaces returns a context with the namespaces in the filter of a request, for people whose
// bindings cannot be watched.
func withNamespaces(ctx context.Context) context.Context {
	named := slices.DeleteFunc(slices.Clone(web.Query(ctx)["namespace"]), func(n string) bool { return strings.ContainsAny(n, "!*") })
	if len(named) == 0 {
		return ctx
	}
	return access.WithNamespaces(ctx, named...)
}

// find returns the path of the newest job with a name; empty if the person sees none.
func (p *Portal) find(r *http.Request) string {
	s, err := p.access.Sight(r.Context(), r.PathValue("namespace"))
	if err != nil {
		return ""
	}
	var row jobindex.Row
	found := false
	err = p.index.View(func(v *jobindex.View) error {
		row, found = v.Newest(r.PathValue("cluster"), r.PathValue("type"), r.PathValue("namespace"), r.PathValue("name"))
		return nil
	})
	if err != nil || !found || !s.SeesJob(row.Cluster, row.ClusterUID, row.Type, row.Namespace, row.Submitted) {
		return ""
	}
	return "/jobs/" + url.PathEscape(row.Cluster) + "/" + url.PathEscape(row.UID)
}

// readsAtOnce is the maximum number of concurrent reads of one person. With 1,000,000 jobs, a read
// with the longest filter takes two seconds of CPU time.
const readsAtOnce = 8

// Limits of writes. Parsing multiplies the memory of a body.
const (
	// writesAtOnce is the maximum number of concurrent writes of one person.
	writesAtOnce = 4
	// bodiesOfAll and bodiesOfOne are the bytes of bodies that all people together, and one
	// person, may have in the process.
	bodiesOfAll = 32 << 20
	bodiesOfOne = 4 << 20
)

// routes returns the handler of all paths.
func (p *Portal) routes(pages http.Handler) http.Handler {
	inner := http.NewServeMux()
	p.api = web.NewAPI(inner, p.cfg.Version)
	p.operations()
	inner.HandleFunc("GET /find/{cluster}/{type}/{namespace}/{name}", func(w http.ResponseWriter, r *http.Request) {
		if to := p.find(r); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		pages.ServeHTTP(w, r) // the page says that nothing was found
	})
	inner.Handle("/", pages)
	throttle := web.NewThrottle(50, 250)
	person := func(r *http.Request) string {
		if id := identity.Of(r.Context()).ID(); id != "" {
			return "person " + id
		}
		if p.identity.RequiresSignIn() {
			return "address " + identity.Network(r.Context())
		}
		return "" // the user who runs the portal has no limit
	}
	turns := web.NewConcurrencyLimit(readsAtOnce)
	reads := func(r *http.Request) string {
		if r.Method != http.MethodGet && r.Method != http.MethodHead || r.URL.Path == api.Prefix+api.PathStream || strings.HasSuffix(r.URL.Path, "/logs") && r.URL.Query().Has("follow") {
			return "" // streams have limits of their own, and so have writes
		}
		return person(r)
	}
	writing, bodies := web.NewConcurrencyLimit(writesAtOnce), web.NewBodyBudget(bodiesOfAll, bodiesOfOne)
	writes := func(r *http.Request) string {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			return ""
		}
		return person(r)
	}
	limited := turns.Handler(reads, writing.Handler(writes, bodies.Handler(person, inner)))
	outer := http.NewServeMux()
	outer.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		web.Write(w, r, http.StatusOK, "text/plain", []byte("ok\n"))
	})
	outer.HandleFunc("GET /readyz", p.readyz)
	if p.cfg.Metrics {
		registry := prometheus.NewRegistry()
		registry.MustRegister(p.Collector())
		outer.Handle("GET /metrics", p.identity.Named(promhttp.HandlerFor(registry, promhttp.HandlerOpts{})))
	}
	outer.Handle("/", p.identity.Handler(throttle.Handler(person, limited)))
	return p.requests.counting(web.Guard(outer, p.tls != nil, p.cfg.logger()))
}

func (p *Portal) readyz(w http.ResponseWriter, r *http.Request) {
	status, text := http.StatusOK, "ok\n"
	if err := p.Ready(); err != nil {
		status, text = http.StatusServiceUnavailable, err.Error()+"\n"
	}
	web.Write(w, r, status, "text/plain", []byte(text))
}
