package informer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
)

// FactoryConfig is the configuration of a Factory. Its fields are defaults for the Config of
// each informer. The zero value works.
type FactoryConfig struct {
	// Namespaces, Missing, Resync, Backlog, Logger, Reflector and Queue are defaults for the
	// fields of Config with the same names. For Reflector and Queue the defaults apply
	// to each of their fields that is zero in Config.
	Namespaces []string
	Missing    MissingPolicy
	Resync     time.Duration
	Backlog    int
	Logger     *slog.Logger
	Reflector  reflector.Config
	Queue      delta.Limits
}

// Factory creates informers of one cluster that share their resources: all informers
// for the same objects in the same form have one list, one watch and one store.
// Informers share if they have the same type, selectors, view and kept fields, the same
// Storage, Backlog, Panics, Missing, WarmStart, Reflector and Queue, and follow the same namespaces at
// that time. Each informer has its own Resync, Logger and HotObjects. An informer with
// a Transform is never shared, and two different types T with the storage Live do not
// share. A view shows all informers of a factory at one instant. Any goroutine may use
// a Factory.
type Factory struct {
	cluster *kube.Cluster
	cfg     FactoryConfig
	group   store.Group
	tasks   taskGroup

	mu      sync.Mutex
	shared  []*shared // in order of creation
	running bool
	ended   bool
	cancel  func() // ends Run; set by Run
	failure error  // the error of fail
}

// shared is one engine of a factory, with the number of its users.
type shared struct {
	factory  *Factory
	key      string
	engine   *engine
	refs     int
	ctx      context.Context // ends the engine
	cancel   context.CancelFunc
	done     chan struct{}
	launched bool
}

// NewFactory returns a factory of informers of a cluster.
func NewFactory(cluster *kube.Cluster, cfg FactoryConfig) *Factory {
	return &Factory{cluster: cluster, cfg: cfg}
}

// For returns an informer of the objects of type T. The factory runs it, at once if the
// factory is running. Release gives the informer back; it ends when all its users have
// released it.
//
// Errors: an invalid configuration; ErrStopped.
func For[T any](f *Factory, cfg Config) (*Informer[T], error) {
	fill(&cfg, f.cfg)
	sel, err := selectionOf[T](&cfg)
	if err != nil {
		return nil, err
	}
	if err := checked[T](&cfg, &sel); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return nil, ErrStopped
	}
	key := shareKey[T](&cfg, &sel)
	for _, s := range f.shared {
		if s.shares(key, &cfg) {
			s.refs++
			i := &Informer[T]{engine: s.engine, shared: s, resync: cfg.Resync, logger: cfg.logger}
			i.decoder = decoder[T]{cache: newObjectCache[T](cfg.HotObjects), count: &s.engine.decodes}
			return i, nil
		}
		if path := cfg.WarmStart.Path; path != "" && path == s.engine.cfg.WarmStart.Path {
			return nil, fmt.Errorf("informer: the snapshot file %s belongs to another informer of the factory; choose another WarmStart.Path", path)
		}
	}
	i, err := follow[T](f.cluster, cfg, sel, &f.group)
	if err != nil {
		return nil, err
	}
	s := &shared{factory: f, key: key, engine: i.engine, refs: 1, done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	i.shared = s
	i.engine.idle.remedy = runFactory
	f.shared = append(f.shared, s)
	if f.running {
		f.launchLocked(s)
	}
	return i, nil
}

// fill sets the unset fields of a configuration to the defaults of a factory.
func fill(cfg *Config, with FactoryConfig) {
	from, to := reflect.ValueOf(with), reflect.ValueOf(cfg).Elem()
	for i := range from.NumField() {
		fillValue(to.FieldByName(from.Type().Field(i).Name), from.Field(i))
	}
}

func fillValue(to, from reflect.Value) {
	if to.Kind() != reflect.Struct {
		if to.IsZero() || to.Kind() == reflect.Slice && to.Len() == 0 {
			to.Set(from)
		}
		return
	}
	for i := range to.NumField() {
		fillValue(to.Field(i), from.Field(i))
	}
}

// shareKey is equal for informers that may share an engine, provided that they follow
// the same namespaces: their records are equal, and so is how they are fetched and
// kept.
func shareKey[T any](cfg *Config, sel *selection) string {
	own := ""
	if cfg.Storage == Live {
		t := reflect.TypeFor[T]()
		own = t.PkgPath() + "." + t.Name()
	}
	return fmt.Sprintf("%q %v %q %v %v %+v %+v %+v", cfg.storeIdentity(sel), cfg.Storage, own, [2]any{cfg.Panics, cfg.Missing}, cfg.Backlog, cfg.WarmStart, cfg.Reflector, cfg.Queue)
}

// shares reports whether an informer with the given configuration can use the engine.
// Functions cannot be compared, so an engine with a Transform is never shared. The
// namespaces are compared with those that the engine follows now.
func (s *shared) shares(key string, cfg *Config) bool {
	return s.key == key && cfg.Transform == nil &&
		slices.Equal(slices.Sorted(slices.Values(s.engine.namespaces())), slices.Sorted(slices.Values(cfg.Namespaces)))
}

// launchLocked runs a shared engine until it is released or the factory ends.
func (f *Factory) launchLocked(s *shared) {
	s.launched = f.tasks.start(func(ctx context.Context) {
		defer close(s.done)
		defer s.engine.store.Leave()
		if !s.engine.begin() {
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.ctx, cancel)()
		if err := s.engine.run(ctx); err != nil {
			f.fail(err)
		}
	})
}

// Release gives an informer back to its factory. The informer ends when all its users have
// released it: its last objects can still be read, and its handlers are not called again.
// Release does not wait; Released reports the end. Release may be called more than once.
// It has no effect on an informer that belongs to no factory.
func (i *Informer[T]) Release() {
	if i.shared != nil {
		i.released.Do(i.shared.release)
	}
}

// Released returns a channel that is closed when the informer has ended after the last
// Release; nil if the informer belongs to no factory.
func (i *Informer[T]) Released() <-chan struct{} {
	if i.shared == nil {
		return nil
	}
	return i.shared.ended()
}

func (s *shared) release() {
	f := s.factory
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.refs--; s.refs > 0 {
		return
	}
	f.shared = slices.DeleteFunc(f.shared, func(other *shared) bool { return other == s })
	s.cancel()
	if !s.launched {
		s.engine.abort()
		s.engine.store.Leave()
		close(s.done)
	}
}

func (s *shared) ended() <-chan struct{} { return s.done }

func (s *shared) users() int {
	s.factory.mu.Lock()
	defer s.factory.mu.Unlock()
	return s.refs
}

// Run runs all informers of the factory until ctx is done, and returns nil then. It may
// be called once, and has joined everything when it returns. If the Run of an informer
// fails, all informers end.
//
// Errors: ErrRunTwice; the first error of an informer, see Informer.Run.
func (f *Factory) Run(ctx context.Context) error {
	f.mu.Lock()
	if f.running || f.ended {
		f.mu.Unlock()
		return ErrRunTwice
	}
	f.running = true
	ctx, f.cancel = context.WithCancel(ctx)
	defer f.cancel()
	f.tasks.open(ctx)
	for _, s := range f.shared {
		f.launchLocked(s)
	}
	f.mu.Unlock()
	<-ctx.Done()
	f.mu.Lock()
	f.running, f.ended = false, true
	f.mu.Unlock()
	f.tasks.join()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failure
}

// fail ends Run with an error. Only the first error counts.
func (f *Factory) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failure == nil {
		f.failure = err
	}
	f.cancel()
}

// WaitForSync waits until all current informers of the factory are synced. It does not wait
// for an informer that all its users have released.
//
// Errors: the cause of ctx, with the informers that are not synced, and why; ErrStopped if
// Run has ended before.
func (f *Factory) WaitForSync(ctx context.Context) error {
	f.mu.Lock()
	all := slices.Clone(f.shared)
	f.mu.Unlock()
	var not []error
	for _, s := range all {
		s.engine.expectRun()
		select {
		case <-s.engine.store.Synced():
		case <-s.engine.stopped.Done(): // by a release or the end of Run
			if s.ctx.Err() == nil {
				not = append(not, fmt.Errorf("%s: %w", s.engine.cfg.Resource, ErrStopped))
			}
		case <-ctx.Done():
			h, _ := s.engine.health()
			not = append(not, fmt.Errorf("%s: %w", s.engine.cfg.Resource, h.Ready()))
		}
	}
	if len(not) > 0 {
		return errors.Join(append(not, context.Cause(ctx))...) // Join ignores nil
	}
	return nil
}

// View returns the current objects of all informers of the factory.
func (f *Factory) View() View { return f.group.View() }

// Info describes an informer, for metrics and status pages.
type Info struct {
	// Resource, Namespaces, LabelSelector and FieldSelector select the followed objects.
	Resource                     string
	Namespaces                   []string
	LabelSelector, FieldSelector string
	// Users is the number of callers that share the informer.
	Users  int
	Health Health
	Stats  Stats
}

// Info describes the informer.
func (i *Informer[T]) Info() Info {
	r := i.engine.info()
	r.Users = 1
	if i.shared != nil {
		r.Users = i.shared.users()
	}
	return r
}

func (e *engine) info() Info {
	h, _ := e.health()
	return Info{Resource: e.cfg.Resource, Namespaces: e.namespaces(), LabelSelector: e.cfg.LabelSelector, FieldSelector: e.cfg.FieldSelector, Health: h, Stats: e.stats()}
}

// List returns the informers of the factory, ordered by resource.
func (f *Factory) List() []Info {
	f.mu.Lock()
	all := slices.Clone(f.shared)
	users := map[*shared]int{}
	for _, s := range all {
		users[s] = s.refs
	}
	f.mu.Unlock()
	slices.SortStableFunc(all, func(a, b *shared) int { return strings.Compare(a.engine.cfg.Resource, b.engine.cfg.Resource) })
	var out []Info
	for _, s := range all {
		r := s.engine.info()
		r.Users = users[s]
		out = append(out, r)
	}
	return out
}

// Ready returns nil if all informers are ready; see Health.Ready.
func (f *Factory) Ready() error {
	var not []error
	for _, r := range f.List() {
		if err := r.Health.Ready(); err != nil {
			not = append(not, fmt.Errorf("%s: %w", r.Resource, err))
		}
	}
	return errors.Join(not...)
}
