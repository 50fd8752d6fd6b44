package controller

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/guard"
	"github.com/vedette-io/vedette/internal/userlog"
)

// Leadership lets several controllers and functions of a process lead together, with one
// Lease. The process asks for the Lease when the informers of all its controllers are
// synced. Create it with NewLeadership, set Config.Leadership of the controllers, and call
// Run. Any goroutine may use it.
type Leadership struct {
	cfg    Replicas
	logger *slog.Logger
	vote   election
	joined chan struct{} // has an element after a member has become ready or has left

	mu      sync.Mutex
	members map[member]bool // whether they are ready to lead
	term    *term           // nil while this process does not lead
}

// member is one of those that lead together.
type member interface {
	catchUp(ctx context.Context, before []lease)
	lead(ctx context.Context, token uint64, until time.Time)
	prolong(until time.Time) bool
	resign()
	wrote() string
}

// term is the time for which this process leads.
type term struct {
	ctx   context.Context
	token uint64
	until time.Time
}

// NewLeadership returns a Leadership. Replicas.Name is required; the mode is always
// LeaderElection. A nil logger means slog.Default() at the time of a line.
//
// Errors: an invalid configuration.
func NewLeadership(r Replicas, logger *slog.Logger) (*Leadership, error) {
	r.Mode = LeaderElection
	if r.Name == "" {
		return nil, errors.New("controller: Replicas.Name is not set; all replicas of a program need the same name of the Lease")
	}
	r = r.withDefaults(r.Name)
	if err := r.check(); err != nil {
		return nil, err
	}
	leases, err := newLeases(r)
	if err != nil {
		return nil, err
	}
	return &Leadership{cfg: r, logger: logger, vote: election{cfg: r, leases: leases}, joined: make(chan struct{}, 1), members: map[member]bool{}}, nil
}

// Run leads whenever this process holds the Lease, until ctx is done. Then it ends the term
// of all members and releases the Lease. To end the reconciles within their grace period,
// stop the controllers first. Call Run once.
func (l *Leadership) Run(ctx context.Context) error {
	for !l.ready() {
		select {
		case <-l.joined:
		case <-ctx.Done():
			return nil
		}
	}
	return l.vote.stand(ctx, l)
}

// Health returns the status of this process among the replicas.
func (l *Leadership) Health() ReplicaHealth { return l.vote.health() }

// While calls f whenever this process begins to lead. The context of f ends when the
// process no longer leads. While returns the first error of f, or nil when ctx is done and
// f has returned. If f returns nil while the process leads, the next call is in its next
// term.
func (l *Leadership) While(ctx context.Context, f func(context.Context) error) error {
	m := &ledFunc{f: f, failed: make(chan error, 1)}
	l.expect(m)
	l.join(m)
	defer l.leave(m)
	select {
	case err := <-m.failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

// ready reports whether all members are ready to lead.
func (l *Leadership) ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ready := range l.members {
		if !ready {
			return false
		}
	}
	return true
}

// expect adds a member that is not ready yet.
func (l *Leadership) expect(m member) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.members[m] = false
}

// join makes a member ready to lead. If this process leads, the member leads too.
func (l *Leadership) join(m member) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.members[m] = true
	l.nudge()
	if t := l.term; t != nil {
		m.lead(t.ctx, t.token, t.until)
	}
}

// leave ends the term of a member and removes it.
func (l *Leadership) leave(m member) {
	l.mu.Lock()
	delete(l.members, m)
	l.mu.Unlock()
	l.nudge()
	m.resign()
}

// nudge makes Run look again whether all members are ready.
func (l *Leadership) nudge() {
	select {
	case l.joined <- struct{}{}:
	default:
	}
}

// active returns the members that are ready to lead.
func (l *Leadership) active() []member {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.activeLocked()
}

func (l *Leadership) activeLocked() (all []member) {
	for m, ready := range l.members {
		if ready {
			all = append(all, m)
		}
	}
	return all
}

// log implements candidate.
func (l *Leadership) log() *slog.Logger {
	return userlog.Of(l.logger)
}

// catchUp implements candidate.
func (l *Leadership) catchUp(ctx context.Context, before []lease) {
	forEach(l.active(), func(m member) { m.catchUp(ctx, before) })
}

// lead implements candidate.
func (l *Leadership) lead(ctx context.Context, token uint64, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.term = &term{ctx, token, until}
	for _, m := range l.activeLocked() {
		m.lead(ctx, token, until)
	}
}

// prolong implements candidate.
func (l *Leadership) prolong(until time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.term.until = until
	for _, m := range l.activeLocked() {
		if !m.prolong(until) {
			return false
		}
	}
	return true
}

// resign implements candidate.
func (l *Leadership) resign() {
	l.mu.Lock()
	l.term = nil
	all := slices.Collect(maps.Keys(l.members))
	l.mu.Unlock()
	forEach(all, member.resign)
}

// wrote implements candidate. The versions of a type are ordered, so the next holder waits
// for the highest of those that members name.
func (l *Leadership) wrote() string {
	var parts []string
	for _, m := range l.active() {
		if text := m.wrote(); text != "" {
			parts = append(parts, text)
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// forEach calls f for all members at once, and waits for all calls.
func forEach(all []member, f func(member)) {
	var calls sync.WaitGroup
	for _, m := range all {
		calls.Go(func() { f(m) })
	}
	calls.Wait()
}

// ledFunc is a function that runs while the process leads.
type ledFunc struct {
	f      func(context.Context) error
	failed chan error

	mu     sync.Mutex
	until  time.Time
	end    *time.Timer // ends the term at until; nil outside a term
	cancel context.CancelFunc
	call   sync.WaitGroup
}

func (m *ledFunc) lead(ctx context.Context, _ uint64, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ctx, m.cancel = context.WithCancel(ctx)
	m.until, m.end = until, time.AfterFunc(time.Until(until), m.cancel)
	m.call.Go(func() {
		err := guard.Call(func() error { return m.f(ctx) })
		if err == nil || ctx.Err() != nil {
			return
		}
		select {
		case m.failed <- err:
		default:
		}
	})
}

func (m *ledFunc) prolong(until time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if passed(m.until) {
		return false
	}
	m.until = until
	m.end.Reset(time.Until(until))
	return true
}

func (m *ledFunc) resign() {
	m.mu.Lock()
	if m.end != nil {
		m.end.Stop()
		m.cancel()
		m.end = nil
	}
	m.mu.Unlock()
	m.call.Wait()
}

func (*ledFunc) catchUp(context.Context, []lease) {}
func (*ledFunc) wrote() string                    { return "" }
