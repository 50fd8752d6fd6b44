package manager

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/guard"
	"github.com/vedette-io/vedette/internal/overdue"
	"github.com/vedette-io/vedette/internal/userlog"
	"github.com/vedette-io/vedette/kube"
)

// ErrRunning is returned by the Add methods and by Run after Run was called.
var ErrRunning = errors.New("manager: Run was called already")

// Manager runs the parts of a program. Create it with New, add the parts, and call Run. Any
// goroutine may use it.
type Manager struct {
	cfg        Config
	cluster    *kube.Cluster
	factory    *informer.Factory
	leadership *controller.Leadership // nil unless one process leads

	mu          sync.Mutex
	running     bool
	servers     []part
	functions   []part
	leads       bool // a function leads
	gate        *syncGate
	controllers []*controller.Controller
	checks      []check
	metrics     []prometheus.Collector
}

// part is a function that runs until its context is done.
type part struct {
	name string
	run  func(context.Context) error
}

// check is a condition of readiness.
type check struct {
	name  string
	ready func(context.Context) error
}

// New connects to the cluster, and returns a Manager without parts. It sends nothing.
//
// Errors: an invalid configuration; those of kube.Connect.
func New(cfg Config) (*Manager, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if cfg.Kube.Logger == nil {
		cfg.Kube.Logger = cfg.Logger
	}
	cluster, err := kube.Connect(cfg.Kube)
	if err != nil {
		return nil, err
	}
	m := &Manager{cfg: cfg, cluster: cluster, factory: informer.NewFactory(cluster, cfg.Factory)}
	m.gate = newSyncGate(m.factory, m.log)
	m.cfg.Replicas.Cluster = cluster
	if cfg.Replicas.Mode == controller.LeaderElection {
		if m.leadership, err = controller.NewLeadership(m.cfg.Replicas, cfg.Logger); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Cluster returns the connection to the cluster. Run closes it.
func (m *Manager) Cluster() *kube.Cluster { return m.cluster }

// Factory returns the factory of the informers that Run runs.
func (m *Manager) Factory() *informer.Factory { return m.factory }

// AddController adds a controller. Its default name is that of the program, or that name
// and a number if there are several. The manager sets Config.Replicas, Leadership and
// Logger. Informers that the factory does not run belong into Config.Runners.
//
// Errors: an invalid configuration; a name that is taken; ErrRunning.
func (m *Manager) AddController(cfg controller.Config, sources ...controller.Source) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running {
		return ErrRunning
	}
	if cfg.Name == "" {
		if cfg.Name = m.cfg.Name; len(m.controllers) > 0 {
			cfg.Name = fmt.Sprintf("%s-%d", m.cfg.Name, len(m.controllers)+1)
		}
	}
	for _, c := range m.controllers {
		if c.Health().Name == cfg.Name {
			return fmt.Errorf("manager: there is a controller %q already; choose another Config.Name", cfg.Name)
		}
	}
	if cfg.Logger == nil {
		cfg.Logger = m.cfg.Logger
	}
	if cfg.Leadership = m.leadership; m.leadership == nil {
		cfg.Replicas = m.cfg.Replicas
		cfg.Replicas.Name = cfg.Name
	}
	c, err := controller.New(cfg, sources...)
	if err != nil {
		return err
	}
	m.controllers = append(m.controllers, c)
	return nil
}

// AddServer adds a server of webhooks, or another function that must not wait for the
// informers: the API server may need its answers before it can list anything. It runs in
// every process, from before the informers start until after they have ended. It must return
// soon after its context is done. Reads of informers that are not synced return
// informer.ErrNotSynced. The log names a function that does not return 8 seconds after the end
// of its context.
//
// Errors: ErrRunning.
func (m *Manager) AddServer(name string, run func(context.Context) error) error {
	return m.add(&m.servers, part{name, overdue.Reporting(m.log, name, run)})
}

// AddFunc adds a function that runs in every process, such as Run of a recorder. It is called
// when the informers of the factory are synced. It has done its work when it returns nil. It
// must return soon after its context is done.
//
// Errors: ErrRunning.
func (m *Manager) AddFunc(name string, run func(context.Context) error) error {
	return m.addFunc(name, overdue.Reporting(m.log, name, run))
}

func (m *Manager) addFunc(name string, run func(context.Context) error) error {
	return m.add(&m.functions, part{name, m.gate.after(run)})
}

// AddLeading adds a function that runs in the process that leads. It is called again in
// each term; its context ends when the process no longer leads. Without LeaderElection it
// runs in every process, once. The process asks for the Lease, and calls the function, when
// the informers of the factory are synced.
//
// Errors: ErrRunning.
func (m *Manager) AddLeading(name string, run func(context.Context) error) error {
	if m.leadership == nil {
		return m.AddFunc(name, run)
	}
	lead := func(ctx context.Context) error { return m.leadership.While(ctx, overdue.Reporting(m.log, name, run)) }
	if err := m.addFunc(name, lead); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leads = true
	return nil
}

func (m *Manager) add(to *[]part, p part) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running {
		return ErrRunning
	}
	*to = append(*to, p)
	return nil
}

// AddCheck adds a condition to /readyz. ready returns an error while the process is not
// ready; it must respect its context.
//
// Errors: ErrRunning.
func (m *Manager) AddCheck(name string, ready func(context.Context) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running {
		return ErrRunning
	}
	m.checks = append(m.checks, check{name, ready})
	return nil
}

// AddMetrics adds metrics to /metrics, beside those of the informers, the controllers and
// the process.
//
// Errors: ErrRunning.
func (m *Manager) AddMetrics(more ...prometheus.Collector) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.running {
		return ErrRunning
	}
	for _, c := range more {
		m.metrics = append(m.metrics, guardedCollector{c, m.log, new(atomic.Bool)})
	}
	return nil
}

// Ready returns nil if the informers, the controllers and all checks are ready. Otherwise it
// returns an error with all reasons.
func (m *Manager) Ready(ctx context.Context) error {
	errs := []error{m.factory.Ready()}
	for _, h := range m.health() {
		errs = append(errs, h.Ready())
	}
	for _, c := range m.checks {
		if err := guard.Call(func() error { return c.ready(ctx) }); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.name, err))
		}
	}
	return errors.Join(errs...)
}

// health returns the health of all controllers.
func (m *Manager) health() (all []controller.Health) {
	for _, c := range m.controllers {
		all = append(all, c.Health())
	}
	return all
}

// log returns the logger. Each call reads the current default logger.
func (m *Manager) log() *slog.Logger {
	return userlog.Of(m.cfg.Logger)
}
