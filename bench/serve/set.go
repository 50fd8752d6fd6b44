package serve

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/vedette-io/vedette/bench/workload"
)

// SetSpec is one resource of a server.
type SetSpec struct {
	// Kind is the name of a workload.Kind.
	Kind string
	// N is the number of objects in the first list.
	N int
	// Forms are the encodings that are prepared.
	Forms []workload.Form
	// Churn is the changes after Start.
	Churn workload.Churn
}

// set is one resource, encoded.
type set struct {
	spec    SetSpec
	kind    workload.Kind
	seed    uint64
	bodies  map[workload.Form]*bank
	changed map[workload.Form]*stamps

	mu       sync.Mutex
	started  chan struct{} // closed by Start
	position atomic.Int64  // number of steps of the churn that were sent
	lists    atomic.Int64
	watches  atomic.Int64
	relists  atomic.Int64 // number of watches that ended with 410
}

func newSet(spec SetSpec, seed uint64) (*set, error) {
	kind, err := workload.Of(spec.Kind)
	if err != nil {
		return nil, err
	}
	if err := spec.Churn.Check(spec.N); err != nil {
		return nil, err
	}
	s := &set{
		spec: spec, kind: kind, seed: seed, started: make(chan struct{}),
		bodies: map[workload.Form]*bank{}, changed: map[workload.Form]*stamps{},
	}
	for _, f := range spec.Forms {
		if s.bodies[f], err = fill(spec.N, func(i int) ([]byte, error) { return f.Body(kind, kind.New(seed, i)) }); err != nil {
			return nil, fmt.Errorf("encode %s in %s: %w", spec.Kind, f, err)
		}
		if s.changed[f], err = fillStamps(kind, f, seed, spec.Churn.Stamped(spec.N)); err != nil {
			return nil, fmt.Errorf("encode changed %s in %s: %w", spec.Kind, f, err)
		}
	}
	return s, nil
}

func (s *set) close() {
	for _, b := range s.bodies {
		b.close()
	}
	for _, b := range s.changed {
		b.close()
	}
}

// start begins the churn.
func (s *set) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.started:
	default:
		close(s.started)
	}
}

// reset resets the set to its initial state.
func (s *set) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = make(chan struct{})
	for _, n := range []*atomic.Int64{&s.position, &s.lists, &s.watches, &s.relists} {
		n.Store(0)
	}
}

func (s *set) begun() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

// version returns the version of a list now.
func (s *set) version() uint64 {
	if at := max(s.position.Load(), s.relists.Load()); at > 0 {
		return workload.ChurnVersion + uint64(at)
	}
	return 2_000_000 + uint64(s.spec.N)
}

// listed appends the i-th object of a list in its current state.
func (s *set) listed(dst []byte, f workload.Form, i int) []byte {
	if at, changed := workload.ChangedBy(int(s.relists.Load()), i); changed && s.spec.Churn.Sort == workload.Relist {
		return s.changed[f].appendBody(dst, i, workload.ChurnVersion+uint64(at), 0)
	}
	return append(dst, s.bodies[f].body(i)...)
}

// sizeOf returns the length of the bytes that listed appends.
func (s *set) sizeOf(f workload.Form, i int) int {
	if _, changed := workload.ChangedBy(int(s.relists.Load()), i); changed && s.spec.Churn.Sort == workload.Relist {
		return len(s.changed[f].body(i))
	}
	return len(s.bodies[f].body(i))
}
