package manager

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/vedette-io/vedette/internal/guard"
)

// stage is a group of parts that start and stop together.
type stage struct {
	end  context.CancelFunc
	work sync.WaitGroup
}

// stages are the stages that run, in the order in which they were started.
type stages struct {
	base   context.Context // does not end with that of Run
	failed chan error      // has room for the first failure
	all    []*stage
}

// start starts a stage of parts.
func (s *stages) start(parts ...part) {
	ctx, end := context.WithCancel(s.base)
	st := &stage{end: end}
	for _, p := range parts {
		st.work.Go(func() {
			if err := guard.Call(func() error { return p.run(ctx) }); err != nil && ctx.Err() == nil {
				select {
				case s.failed <- fmt.Errorf("%s has failed: %w", p.name, err):
				default:
				}
			}
		})
	}
	s.all = append(s.all, st)
}

// stop stops all stages in the opposite order, each after the previous one has ended.
func (s *stages) stop() {
	for i := len(s.all) - 1; i >= 0; i-- {
		s.all[i].end()
		s.all[i].work.Wait()
	}
}

// serve opens the listeners of Config.Listen and Config.Debug.
//
// Errors: an address cannot be used; metrics that are already registered.
func (m *Manager) serve(s *stages) error {
	mux, err := m.probes()
	if err != nil {
		return err
	}
	addresses := map[string]*http.ServeMux{}
	if m.cfg.Listen != NoListen {
		addresses[m.cfg.Listen] = mux
	}
	if m.cfg.Debug != "" {
		if addresses[m.cfg.Debug] == nil {
			addresses[m.cfg.Debug] = http.NewServeMux()
		}
		addresses[m.cfg.Debug].Handle("GET "+debugPath, &debugHandler{m})
	}
	for _, field := range []struct{ name, address, what string }{{"Listen", m.cfg.Listen, "health and metrics are served"}, {"Debug", m.cfg.Debug, debugPath + " is served"}} {
		mux := addresses[field.address]
		if mux == nil {
			continue
		}
		delete(addresses, field.address)
		srv, err := newServer(field.address, mux)
		if err != nil {
			return fmt.Errorf("manager: Config.%s %s: %w; use a free address of the form HOST:PORT", field.name, field.address, err)
		}
		m.log().Info(field.what, "address", srv.address())
		s.start(part{"the HTTP server", srv.run})
	}
	return nil
}

// election returns the election of the leader. If functions lead, the process is not elected
// before it can call them.
func (m *Manager) election() func(context.Context) error {
	if m.leads {
		return m.gate.after(m.leadership.Run)
	}
	return m.leadership.Run
}

// Run runs all parts until ctx is done or one of them fails, and returns when all have
// ended. Then it closes the cluster. Call it once.
//
// Errors: the error of the part that failed first; an address that cannot be used;
// ErrRunning.
func (m *Manager) Run(ctx context.Context) error {
	m.mu.Lock()
	if m.running {
		m.mu.Unlock()
		return ErrRunning
	}
	m.running = true
	m.mu.Unlock()
	defer m.cluster.Close()
	s := &stages{base: context.WithoutCancel(ctx), failed: make(chan error, 1)}
	defer s.stop()
	if err := m.serve(s); err != nil {
		return err
	}
	for _, f := range m.servers {
		s.start(f)
	}
	s.start(part{"the factory of informers", m.factory.Run}, part{"the first lists of informers", m.gate.run})
	if m.leadership != nil {
		s.start(part{"the leader election", m.election()})
	}
	for _, f := range m.functions {
		s.start(f)
	}
	var controllers []part
	for _, c := range m.controllers {
		controllers = append(controllers, part{"controller " + c.Health().Name, c.Run})
	}
	s.start(controllers...)
	select {
	case <-ctx.Done():
		m.log().Info("stopping", "cause", context.Cause(ctx))
		return nil
	case err := <-s.failed:
		m.log().Error("stopping", "err", err)
		return err
	}
}
