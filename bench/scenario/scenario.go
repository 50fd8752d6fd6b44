package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/serve"
	"github.com/vedette-io/vedette/bench/workload"
)

// Size is how much is measured.
type Size uint8

const (
	// Tiny: each case once, with so few objects that its figures say nothing.
	Tiny Size = iota
	// Short: what the table of ratios needs.
	Short
	// Full: everything.
	Full
)

// Options are what all cases have in common.
type Options struct {
	Size Size
	// Pods is how many the first scenario has; zero: 50,000.
	Pods int
	// Rounds, if it is not zero, takes the place of each case's own.
	Rounds int
	Seed   uint64
	// Jobs, if it is not zero, is how many jobs the portals have, and Length how long the streams
	// last.
	Jobs   int
	Length time.Duration
}

// pick returns the value for the size.
func pick[T any](o Options, tiny, short, full T) T {
	return []T{tiny, short, full}[o.Size]
}

// Scenario is one question.
type Scenario struct {
	Name  string
	Title string
	// About says how it is measured, and what to keep in mind.
	About string
	// Figures are what its table shows.
	Figures []Figure
	Cases   func(Options) []Case
}

// Unit is what a figure is counted in.
type Unit string

// Units. Seconds and bytes are shown with a prefix.
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
	// Each: it is divided by the number of objects.
	Each bool
	// Ours: the peers have nothing of the kind.
	Ours bool
}

// Case is one measurement.
type Case struct {
	Name        string
	Serve       *serve.Spec // nil for stores, which need no server
	Task        contest.Task
	Contestants []string
	Rounds      int
	// Prepare has a process run before the first round, for contestants that start
	// from what it leaves behind.
	Prepare bool
}

// Of returns the scenarios whose names match, with those of their cases whose names
// match. It may have none.
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

// plan is a case in the making.
type plan struct {
	Case
	kinds    []string
	n        int
	encoding workload.Encoding
	mode     serve.Mode
	churn    workload.Churn
	forms    []workload.Form // what the server encodes; nil: what the contestants ask for
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

// does sets the action, and what happens on the server.
func (p *plan) does(a contest.Action, c workload.Churn) *plan {
	p.Task.Action, p.churn = a, c
	p.Task.Events = c.Events
	if c.Sort == workload.Relist {
		p.Task.Events, p.Task.Relists = 0, c.Events
	}
	return p
}

// done makes the case.
func (p *plan) done(o Options) Case {
	if o.Rounds > 0 {
		p.Rounds = o.Rounds
	}
	forms := p.forms
	for _, name := range p.Contestants {
		c, err := contest.Of(name)
		if err != nil {
			continue // Run will say so
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

// shelf makes a case that needs no server.
func (p *plan) shelf(o Options) Case {
	if o.Rounds > 0 {
		p.Rounds = o.Rounds
	}
	p.Task.Kinds, p.Task.N, p.Task.Encoding, p.Task.Mode = p.kinds, p.n, p.encoding, p.mode
	return p.Case
}

// widgets names some custom resources.
func widgets(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("widgets-%02d", i))
	}
	return names
}
