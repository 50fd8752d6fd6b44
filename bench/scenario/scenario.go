package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/serve"
	"github.com/vedette-io/vedette/bench/workload"
)

// Size is the extent of the measurements.
type Size uint8

const (
	// Tiny runs each case once, with so few objects that its figures mean nothing.
	Tiny Size = iota
	// Short runs the cases of the table of ratios.
	Short
	// Full runs everything.
	Full
)

// Options apply to all cases.
type Options struct {
	Size Size
	// Pods is the number of pods of the first scenario; zero means 50,000.
	Pods int
	// Rounds, if not zero, replaces the number of rounds of each case.
	Rounds int
	Seed   uint64
	// Jobs, if not zero, is the number of jobs of the portals, and Length the duration of the
	// streams.
	Jobs   int
	Length time.Duration
}

// pick returns the value for the size.
func pick[T any](o Options, tiny, short, full T) T {
	return []T{tiny, short, full}[o.Size]
}

// Scenario is a group of related cases.
type Scenario struct {
	Name  string
	Title string
	// About describes the measurement and its caveats.
	About string
	// Figures are the columns of its table.
	Figures []Figure
	Cases   func(Options) []Case
}

// Unit is the unit of a figure.
type Unit string

// Units. Seconds and bytes get a prefix.
const (
	Seconds Unit = "s"
	Bytes   Unit = "B"
	Number  Unit = ""
	Share   Unit = "%"
)

// Figure is a column.
type Figure struct {
	Title string
	Name  string
	Unit  Unit
	// Each divides the figure by the number of objects.
	Each bool
	// Ours marks a figure that the peers do not have.
	Ours bool
}

// Case is one measurement.
type Case struct {
	Name        string
	Serve       *serve.Spec // nil for stores, which need no server
	Task        contest.Task
	Contestants []string
	Rounds      int
	// Prepare runs a process before the first round, whose files the contestants start
	// with.
	Prepare bool
}

// Of returns the scenarios with matching names, and their cases with matching names. The
// result may be empty.
func Of(scenarios, cases func(string) bool) []Scenario {
	var chosen []Scenario
	for _, s := range All {
		if !scenarios(s.Name) {
			continue
		}
		all := s.Cases
		s.Cases = func(o Options) []Case {
			return slices.DeleteFunc(all(o), func(c Case) bool { return !cases(c.Name) })
		}
		chosen = append(chosen, s)
	}
	return chosen
}

// plan builds a case.
type plan struct {
	Case
	kinds    []string
	n        int
	encoding workload.Encoding
	mode     serve.Mode
	churn    workload.Churn
	forms    []workload.Form // the encodings of the server; nil: the encodings that the contestants request
}

func (o Options) plan(name, kind string, n int, encoding workload.Encoding, contestants ...string) *plan {
	p := &plan{kinds: []string{kind}, n: n, encoding: encoding, mode: serve.Streaming}
	p.Name, p.Contestants = name, contestants
	p.Rounds = pick(o, 1, 3, 3)
	p.Task.Action, p.Task.Timeout = contest.Sync, 10*time.Minute
	return p
}

func (p *plan) rounds(n int) *plan {
	p.Rounds = n
	return p
}

// does sets the action, and the changes on the server.
func (p *plan) does(a contest.Action, c workload.Churn) *plan {
	p.Task.Action, p.churn = a, c
	p.Task.Events = c.Events
	if c.Sort == workload.Relist {
		p.Task.Events, p.Task.Relists = 0, c.Events
	}
	return p
}

// done returns the case.
func (p *plan) done(o Options) Case {
	if o.Rounds > 0 {
		p.Rounds = o.Rounds
	}
	forms := p.forms
	for _, name := range p.Contestants {
		c, err := contest.Of(name)
		if err != nil {
			continue // Run reports it
		}
		if f := c.Form(p.encoding); !slices.Contains(forms, f) {
			forms = append(forms, f)
		}
	}
	p.Serve = &serve.Spec{Mode: p.mode, Seed: o.Seed}
	for _, k := range p.kinds {
		p.Serve.Sets = append(p.Serve.Sets, serve.SetSpec{Kind: k, N: p.n, Forms: forms, Churn: p.churn})
	}
	return p.shelf(o)
}

// shelf returns a case without a server.
func (p *plan) shelf(o Options) Case {
	if o.Rounds > 0 {
		p.Rounds = o.Rounds
	}
	p.Task.Kinds, p.Task.N, p.Task.Encoding, p.Task.Mode = p.kinds, p.n, p.encoding, p.mode
	return p.Case
}

// widgets returns the names of some custom resources.
func widgets(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("widgets-%02d", i))
	}
	return names
}
