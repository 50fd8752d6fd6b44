package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/bench/scenario"
)

// Run is one run of the bench: its measurements, machine and versions.
type Run struct {
	Command  string
	Date     time.Time
	Machine  string
	Versions []string
	Seconds  float64
	Records  []scenario.Record
}

// NewRun returns an empty run.
func NewRun(args []string) *Run {
	return &Run{Command: strings.Join(append([]string{"GOWORK=off go run -C bench ."}, args...), " "), Date: time.Now().UTC(), Machine: machine(), Versions: versions()}
}

// machine describes the hardware in a few words.
func machine() string {
	model := runtime.GOARCH
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	memory := ""
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kb float64
		if _, err := fmt.Sscanf(string(text), "MemTotal: %f kB", &kb); err == nil {
			memory = fmt.Sprintf(", %.0f GiB", kb/(1<<20))
		}
	}
	return fmt.Sprintf("%s, %d processors%s, %s", model, runtime.NumCPU(), memory, runtime.GOOS)
}

// versions returns the versions of Go and of the contestants.
func versions() []string {
	all := []string{runtime.Version()}
	// go run omits the revision from the build information.
	if revision, err := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=10").Output(); err == nil {
		all = append(all, "vedette "+strings.TrimSpace(string(revision)))
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return all
	}
	for _, m := range info.Deps {
		if slices.Contains([]string{"k8s.io/client-go", "sigs.k8s.io/controller-runtime", "github.com/cilium/statedb"}, m.Path) {
			all = append(all, m.Path[strings.LastIndex(m.Path, "/")+1:]+" "+m.Version)
		}
	}
	return all
}

// Write saves the run in a file.
func (r *Run) Write(path string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// Read reads a run from a file.
func Read(path string) (*Run, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(Run)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Join joins pieces of a run: measurements of a later piece replace those of an earlier
// one. A piece with whole scenarios may have another version of ours, which the head
// names.
//
// Errors: pieces of several machines, of other versions, or of several versions of ours
// within a scenario.
func Join(pieces []*Run) (*Run, error) {
	all := *pieces[0]
	ours, others := split(all.Versions)
	for _, r := range pieces[1:] {
		its, rest := split(r.Versions)
		if r.Machine != all.Machine || !slices.Equal(rest, others) {
			return nil, fmt.Errorf("pieces of %s with %v and of %s with %v cannot be joined", all.Machine, all.Versions, r.Machine, r.Versions)
		}
		type place struct{ scenario, name string }
		anew, named := map[place]bool{}, map[string]bool{}
		for i := range r.Records {
			anew[place{r.Records[i].Scenario, r.Records[i].Case}], named[r.Records[i].Scenario] = true, true
		}
		kept := slices.DeleteFunc(slices.Clone(all.Records), func(rec scenario.Record) bool { return anew[place{rec.Scenario, rec.Case}] })
		if its != ours {
			for i := range kept {
				if named[kept[i].Scenario] {
					return nil, fmt.Errorf("%s is of %s in one piece and of %s in another", kept[i].Scenario, ours, its)
				}
			}
			all.Versions = append(slices.Clone(all.Versions), its+" ("+strings.Join(slices.Sorted(maps.Keys(named)), ", ")+")")
		}
		all.Records = append(kept, r.Records...)
		all.Seconds += r.Seconds
		all.Command += "; " + r.Command
		all.Date = r.Date
	}
	return &all, nil
}

// split separates our version from those of others.
func split(versions []string) (ours string, others []string) {
	for _, v := range versions {
		if strings.HasPrefix(v, "vedette ") {
			ours = v
		} else {
			others = append(others, v)
		}
	}
	return ours, others
}

// head returns the lines above all tables.
func (r *Run) head() []string {
	return []string{
		"machine:  " + r.Machine,
		"versions: " + strings.Join(r.Versions, ", "),
		"date:     " + r.Date.Format("2006-01-02 15:04 MST"),
		fmt.Sprintf("command:  %s (%.0f s)", r.Command, r.Seconds),
	}
}

// spot identifies a repeated measurement.
type spot struct{ scenario, name, contestant string }

// value is a figure with its spread, over all rounds.
type value struct {
	median, least, most float64
	rounds              int
}

// at returns a figure; false if no round has it.
func (r *Run) at(s spot, f scenario.Figure) (value, bool) {
	var all []float64
	for i := range r.Records {
		rec := &r.Records[i]
		if rec.Scenario != s.scenario || rec.Case != s.name || rec.Contestant != s.contestant {
			continue
		}
		if v, ok := rec.Figures[f.Name]; ok && rec.Failed == "" {
			if f.Each {
				v /= float64(max(rec.N, 1))
			}
			all = append(all, v)
		}
	}
	v := value{rounds: len(all)}
	v.median, v.least, v.most = measure.Median(all)
	return v, len(all) > 0
}

// curve returns the distribution of the median round.
func (r *Run) curve(s spot) measure.Curve {
	var all []measure.Curve
	for i := range r.Records {
		rec := &r.Records[i]
		if rec.Scenario == s.scenario && rec.Case == s.name && rec.Contestant == s.contestant && len(rec.Curve) > 0 {
			all = append(all, rec.Curve)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[len(all)/2]
}

// spots returns the measurements of a scenario, in order.
func (r *Run) spots(scenario string) []spot {
	var all []spot
	for i := range r.Records {
		rec := &r.Records[i]
		s := spot{rec.Scenario, rec.Case, rec.Contestant}
		if rec.Scenario == scenario && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// failure returns why a contestant has no figures.
func (r *Run) failure(s spot) string {
	for i := range r.Records {
		if rec := &r.Records[i]; rec.Scenario == s.scenario && rec.Case == s.name && rec.Contestant == s.contestant && rec.Failed != "" {
			return rec.Failed
		}
	}
	return ""
}
