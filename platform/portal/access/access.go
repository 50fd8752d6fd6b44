package access

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// askTimeout is the time limit of all reviews of one person.
const askTimeout = 10 * time.Second

// defaultTypes are the types to review in a cluster without jobs.
var defaultTypes = []string{"jobs.batch"}

// maxClients is the maximum number of cached clients.
const maxClients = 1000

// Cluster is a cluster that the portal is connected to.
type Cluster struct {
	// Name is the name of the cluster in the history.
	Name string
	// Kube connects with the portal's credentials. The caller closes it.
	Kube *kube.Cluster
}

// Config configures an Access. Without Rights, everybody sees everything of the clusters that know
// them, and writes use the portal's credentials.
type Config struct {
	Clusters []Cluster
	// Rights lets the API servers decide what a person may see and do.
	Rights bool
	// Types returns the types of jobs of a cluster, such as "jobs.batch". Each review of a person
	// calls it with the name of each cluster of Clusters. For a cluster without types, such as one
	// with an empty history, jobs.batch is reviewed.
	Types func(cluster string) []string
	// Recorded returns the names of all clusters in the history, including clusters that are not in
	// Clusters. With Rights, nobody sees the jobs of those. Nil means no other clusters.
	Recorded func() []string
	// Operators are groups whose members see the operations page even if they do not see all
	// namespaces. A right of theirs in a namespace counts for older namespaces of its name too.
	Operators []string
	Logger    *slog.Logger // default none
}

// Access decides what people may see and do.
type Access struct {
	cfg      Config
	surveys  map[string]*survey
	visitors *visitors
	creators creators
	now      func() time.Time

	mu      sync.Mutex
	clients map[string]map[visitorKey]*kube.Cluster // impersonating people, by cluster
	count   int                                     // of clients
}

// New returns an Access. It sends no requests.
func New(cfg Config) *Access {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Types == nil {
		cfg.Types = func(string) []string { return nil }
	}
	a := &Access{cfg: cfg, surveys: map[string]*survey{}, visitors: &visitors{all: map[visitorKey]*visitor{}}, now: time.Now, clients: map[string]map[visitorKey]*kube.Cluster{}}
	for _, c := range cfg.Clusters {
		s := &survey{name: c.Name, kube: c.Kube, log: cfg.Logger, rules: &faultlog.Reporter{
			Fault: "the rights of people are unknown, so a job is read before its sender is refused", Over: "the rights of people are known again",
			Logger: func() *slog.Logger { return cfg.Logger }, Attrs: []any{"cluster", c.Name},
		}, births: &faultlog.Reporter{
			Fault: "the portal may not read namespaces, so a new namespace shows the history of an older one with its name", Over: "the portal may read namespaces",
			Logger: func() *slog.Logger { return cfg.Logger }, Attrs: []any{"cluster", c.Name},
		}}
		if cfg.Rights {
			b, err := newBindings(c.Kube, cfg.Logger.With("cluster", c.Name), func(subjects []string) { a.visitors.changed(keysIn(c.Name, subjects)) })
			if err != nil {
				cfg.Logger.Error("role bindings cannot be watched, so people see only the namespaces that they name", "cluster", c.Name, "err", err)
			}
			s.bindings = b
		}
		a.surveys[c.Name] = s
	}
	return a
}

// Run watches the role bindings until ctx ends, so that changes take effect at once. Before and
// without Run, people without rights in all namespaces see only the namespaces that they name. Call
// it at most once.
//
// Errors: the cause of ctx; those of package informer.
func (a *Access) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	errs := make([]error, len(a.cfg.Clusters))
	for n, c := range a.cfg.Clusters {
		if b := a.surveys[c.Name].bindings; b != nil {
			wg.Go(func() { errs[n] = b.run(ctx) })
		}
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

type askingKey struct{}

// WithNamespaces returns a context with the namespaces that a request names. Sight also reviews
// these if the bindings cannot be watched.
func WithNamespaces(ctx context.Context, namespaces ...string) context.Context {
	before, _ := ctx.Value(askingKey{}).([]string)
	return context.WithValue(ctx, askingKey{}, append(slices.Clone(before), namespaces...))
}

// Sight returns what the person of a context may see. It is at most 30 s old, or 60 s if an API
// server does not answer. asked are namespaces that the request names, as for WithNamespaces.
//
// Errors: *api.Problem: the person must sign in again, or no API server answers.
func (a *Access) Sight(ctx context.Context, asked ...string) (*Sight, error) {
	if err := identity.Check(ctx); err != nil {
		return nil, err
	}
	person := identity.Of(ctx)
	switch {
	case a.cfg.Rights:
	case person.Cluster != "":
		return everythingIn(person.Cluster, func() bool { return a.hasOthers(person.Cluster) }), nil
	default:
		return everything(), nil
	}
	if person.Anonymous() {
		return nil, errNobody
	}
	named, _ := ctx.Value(askingKey{}).([]string)
	one, fresh := a.visitors.get(person, append(slices.Clone(named), asked...), a.now())
	if s := a.visitors.current(one, a.now()); s != nil && !(fresh && a.blind(person)) {
		return s, nil
	}
	if err := one.lock(ctx); err != nil {
		return nil, err
	}
	defer one.unlock()
	if s := a.visitors.current(one, a.now()); s != nil && !(fresh && a.blind(person)) {
		return s, nil // another request has updated it
	}
	return a.refresh(ctx, one)
}

// blind reports whether the bindings of one of the person's clusters are unknown. The namespaces
// that a request names then matter.
func (a *Access) blind(p identity.Person) bool {
	for name, s := range a.surveys {
		if p.KnownIn(name) && (s.bindings == nil || !s.bindings.ready()) {
			return true
		}
	}
	return false
}

// refresh reviews a visitor in all clusters.
func (a *Access) refresh(ctx context.Context, one *visitor) (*Sight, error) {
	began := a.now()
	// Later requests use the answer too, so the end of this request must not cancel it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	subjects := map[string]subject{}
	var watched []string
	for _, c := range a.cfg.Clusters {
		if who, ok := subjectIn(one.person, c.Name); ok {
			subjects[c.Name] = who
			watched = append(watched, keysIn(c.Name, who.keys())...)
		}
	}
	asked, version := a.visitors.begin(one, watched)
	answers := make([]clusterAnswer, len(a.cfg.Clusters))
	errs := make([]error, len(a.cfg.Clusters))
	var wg sync.WaitGroup
	for n, c := range a.cfg.Clusters {
		if who, ok := subjects[c.Name]; ok {
			wg.Go(func() { answers[n], errs[n] = a.ask(ctx, a.surveys[c.Name], who, asked, a.isOperator(one.person)) })
		}
	}
	wg.Wait()
	scopes, pods, present, lasts := map[place]scope{}, map[string]scope{}, map[string]*lives{}, sightFor
	var missing []string
	for n, c := range a.cfg.Clusters {
		if errs[n] != nil {
			a.cfg.Logger.Warn("the API server does not answer what a person may see", "cluster", c.Name, "person", one.person.Name, "err", errs[n])
			answers[n] = one.clusters[c.Name]
			left := staleFor - began.Sub(answers[n].at)
			lasts = min(lasts, againAfter)
			if left <= 0 {
				missing = append(missing, c.Name)
				continue
			}
			lasts = min(lasts, left)
		} else if _, ok := subjects[c.Name]; ok {
			answers[n].at = began
			one.clusters[c.Name] = answers[n]
		}
		for typ, s := range answers[n].scopes {
			scopes[place{c.Name, typ}] = s
		}
		pods[c.Name], present[c.Name] = answers[n].pods, answers[n].lives
	}
	if len(missing) > 0 && len(missing) == len(subjects) {
		return nil, noAnswer(missing...)
	}
	s := newSight(scopes, pods, present, missing, a.uncovered)
	a.visitors.set(one, s, began, lasts, version)
	return s, nil
}

// uncovered reports whether the history has a cluster or a type of jobs without a scope. It is
// computed on each call, because a recorder may add one at any time.
func (a *Access) uncovered(scopes map[place]scope) bool {
	for _, c := range a.cfg.Clusters {
		for _, typ := range a.types(c.Name) {
			if _, ok := scopes[place{c.Name, typ}]; !ok {
				return true
			}
		}
	}
	if a.cfg.Recorded == nil {
		return false
	}
	return slices.ContainsFunc(a.cfg.Recorded(), func(name string) bool { return a.surveys[name] == nil })
}

// types returns the types to review in a cluster.
func (a *Access) types(cluster string) []string {
	if types := a.cfg.Types(cluster); len(types) > 0 {
		return types
	}
	return defaultTypes
}

// hasOthers reports whether there are clusters besides one.
func (a *Access) hasOthers(cluster string) bool {
	all := a.Clusters()
	if a.cfg.Recorded != nil {
		all = append(all, a.cfg.Recorded()...)
	}
	return slices.ContainsFunc(all, func(name string) bool { return name != cluster })
}

// ask reviews all types in one cluster. An operator sees all lives of its namespaces.
func (a *Access) ask(ctx context.Context, s *survey, who subject, asked []string, operator bool) (clusterAnswer, error) {
	k := clusterAnswer{scopes: map[string]scope{}}
	some := false
	for _, typ := range a.types(s.name) {
		resource, group := resourceOf(typ)
		one, err := s.scope(ctx, who, Right{Cluster: s.name, Verb: "list", Group: group, Resource: resource}, asked)
		if err != nil {
			return clusterAnswer{}, err
		}
		k.scopes[typ] = one
		some = some || one.all || len(one.namespaces) > 0
	}
	if !some { // pods are shown with their jobs only
		return k, nil
	}
	var err error
	if k.pods, err = s.scope(ctx, who, RightTo(Pods, s.name, ""), asked); err != nil || operator {
		return k, err
	}
	named := map[string]bool{}
	for _, one := range k.scopes {
		maps.Copy(named, one.namespaces)
	}
	k.lives, err = s.lives(ctx, slices.Sorted(maps.Keys(named)))
	return k, err
}

// isOperator reports whether a person belongs to a group of Config.Operators.
func (a *Access) isOperator(p identity.Person) bool {
	return slices.ContainsFunc(p.Groups, func(g string) bool { return slices.Contains(a.cfg.Operators, identity.Qualified(p.Cluster, g)) })
}

// Operates reports whether the person of a context may see the operations page and dead
// letters: they see everything, or belong to a group of Config.Operators.
//
// Errors: those of Sight.
func (a *Access) Operates(ctx context.Context) (bool, error) {
	s, err := a.Sight(ctx)
	if err != nil {
		return false, err
	}
	return s.All() || a.isOperator(identity.Of(ctx)), nil
}

// Since is Sight.Since for objects that are not jobs. It returns the time from which the person sees the
// recorded objects of a namespace, or of all namespaces, by their creation; it returns false if the person sees none.
// The caller reviews the right to list them first.
//
// Errors: *api.Problem.
func (a *Access) Since(ctx context.Context, cluster, clusterUID, namespace string) (time.Time, bool, error) {
	s, ok := a.surveys[cluster]
	if !ok {
		return time.Time{}, false, noCluster(cluster)
	}
	if operates, err := a.Operates(ctx); operates || err != nil {
		return time.Time{}, operates, err
	}
	var named []string
	if namespace != "" {
		named = []string{namespace}
	}
	bound, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	l, err := s.lives(bound, named)
	switch {
	case ctx.Err() != nil:
		return time.Time{}, false, context.Cause(ctx)
	case err != nil:
		a.cfg.Logger.Warn("the API server does not answer since when a namespace exists", "cluster", cluster, "person", identity.Of(ctx).Name, "err", err)
		return time.Time{}, false, noAnswer(cluster)
	}
	since, ok := l.since(clusterUID, namespace, namespace == "")
	return since, ok, nil
}

// Trusting returns the names of the clusters whose namespaces the portal may not read. There, a new
// namespace shows the history of an older one with its name.
func (a *Access) Trusting() (names []string) {
	for _, name := range a.Clusters() {
		if a.surveys[name].trusted.Load() {
			names = append(names, name)
		}
	}
	return names
}

// May returns nil if the person of a context has a right. Each call asks the API server.
//
// Errors: *api.Problem, with the role that would give the right if it is missing.
func (a *Access) May(ctx context.Context, r Right) error {
	if err := identity.Check(ctx); err != nil {
		return err
	}
	s, ok := a.surveys[r.Cluster]
	if !ok {
		return noCluster(r.Cluster)
	}
	person := identity.Of(ctx)
	if !person.KnownIn(r.Cluster) {
		return noIdentity(r.Cluster)
	}
	if !a.cfg.Rights {
		return nil
	}
	who, ok := subjectIn(person, r.Cluster)
	if !ok {
		return errNobody
	}
	bound, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	yes, err := allowed(bound, s.kube, who, r)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		a.cfg.Logger.Warn("the API server does not answer what a person may do", "cluster", r.Cluster, "person", person.Name, "err", err)
		return noAnswer(r.Cluster)
	case !yes:
		return lacking(person.Name, r)
	}
	return nil
}

// MayRead is May for recorded data, such as kept logs. Without Config.Rights everybody may read it,
// even if the portal is not connected to the cluster.
//
// Errors: those of May.
func (a *Access) MayRead(ctx context.Context, r Right) error {
	if err := identity.Check(ctx); err != nil {
		return err
	}
	if !a.cfg.Rights && identity.Of(ctx).KnownIn(r.Cluster) {
		return nil
	}
	return a.May(ctx, r)
}

// Cluster returns a cluster that impersonates the person of a context. The caller must not close
// it.
//
// Errors: *api.Problem: the portal is not connected to the cluster, or the cluster does not know
// the person.
func (a *Access) Cluster(ctx context.Context, name string) (*kube.Cluster, error) {
	if err := identity.Check(ctx); err != nil {
		return nil, err
	}
	s, ok := a.surveys[name]
	if !ok {
		return nil, noCluster(name)
	}
	person := identity.Of(ctx)
	if !person.KnownIn(name) {
		return nil, noIdentity(name)
	}
	if !a.cfg.Rights {
		return s.kube, nil
	}
	who, ok := subjectIn(person, name)
	if !ok {
		return nil, errNobody
	}
	key := keyOf(person)
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.clients[name][key]; c != nil {
		return c, nil
	}
	if a.count >= maxClients {
		a.clients, a.count = map[string]map[visitorKey]*kube.Cluster{}, 0
	}
	if a.clients[name] == nil {
		a.clients[name] = map[visitorKey]*kube.Cluster{}
	}
	c := s.kube.As(who.impersonation())
	a.clients[name][key] = c
	a.count++
	return c, nil
}

// Rights reports whether the API servers decide what people may see and do.
func (a *Access) Rights() bool { return a.cfg.Rights }

// Clusters returns the names of the clusters that the portal is connected to.
func (a *Access) Clusters() []string {
	return slices.Sorted(maps.Keys(a.surveys))
}
