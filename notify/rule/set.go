package rule

// Set is the rules of a file, indexed. It never changes; any number of goroutines may
// use it.
type Set struct{ rules []*Rule }

// NewSet indexes rules. Their order stays.
func NewSet(rules []*Rule) *Set { return &Set{rules: rules} }

// Rules returns all rules. The caller does not change them.
func (s *Set) Rules() []*Rule { return s.rules }

// Match appends the rules that match to dst, in the order of the file, and returns it.
// failed is called for each condition that cannot be evaluated; that rule does not match.
// It may be nil.
func (s *Set) Match(dst []*Rule, in *Input, failed func(*Rule, error)) []*Rule {
	for _, r := range s.rules {
		matches, err := r.Matches(in)
		if err != nil && failed != nil {
			failed(r, err)
		}
		if matches {
			dst = append(dst, r)
		}
	}
	return dst
}
