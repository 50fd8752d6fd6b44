package jobfilter

import (
	"net/url"
	"slices"
	"strings"
)

// Op is a comparison operator.
type Op string

// Operators. All except Is and Not require a number, a duration or a time.
const (
	Is      Op = ""
	Not     Op = "!"
	Greater Op = ">"
	AtLeast Op = ">="
	Less    Op = "<"
	AtMost  Op = "<="
)

// Term is one condition of a filter.
type Term struct {
	Key Key
	Op  Op
	// Values are sorted. Is requires any of them, Not requires none of them, and the other
	// operators require all of them. They have the form of URLs, without the operator.
	Values []string
}

// Filter selects jobs that match all terms and have all words in their names. The zero
// value selects all jobs.
type Filter struct {
	// Terms has each pair of key and operator at most once.
	Terms []Term
	// Words are parts of names in lower case. A word that begins with ! must not occur in a
	// name.
	Words []string
}

// Query returns parameters that Parse turns into the same filter. Equal filters have equal
// parameters.
func (f Filter) Query() url.Values {
	q := url.Values{}
	for _, t := range f.Terms {
		for _, v := range t.Values {
			q.Add(string(t.Key), string(t.Op)+v)
		}
	}
	for _, values := range q {
		slices.Sort(values)
	}
	if len(f.Words) > 0 {
		q.Set(wordsParameter, strings.Join(f.Words, " "))
	}
	return q
}

// Without returns the filter without the terms with a key.
func (f Filter) Without(key Key) Filter {
	f.Terms = slices.DeleteFunc(slices.Clone(f.Terms), func(t Term) bool { return t.Key == key })
	return f
}

// Has reports whether the filter has a term with a key.
func (f Filter) Has(key Key) bool {
	return slices.ContainsFunc(f.Terms, func(t Term) bool { return t.Key == key })
}
