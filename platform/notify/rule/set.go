package rule

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/vedette-io/vedette/job"
)

// maxIndexed is the maximum number of pairs of a type and a state in the index of a set.
// For other pairs, all rules are checked.
const maxIndexed = 4096

// Set is an index of rules by type and state. Its rules never change; any number of
// goroutines may use it.
type Set struct {
	rules   []*Rule
	entered []map[job.State]bool                 // for each rule with a condition, the states for which it may hold
	index   atomic.Pointer[map[indexKey][]*Rule] // replaced, never changed
}

// indexKey is the key of candidates.
type indexKey struct {
	of Type
	to job.State
}

// NewSet returns a set of rules, and keeps their order. The rules must not change.
func NewSet(rules []*Rule) *Set {
	s := &Set{rules: slices.Clone(rules)}
	for _, r := range rules {
		s.entered = append(s.entered, r.mayEnter())
	}
	s.index.Store(&map[indexKey][]*Rule{})
	return s
}

// Rules returns all rules. The caller must not change them.
func (s *Set) Rules() []*Rule { return s.rules }

// Match appends the matching rules to dst, in the order of the file, and returns it. It
// calls failed, which may be nil, for each condition that cannot be evaluated; that rule
// does not match.
func (s *Set) Match(dst []*Rule, in *Input, failed func(*Rule, error)) []*Rule {
	var e *evaluation
	for _, r := range s.candidates(in) {
		if !r.selects(in) {
			continue
		}
		if r.When != nil {
			if e == nil {
				e = newEvaluation(in)
			}
			holds, err := r.When.holds(e)
			if err != nil && failed != nil {
				failed(r, err)
			}
			if !holds {
				continue
			}
		}
		dst = append(dst, r)
	}
	return dst
}

// candidates returns the rules that may match objects of a type that enter a state.
func (s *Set) candidates(in *Input) []*Rule {
	key := indexKey{in.Object.Type, in.New.State}
	index := s.index.Load()
	found, ok := (*index)[key]
	if ok {
		return found
	}
	for i, r := range s.rules {
		if may, known := s.entered[i][key.to]; (may || !known) && r.mayMatch(key) {
			found = append(found, r)
		}
	}
	if len(*index) < maxIndexed {
		larger := maps.Clone(*index)
		larger[key] = found
		s.index.CompareAndSwap(index, &larger) // fails if another goroutine added a key; a later call then adds this key
	}
	return found
}

// mayEnter returns, for each state, whether the condition of a rule may hold when the
// state is entered; nil without a condition. A rule whose condition requires a state then
// costs nothing for other transitions.
func (r *Rule) mayEnter() map[job.State]bool {
	if r.When == nil {
		return nil
	}
	may := map[job.State]bool{}
	for _, to := range append([]job.State{""}, job.States()...) {
		for _, from := range append([]job.State{""}, job.States()...) {
			may[to] = may[to] || r.When.mayHold(&Input{Old: View{State: from}, New: View{State: to}})
		}
	}
	return may
}

// mayMatch reports whether a rule is a candidate.
func (r *Rule) mayMatch(key indexKey) bool {
	if len(r.Enter) > 0 && !slices.Contains(r.Enter, key.to) {
		return false
	}
	return len(r.Types) == 0 || slices.ContainsFunc(r.Types, func(p TypePattern) bool { return p.Matches(key.of) })
}
