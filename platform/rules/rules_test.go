package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/rules"
)

const experiment = `
# Experiments of our own.
rules:
- group: example.com
  kind: Experiment
  states:
  - when: object.status.phase == "Done" && object.status.exitCode == 0
    state: Succeeded
  - when: object.status.phase == "Done"
    state: Failed
    reason: "'Exit' + string(object.status.exitCode)"
    message: object.status.?log.orValue("")
    at: object.status.ended
  - when: |
      object.status.conditions.exists(c,
        c.type == "Placed" && c.status == "False")
    state: Queued
    raw: "'Placed'"
  - when: object.status.phase == "Odd"
    raw: object.status.number
    at: timestamp(object.status.began) + duration("90s")
  - when: object.status.items[0] == 1
    state: Running
  - when: object.?status.phase.orValue("") == ""
    state: Submitted
`

func object(status map[string]any) map[string]any {
	return map[string]any{"apiVersion": "example.com/v3", "kind": "Experiment", "status": status}
}

func TestOf(t *testing.T) {
	r, err := rules.Parse("test", []byte(experiment))
	if err != nil {
		t.Fatal(err)
	}
	type m = map[string]any
	nine := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		object m
		want   job.Status
	}{
		"the first that holds":             {object(m{"phase": "Done", "exitCode": int64(0)}), job.Status{State: job.Succeeded, Raw: "Done"}},
		"texts":                            {object(m{"phase": "Done", "exitCode": int64(3), "log": "bad"}), job.Status{State: job.Failed, Raw: "Done", Reason: "Exit3", Message: "bad"}},
		"a missing field in a text":        {object(m{"phase": "Done", "exitCode": int64(3)}), job.Status{State: job.Failed, Raw: "Done", Reason: "Exit3"}},
		"several lines":                    {object(m{"phase": "New", "conditions": []any{m{"type": "Placed", "status": "False"}}}), job.Status{State: job.Queued, Raw: "Placed"}},
		"a number as a text":               {object(m{"phase": "Odd", "number": int64(7)}), job.Status{Raw: "7"}},
		"a time as a text":                 {object(m{"phase": "Done", "exitCode": int64(3), "ended": "2026-03-01T10:00:00+01:00"}), job.Status{State: job.Failed, Raw: "Done", Reason: "Exit3", At: nine}},
		"a time as an empty text":          {object(m{"phase": "Done", "exitCode": int64(3), "ended": ""}), job.Status{State: job.Failed, Raw: "Done", Reason: "Exit3"}},
		"a time that is computed":          {object(m{"phase": "Odd", "number": int64(7), "began": "2026-03-01T08:58:30Z"}), job.Status{Raw: "7", At: nine}},
		"a missing field does not hold":    {object(m{}), job.Status{State: job.Submitted}},
		"none holds, and the phase speaks": {object(m{"phase": "Running"}), job.Status{State: job.Running, Raw: "Running"}},
		"an item that is not there":        {object(m{"items": []any{}}), job.Status{State: job.Submitted}},
		"another type":                     {m{"apiVersion": "v1", "kind": "Pod", "status": m{"phase": "Succeeded"}}, job.Status{State: job.Succeeded, Raw: "Succeeded"}},
		"the same kind of another group":   {m{"apiVersion": "example.org/v1", "kind": "Experiment", "status": m{"phase": "Done"}}, job.Status{Raw: "Done"}},
	} {
		if got := r.Of(c.object); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	cancelled := object(m{"phase": "New", "conditions": []any{m{"type": "Placed", "status": "False"}}})
	cancelled["metadata"] = m{"annotations": m{"vedette.io/cancelled-by": "ann", "vedette.io/cancel": "delete"}}
	if got, want := r.Of(cancelled), (job.Status{State: job.Aborted, Raw: "Placed", Reason: "Cancelled", Message: "ann"}); got != want {
		t.Errorf("cancelled: %+v, want %+v", got, want)
	}
	if n := r.Failed(); n != 0 {
		t.Errorf("%d failed: a missing field is no failure", n)
	}
	r.Of(object(m{"phase": int64(3), "exitCode": "x", "conditions": "y"}))
	if r.Failed() == 0 {
		t.Error("a text instead of a list is not counted as a failure")
	}
	before := r.Failed()
	if got := r.Of(object(m{"phase": "Done", "exitCode": int64(3), "ended": "yesterday"})); got.Reason != "Exit3" || !got.At.IsZero() || r.Failed() != before+1 {
		t.Errorf("invalid time: got %+v, %d failures", got, r.Failed()-before)
	}
	if got := (*rules.Rules)(nil).Of(object(m{"phase": "Running"})); got.State != job.Running {
		t.Errorf("no rules: %+v", got)
	}
}

// TestMistakes: Parse reports all mistakes at once, each with its line.
func TestMistakes(t *testing.T) {
	rule := "rules:\n- kind: X\n  states:\n"
	for _, c := range []struct{ name, text, want string }{
		{"no YAML", "rules: [", "f:1: invalid YAML"},
		{"nothing", "# rules: []", "f:1: the file is empty"},
		{"a second document", "rules: []\n---\nrules: []", "a second document"},
		{"no mapping", "- a", "f:1: the file must be a mapping with rules"},
		{"another field", "rule: []\nrules: []", `f:1: the file has no field "rule"; it has rules`},
		{"nothing in it", "{}", "f:1: rules is missing"},
		{"no list", "rules: x", "f:1: rules must be a list"},
		{"no kind", "rules:\n- group: x\n  states: [{when: 'true'}]", "f:2: a rule needs the kind"},
		{"a version", "rules:\n- group: x/v1\n  kind: X\n  states: [{when: 'true'}]", "f:2: group \"x/v1\": leave out the version"},
		{"no states", "rules:\n- kind: X\n  states: []", "f:2: a rule needs at least one state"},
		{"two rules", "rules:\n- kind: X\n  states: [{when: 'true'}]\n- kind: X\n  states: [{when: 'true'}]", "f:4: there are two rules for X"},
		{"no such state", rule + "  - when: 'true'\n    state: Finished", `f:5: there is no state "Finished"; the states are Submitted, `},
		{"no when", rule + "  - state: Failed", "f:4: when is missing"},
		{"twice", rule + "  - when: 'true'\n    when: 'false'", "when"},
		{"syntax", rule + "  - when: object.status.phase ==\n    state: Failed", `f:4: in "object.status.phase ==", at column`},
		{"unknown name", rule + "  - when: obj.x == 1", "f:4: in \"obj.x == 1\", at column 1: undeclared reference to 'obj'"},
		{"the second line of several", rule + "  - when: |\n      object.a == 1 &&\n      obj.x == 1", "f:6: in \"object.a == 1 && …\", at column 1: undeclared reference"},
		{"no condition", rule + "  - when: \"'x'\"", `f:4: "'x'" is string, and must be true or false`},
		{"no time", rule + "  - when: 'true'\n    at: 1 + 1", `f:5: "1 + 1" is int, and must be a timestamp, or a text such as`},
		{"no text", rule + "  - when: [a]", "f:4: an expression must be a text"},
		{"too long", strings.Repeat("#", 1<<20+1), "refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := rules.Parse("f", []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	_, err := rules.Parse("f", []byte(rule+"  - when: x\n  - when: y\n    state: Z"))
	if err == nil || strings.Count(err.Error(), "f:") != 3 {
		t.Errorf("got %v, want all mistakes", err)
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rules.yaml")
	if _, err := rules.Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got error %v, want one with %q", err, path)
	}
	if err := os.WriteFile(path, []byte(experiment), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := rules.Load(path)
	if err != nil || len(r.Types()) != 1 || r.Types()[0] != "Experiment.example.com" {
		t.Errorf("got %v and error %v, want the one type Experiment.example.com", r, err)
	}
}

// TestCost: the evaluation of an expression that costs too much is stopped and counted.
func TestCost(t *testing.T) {
	r, err := rules.Parse("f", []byte("rules:\n- kind: X\n  states:\n  - when: object.a.all(x, object.a.all(y, object.a.all(z, x + y + z > 0)))\n    state: Failed\n"))
	if err != nil {
		t.Fatal(err)
	}
	var many []any
	for range 1000 {
		many = append(many, int64(1))
	}
	if got := r.Of(map[string]any{"kind": "X", "a": many}); got.State != "" || r.Failed() != 1 {
		t.Errorf("got %+v and %d failures, want no state and 1", got, r.Failed())
	}
}

func ExampleRules_Of() {
	r, err := rules.Parse("rules.yaml", []byte(`
rules:
- group: example.com
  kind: Experiment
  states:
  - when: object.status.percent == 100
    state: Succeeded
  - when: object.status.percent > 0
    state: Running
    raw: string(object.status.percent) + " %"
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	s := r.Of(map[string]any{
		"apiVersion": "example.com/v1", "kind": "Experiment",
		"status": map[string]any{"percent": int64(40)},
	})
	fmt.Println(s.State, s.Raw)
	// Output: Running 40 %
}
