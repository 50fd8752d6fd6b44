package rule

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/vedette-io/vedette/job"
)

func input() *Input {
	at := time.Unix(1_000_000, 0)
	return &Input{
		Object: Object{
			Cluster: "gpu-west", Type: Type{"batch", "jobs", "Job"}, Namespace: "team-llm", Name: "train-7", Queue: "gpu", Owner: "liwei", Submitter: "li.wei",
			Labels: map[string]string{"team": "ml", "example.com/step": "7"},
		},
		Old: View{State: job.Running, Raw: "Active", Since: at},
		New: View{State: job.Failed, Raw: "Failed", Reason: "OOMKilled", Message: "out of memory", Since: at.Add(time.Hour)},
	}
}

func TestConditions(t *testing.T) {
	for _, c := range []struct {
		condition string
		want      bool
	}{
		{`new.state == "Failed" && new.labels.team == "ml"`, true},
		{`old.state == "Running" && old.raw == "Active"`, true},
		{`new.reason == "OOMKilled" && new.message.contains("memory")`, true},
		{`new.cluster == "gpu-west" && new.type == "jobs.batch" && new.namespace == "team-llm" && new.name == "train-7"`, true},
		{`new.queue == "gpu" && new.owner == "liwei" && new.submitter == "li.wei" && new.controller == ""`, true},
		{`new.labels["example.com/step"] == "7"`, true},
		{`old.duration == duration("1h") && new.since - old.since == old.duration`, true},
		{`new.late`, false},
		{`new.name.matches("^train-[0-9]+$")`, true},
		{`new.labels.exists(k, k.endsWith("/step"))`, true},
		{`new.state in ["Failed", "Aborted"]`, true},

		// Comparisons with missing values do not hold, in every form.
		{`new.labels.nobody == "x"`, false},
		{`new.labels.nobody != "x"`, false},
		{`!(new.labels.nobody == "x")`, false},
		{`new.labels["nobody"].startsWith("x")`, false},
		{`new.duration > duration("1m")`, false},
		{`new.labels.nobody == "x" || new.state == "Failed"`, true},
		{`new.labels.?nobody.orValue("none") == "none"`, true},
		{`has(new.labels.nobody)`, false},
		{`has(new.labels.team) && has(new.reason) && !has(old.reason) && !has(new.duration)`, true},
		{`"nobody" in new.labels`, false},

		// A view is a value too.
		{`new == old`, false},
		{`old == old && dyn(new).state == "Failed" && [old, new].exists(v, v.state == "Failed") && {"a": new}.a.state == "Failed"`, true},
		{`type(old) == type(new)`, true},
		{`dyn(new).duration > duration("1m")`, false},
	} {
		condition, err := ParseCondition(c.condition)
		if err != nil {
			t.Errorf("the condition does not parse: %v", err)
			continue
		}
		if got, err := condition.Holds(input()); err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", c.condition, got, err, c.want)
		}
	}
}

func TestConditionsThatFail(t *testing.T) {
	long := strings.Repeat("1", 2000)
	for _, c := range []struct{ condition, want string }{
		{`1 / 0 == 1`, "division by zero"},
		{`dyn(new).sate == "Failed"`, "no field"},
		{`new.labels.all(a, "` + long + `".matches("` + long + `") || "` + strings.Repeat(long, 5) + `".matches("(1*)*2"))`, "cost"},
	} {
		condition, err := ParseCondition(c.condition)
		if err != nil {
			t.Errorf("the condition does not parse: %v", err)
			continue
		}
		got, err := condition.Holds(input())
		if got || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: %v, %v, want an error with %q", c.condition, got, err, c.want)
		}
	}
}

func TestConditionsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		condition    string
		line, column int
		want         string
	}{
		{`new.sate == "Failed"`, 1, 4, "undefined field 'sate'"},
		{`new.state == "Failed" &&`, 1, 25, "Syntax error"},
		{"new.state == 'Failed' &&\n  newer.late", 2, 3, "undeclared reference to 'newer'"},
		{`new.state`, 1, 1, "it is string, and must be true or false"},
		{`new.labels.team`, 1, 1, "it is string"},
		{`vedette.View{state: "Failed"} == new`, 1, 1, "cannot be made"},
		{`new.late == "yes"`, 1, 10, "no matching overload"},
		{`new.name.matches("(")`, 1, 18, "invalid matches argument"},
		{`old.duration > duration("an hour")`, 1, 25, "invalid duration argument"},
		{`new.labels.all(a, new.labels.all(b, new.labels.all(c, true)))`, 1, 51, "nesting limit"},
		{strings.Repeat(" ", maxCondition) + "true", 1, 1, "more than"},
		{``, 1, 1, "Syntax error"},
		{"new.state == \"Failed\n", 1, 14, `'"Failed\n'`},
	} {
		_, err := ParseCondition(c.condition)
		var bad *ConditionError
		if !errors.As(err, &bad) {
			t.Errorf("condition %.40q: got %v, want a ConditionError", c.condition, err)
			continue
		}
		if i := bad.Issues[0]; i.Line != c.line || i.Column != c.column || !strings.Contains(i.Text, c.want) {
			t.Errorf("%.40q: %+v, want line %d, column %d: %s", c.condition, i, c.line, c.column, c.want)
		}
	}
}

// TestConditionsOnHostileValues: values of objects are data, not expressions.
func TestConditionsOnHostileValues(t *testing.T) {
	condition, err := ParseCondition(`new.name == "x" || new.labels.team == "\" || true || \""`)
	if err != nil {
		t.Fatal(err)
	}
	in := input()
	for _, value := range []string{`" || true || "x`, "\x00\xff", strings.Repeat("a", 1<<20), "no such key"} {
		in.Object.Name, in.Object.Labels = value, map[string]string{"team": value}
		if got, err := condition.Holds(in); got || err != nil {
			t.Errorf("value %.20q: got %v and error %v, want false", value, got, err)
		}
	}
}

func FuzzParseCondition(f *testing.F) {
	for _, seed := range []string{`new.state == "Failed"`, `new.labels[?"a"].orValue("")`, `old.duration > duration("1h")`, "new.\n(", "new.state == \"a\nb", `[1].map(x, x)`, "\xff"} {
		f.Add(seed)
	}
	in := input()
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCondition(text)
		var bad *ConditionError
		switch {
		case err == nil:
			_, _ = c.Holds(in)
			c.mayHold(in)
		case errors.As(err, &bad):
			for _, i := range bad.Issues {
				if strings.ContainsFunc(i.Text, unicode.IsControl) || !utf8.ValidString(i.Text) {
					t.Fatalf("%q is not one line", i.Text)
				}
			}
		}
	})
}
