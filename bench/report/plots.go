package report

import (
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/bench/scenario"
)

// picture is an SVG image below the heading of a scenario.
type picture struct {
	name, scenario, title string
	svg                   []byte
}

// pictures draws all images for which the run has figures.
func (r *Run) pictures() []picture {
	var all []picture
	if p := r.memory(); len(p.Series) > 0 {
		all = append(all, picture{"memory", "scale", p.Title, p.SVG()})
	}
	if b := r.eventCosts(); len(b.Groups) > 0 {
		all = append(all, picture{"events", "events", b.Title, b.SVG()})
	}
	if p := r.latencies(); len(p.Series) > 0 {
		all = append(all, picture{"latency", "latency", p.Title, p.SVG()})
	}
	return all
}

// contestantsOf returns the contestants of a scenario, in the order of contest.All, so
// that each has one color in all images.
func (r *Run) contestantsOf(scenario string) []string {
	var names []string
	for _, c := range contest.All {
		if slices.ContainsFunc(r.spots(scenario), func(s spot) bool { return s.contestant == c.Name }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// memory plots peak RSS against the number of objects.
func (r *Run) memory() Plot {
	p := Plot{
		Title: "Peak RSS of a first sync of pods",
		X:     Axis{Title: "number of pods", Log: true, Label: func(v float64) string { return digits(v) }},
		Y:     Axis{Title: "peak RSS, B", Log: true, Label: func(v float64) string { return label(v, scenario.Bytes) }},
	}
	for _, name := range r.contestantsOf("scale") {
		s := Series{Name: name}
		for _, at := range r.spots("scale") {
			v, ok := r.at(at, peak)
			if at.contestant == name && ok {
				s.Points = append(s.Points, Point{float64(r.objects(at)), v.median})
			}
		}
		if len(s.Points) > 0 {
			slices.SortFunc(s.Points, func(a, b Point) int { return int(a.X - b.X) })
			p.Series = append(p.Series, s)
		}
	}
	return p
}

func (r *Run) objects(at spot) int {
	for i := range r.Records {
		if rec := &r.Records[i]; rec.Scenario == at.scenario && rec.Case == at.name {
			return rec.N
		}
	}
	return 0
}

// eventCosts plots CPU per event, by case.
func (r *Run) eventCosts() Bars {
	b := Bars{
		Title: "CPU per event applied", Unit: "CPU per event; of relists, per object of a list",
		Label: func(v float64) string { return label(v, scenario.Seconds) },
	}
	for _, at := range r.spots("events") {
		v, ok := r.at(at, perEvent)
		if !ok {
			continue
		}
		i := slices.IndexFunc(b.Groups, func(g Group) bool { return g.Name == at.name })
		if i < 0 {
			i = len(b.Groups)
			b.Groups = append(b.Groups, Group{Name: at.name})
		}
		b.Groups[i].Bars = append(b.Groups[i].Bars, Bar{at.contestant, libraryColor(at.contestant), v.median})
	}
	return b
}

// libraryColor returns the color of a library, the same for all its contestants.
func libraryColor(contestant string) int {
	var libraries []string
	for _, c := range contest.All {
		if !slices.Contains(libraries, c.Library) {
			libraries = append(libraries, c.Library)
		}
		if c.Name == contestant {
			return slices.Index(libraries, c.Library)
		}
	}
	return len(libraries)
}

// latencies plots the distribution of the latency from frame to handler, at a steady
// rate.
func (r *Run) latencies() Plot {
	p := Plot{
		Title: "From frame to handler, " + scenario.PacedCase,
		// The axis stretches the slow end: 90 %, 99 %, 99.9 % have equal distances.
		X: Axis{
			Title: "fraction of events that are faster", Log: true, Ticks: []float64{1, 2, 10, 100, 1000},
			Label: func(v float64) string { return fmt.Sprintf("%.4g %%", 100*(1-1/v)) },
		},
		Y: Axis{Title: "time, s", Log: true, Label: func(v float64) string { return label(v, scenario.Seconds) }},
	}
	for _, name := range r.contestantsOf("latency") {
		curve := r.curve(spot{"latency", scenario.PacedCase, name})
		s := Series{Name: name}
		for i, v := range curve {
			if share := measure.Shares[i]; share < 1 && v > 0 {
				s.Points = append(s.Points, Point{1 / (1 - share), v})
			}
		}
		if len(s.Points) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	return p
}

// label formats a value for an axis or a bar.
func label(v float64, u scenario.Unit) string {
	for _, s := range scales[u] {
		if v >= s.from*.999 {
			return fmt.Sprintf("%.3g %s", v*s.factor, s.name)
		}
	}
	return fmt.Sprint(v)
}
