package rule

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/glob"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
)

func selector(t testing.TB, text string) labels.Selector {
	s, err := labels.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMatches(t *testing.T) {
	jobs, err := ParseTypePattern("jobs.batch")
	if err != nil {
		t.Fatal(err)
	}
	pods, err := ParseTypePattern("pods")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		rule   Rule
		change func(*Input)
		want   bool
	}{
		{"a state that is entered", Rule{Enter: []job.State{"Failed"}}, nil, true},
		{"another state", Rule{Enter: []job.State{"Succeeded", "Aborted"}}, nil, false},
		{"a state that is left", Rule{Leave: []job.State{"Running"}}, nil, true},
		{"both", Rule{Enter: []job.State{"Failed"}, Leave: []job.State{"Running"}}, nil, true},
		{"one of both", Rule{Enter: []job.State{"Failed"}, Leave: []job.State{"Queued"}}, nil, false},
		{"a state that stays", Rule{Enter: []job.State{"Failed"}}, func(in *Input) { in.Old.State = "Failed" }, false},
		{"a raw state that changes", Rule{When: condition(t, `old.raw != new.raw`)}, func(in *Input) { in.Old.State = "Failed" }, true},
		{"its type", Rule{Enter: []job.State{"Failed"}, Types: []TypePattern{pods, jobs}}, nil, true},
		{"another type", Rule{Enter: []job.State{"Failed"}, Types: []TypePattern{pods}}, nil, false},
		{"an object that another one controls", Rule{Enter: []job.State{"Failed"}}, func(in *Input) { in.Object.Controller = "CronJob/x" }, false},
		{"that, if its type is named", Rule{Enter: []job.State{"Failed"}, Types: []TypePattern{jobs}}, func(in *Input) { in.Object.Controller = "CronJob/x" }, true},
		{"a namespace", Rule{Enter: []job.State{"Failed"}, Namespaces: []glob.Pattern{"other", "team-*"}}, nil, true},
		{"another namespace", Rule{Enter: []job.State{"Failed"}, Namespaces: []glob.Pattern{"other"}}, nil, false},
		{"another cluster", Rule{Enter: []job.State{"Failed"}, Clusters: []glob.Pattern{"gpu-east"}}, nil, false},
		{"another queue", Rule{Enter: []job.State{"Failed"}, Queues: []glob.Pattern{"cpu*"}}, nil, false},
		{"labels", Rule{Enter: []job.State{"Failed"}, Labels: selector(t, "team in (ml, llm), !old")}, nil, true},
		{"other labels", Rule{Enter: []job.State{"Failed"}, Labels: selector(t, "team notin (ml)")}, nil, false},
		{"no labels", Rule{Enter: []job.State{"Failed"}, Labels: selector(t, "team")}, func(in *Input) { in.Object.Labels = nil }, false},
		{"an object that existed", Rule{Enter: []job.State{"Failed"}}, func(in *Input) { in.Existing = true }, false},
		{"that, if it is asked for", Rule{Enter: []job.State{"Failed"}, Existing: true}, func(in *Input) { in.Existing = true }, true},
		{"a late transition", Rule{Enter: []job.State{"Failed"}}, func(in *Input) { in.Late = true }, true},
		{"a condition", Rule{When: condition(t, `new.labels.team == "ml"`)}, nil, true},
		{"a condition that does not hold", Rule{Enter: []job.State{"Failed"}, When: condition(t, `new.labels.team == "x"`)}, nil, false},
		{"a wait that begins", Rule{Timer: &Timer{Kind: Waits}}, func(in *Input) { in.Old.State, in.New.State = "", "Submitted" }, true},
		{"a wait that continues", Rule{Timer: &Timer{Kind: Waits}}, func(in *Input) { in.Old.State, in.New.State = "Submitted", "Queued" }, false},
		{"a wait suspended in a queue", Rule{Timer: &Timer{Kind: WaitsLongerThanUsual}}, func(in *Input) { in.Old.State, in.New.State = "", "Suspended" }, true},
		{"a suspension without a queue", Rule{Timer: &Timer{Kind: Waits}}, func(in *Input) { in.Old.State, in.New.State, in.Object.Queue = "", "Suspended", "" }, false},
		{"a run", Rule{Timer: &Timer{Kind: Runs}}, func(in *Input) { in.Old.State, in.New.State = "Starting", "Running" }, true},
		{"a run that continues", Rule{Timer: &Timer{Kind: NoProgress}}, func(in *Input) { in.Old.State, in.New.State = "Restarting", "Running" }, false},
		{"a deadline", Rule{Timer: &Timer{Kind: NearDeadline}}, func(in *Input) { in.Old.State, in.New.State = "", "Queued" }, true},
		{"the end of a run", Rule{Timer: &Timer{Kind: Runs}}, nil, false},
	} {
		in := input()
		if c.change != nil {
			c.change(in)
		}
		c.rule.Name = c.name
		if got, err := c.rule.Matches(in); err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
		if got := NewSet([]*Rule{&c.rule}).Match(nil, in, nil); (len(got) == 1) != c.want {
			t.Errorf("%s, as a set: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestSetAgainstModel: a set finds the same rules as checking each rule, in the same
// order, independent of earlier calls, from several goroutines.
func TestSetAgainstModel(t *testing.T) {
	conditions := []*Condition{nil}
	for _, text := range []string{`new.labels.team == "a"`, `old.state == "Running"`, `1 / 0 == 1`, `new.state == "Failed" && !new.late`, `new.state != old.state || new.labels.team == "b"`, `1 / 0 == 1 && new.state == "Queued"`} {
		conditions = append(conditions, condition(t, text))
	}
	selectors := []labels.Selector{nil, selector(t, "team=a"), selector(t, "!team")}
	patterns := []string{"jobs", "pods", "*.kubeflow.org", "*"}
	states := append([]job.State{""}, job.States()...)
	types := []Type{{"batch", "jobs", "Job"}, {"", "pods", "Pod"}, {"kubeflow.org", "pytorchjobs", "PyTorchJob"}}
	testinput.Check(t, func(t *rapid.T) {
		some := func(name string) []job.State {
			return rapid.SliceOfN(rapid.SampledFrom(states[1:]), 0, 3).Draw(t, name)
		}
		var rules []*Rule
		for i := range rapid.IntRange(0, 8).Draw(t, "rules") {
			r := &Rule{
				Name: fmt.Sprint(i), Enter: some("enter"), Leave: some("leave"), When: rapid.SampledFrom(conditions).Draw(t, "when"), Labels: rapid.SampledFrom(selectors).Draw(t, "labels"),
				Existing: rapid.Bool().Draw(t, "existing"), Namespaces: rapid.SliceOfN(rapid.SampledFrom([]glob.Pattern{"a", "b*"}), 0, 1).Draw(t, "namespaces"),
			}
			for _, text := range rapid.SliceOfN(rapid.SampledFrom(patterns), 0, 2).Draw(t, "types") {
				p, err := ParseTypePattern(text)
				if err != nil {
					t.Fatal(err)
				}
				r.Types = append(r.Types, p)
			}
			if kind := rapid.IntRange(0, 8).Draw(t, "timer"); kind > 0 && kind <= int(NoProgress) {
				r.Enter, r.Leave, r.Timer = nil, nil, &Timer{Kind: TimerKind(kind), After: time.Hour}
			}
			rules = append(rules, r)
		}
		set := NewSet(rules)
		var group sync.WaitGroup
		for range rapid.IntRange(1, 12).Draw(t, "inputs") {
			in := &Input{
				Object: Object{
					Type: rapid.SampledFrom(types).Draw(t, "type"), Namespace: rapid.SampledFrom([]string{"a", "b", "bc"}).Draw(t, "namespace"), Queue: rapid.SampledFrom([]string{"", "q"}).Draw(t, "queue"),
					Labels: rapid.SampledFrom([]map[string]string{nil, {"team": "a"}, {"team": "b"}}).Draw(t, "of"), Controller: rapid.SampledFrom([]string{"", "X/y"}).Draw(t, "controller"),
				},
				Old: View{State: rapid.SampledFrom(states).Draw(t, "from")}, New: View{State: rapid.SampledFrom(states).Draw(t, "to")}, Existing: rapid.Bool().Draw(t, "existed"),
			}
			group.Go(func() {
				var want, wantFailed, failed []*Rule
				for _, r := range rules {
					holds, err := r.Matches(in)
					if err != nil {
						wantFailed = append(wantFailed, r)
					}
					if holds {
						want = append(want, r)
					}
				}
				got := set.Match(nil, in, func(r *Rule, err error) {
					if err != nil {
						failed = append(failed, r)
					}
				})
				if !slices.Equal(got, want) || !slices.Equal(failed, wantFailed) {
					t.Errorf("%+v: %d match and %d fail, want %d and %d", in, len(got), len(failed), len(want), len(wantFailed))
				}
			})
		}
		group.Wait()
	})
}

// TestIndexIsBounded: an unlimited number of types uses limited memory.
func TestIndexIsBounded(t *testing.T) {
	set := NewSet([]*Rule{valid()})
	for i := range 2 * maxIndexed {
		in := input()
		in.Object.Type.Resource = fmt.Sprint(i)
		if got := set.Match(nil, in, nil); len(got) != 1 {
			t.Fatalf("type %d: got rules %v, want one", i, got)
		}
	}
	if n := len(*set.index.Load()); n > maxIndexed {
		t.Errorf("got %d entries, want at most %d", n, maxIndexed)
	}
}

func TestFailedConditionIsReported(t *testing.T) {
	r := &Rule{Name: "r", When: condition(t, `1 / 0 == 1`)}
	var failed error
	if got := NewSet([]*Rule{r}).Match(nil, input(), func(of *Rule, err error) { failed = errors.Join(failed, err) }); len(got) > 0 || failed == nil {
		t.Errorf("got rules %v and error %v, want no rule and an error", got, failed)
	}
}

// typicalRules are 200 rules of many teams, as on a shared platform.
func typicalRules(t testing.TB) []*Rule {
	jobs, err := ParseTypePattern("jobs.batch")
	if err != nil {
		t.Fatal(err)
	}
	var rules []*Rule
	for i := range 200 {
		r := &Rule{Name: fmt.Sprint("rule ", i), Types: []TypePattern{jobs}, Namespaces: []glob.Pattern{glob.Pattern(fmt.Sprintf("team-%d-*", i))}, Enter: []job.State{job.States()[i/4%len(job.States())]}}
		switch i % 4 {
		case 1:
			r.Namespaces, r.Labels = nil, selector(t, fmt.Sprintf("team in (t%d, u%d)", i, i))
		case 2:
			r.Namespaces, r.When = nil, condition(t, fmt.Sprintf(`new.state == "Failed" && new.labels.team == "t%d"`, i))
		case 3:
			r.Enter, r.Namespaces, r.When = nil, nil, condition(t, fmt.Sprintf(`new.state == %q && new.labels.team == "t%d"`, r.Enter[0], i))
		}
		if i%16 == 0 {
			r.Enter, r.Timer = nil, &Timer{Kind: Runs, After: time.Hour}
		}
		rules = append(rules, r)
	}
	return rules
}

// TestMatchAllocates limits the allocations of one transition with 200 rules.
func TestMatchAllocates(t *testing.T) {
	set, in := NewSet(typicalRules(t)), input()
	matched := set.Match(nil, in, nil)
	if n := testing.AllocsPerRun(100, func() { matched = set.Match(matched[:0], in, nil) }); n > 120 {
		t.Errorf("got %v allocations, want at most 120", n)
	}
}

func BenchmarkMatch(b *testing.B) {
	set, in := NewSet(typicalRules(b)), input()
	var matched []*Rule
	b.ReportAllocs()
	for b.Loop() {
		matched = set.Match(matched[:0], in, nil)
	}
}
