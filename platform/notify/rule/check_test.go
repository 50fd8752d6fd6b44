package rule

import (
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/glob"
	"github.com/vedette-io/vedette/job"
)

func condition(t testing.TB, text string) *Condition {
	t.Helper()
	c, err := ParseCondition(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// valid is a rule without a mistake.
func valid() *Rule {
	return &Rule{Name: "my failures", Enter: []job.State{job.Failed}, To: []Target{{Kind: Owner}}}
}

func TestCheck(t *testing.T) {
	failed, channel := []job.State{job.Failed}, []Target{{Kind: Channel, Channel: "team"}}
	for _, c := range []struct {
		name   string
		change func(*Rule)
		field  string
		want   string // "": no mistake
	}{
		{"a valid rule", func(*Rule) {}, "", ""},
		{"no name", func(r *Rule) { r.Name = " /: " }, "name", "no letter"},
		{"a name in Chinese", func(r *Rule) { r.Name = "我的失败" }, "", ""},
		{"a long name", func(r *Rule) { r.Name = strings.Repeat("x", maxName+1) }, "name", "at most 80"},
		{"a name with a line break", func(r *Rule) { r.Name = "a\nb" }, "name", "cannot be printed"},
		{"an unknown state", func(r *Rule) { r.Enter = []job.State{"Fialed"} }, "enter", `no state "Fialed"`},
		{"a state twice", func(r *Rule) { r.Leave = []job.State{"Running", "Running"} }, "leave", "twice"},
		{"a namespace in capitals", func(r *Rule) { r.Namespaces = []glob.Pattern{"Team-*"} }, "namespaces", "small letters"},
		{"an empty queue", func(r *Rule) { r.Queues = []glob.Pattern{""} }, "queues", "empty name"},
		{"no states and no timer", func(r *Rule) { r.Enter = nil }, "", "does not say when"},
		{"states and a timer", func(r *Rule) { r.Timer = &Timer{Kind: Runs, After: time.Hour} }, "", "not both"},
		{"no receiver", func(r *Rule) { r.To = nil }, "to", "no receiver"},
		{"fallback without owner", func(r *Rule) { r.To, r.Fallback = channel, channel }, "fallback", "does not have owner"},
		{"owner as fallback", func(r *Rule) { r.Fallback = r.To }, "fallback", "cannot be owner"},
		{"a language", func(r *Rule) { r.Language = "fr" }, "language", "en or zh"},
		{"now and digest", func(r *Rule) { r.Now, r.Digest = true, &Digest{Every: time.Hour} }, "now", "not both"},
		{"urgent and quiet", func(r *Rule) { r.Urgent, r.Quiet = true, &Quiet{} }, "urgent", "no quiet hours"},
		{"a digest of a second", func(r *Rule) { r.Digest = &Digest{Every: time.Second} }, "digest", "between 1m0s and 24h0m0s"},
		{"a digest of a week", func(r *Rule) { r.Digest = &Digest{Every: 168 * time.Hour} }, "digest", "between"},
		{"flap without changes", func(r *Rule) { r.Flap = &Flap{Within: time.Hour} }, "flap", "changes is 0"},
		{"flap without a time", func(r *Rule) { r.Flap = &Flap{Changes: 3} }, "flap", "within is 0s"},
		{"escalate at once", func(r *Rule) { r.Escalate = &Escalation{To: channel} }, "escalate", "after is 0s"},
		{"escalate to nobody", func(r *Rule) { r.Escalate = &Escalation{After: time.Hour} }, "escalate", "no receiver"},
		{"a wait of nothing", func(r *Rule) { r.Enter, r.Timer = nil, &Timer{Kind: Waits} }, "waits", "more than 0"},
		{"a wait of years", func(r *Rule) { r.Enter, r.Timer = nil, &Timer{Kind: Waits, After: 1e6 * time.Hour} }, "waits", "at most a year"},
		{"a usual wait", func(r *Rule) { r.Enter, r.Timer = nil, &Timer{Kind: WaitsLongerThanUsual} }, "", ""},
		{"no progress without a signal", func(r *Rule) { r.Enter, r.Timer = nil, &Timer{Kind: NoProgress, After: time.Hour} }, "no-progress", "needs a signal"},
		{"a signal without a use", func(r *Rule) {
			r.Enter, r.Timer = nil, &Timer{Kind: Runs, After: time.Hour, Signals: []Signal{{Kind: Log}}}
		}, "runs", "no signal"},
		{"an unknown timer", func(r *Rule) { r.Enter, r.Timer = nil, &Timer{Kind: 99, After: time.Hour} }, "unknown", "not known"},

		{"enter and leave the same", func(r *Rule) { r.Leave = failed }, "enter", "no job leaves [Failed] for [Failed]"},
		{"leave a final state", func(r *Rule) { r.Leave, r.Enter = []job.State{"Succeeded"}, []job.State{"Running"} }, "enter", "no job leaves"},
		{"delete a final state", func(r *Rule) { r.Leave, r.Enter = []job.State{"Succeeded"}, []job.State{"Deleted"} }, "", ""},
		{"leave what is deleted", func(r *Rule) { r.Leave, r.Enter = []job.State{"Deleted"}, nil }, "enter", "no job leaves"},
		{"a condition that fits", func(r *Rule) {
			r.When = condition(t, `new.state == "Failed" && old.state == "Running" && new.reason == "x"`)
		}, "", ""},
		{"a condition on another state", func(r *Rule) { r.When = condition(t, `new.state == "Succeeded" && new.labels.team == "x"`) }, "when", "never holds"},
		{"a state that there is not", func(r *Rule) { r.Enter, r.When = nil, condition(t, `new.state == "failed"`) }, "when", "never holds"},
		{"a condition that is false", func(r *Rule) { r.When = condition(t, `new.labels.team == "x" && false`) }, "when", "never holds"},
		{"a condition on a timer", func(r *Rule) {
			r.Enter, r.Timer, r.When = nil, &Timer{Kind: Waits, After: time.Hour}, condition(t, `new.state == "Suspended" && new.queue == "x"`)
		}, "", ""},
		{"a condition that no timer meets", func(r *Rule) {
			r.Enter, r.Timer, r.When = nil, &Timer{Kind: Waits, After: time.Hour}, condition(t, `new.state == "Running"`)
		}, "when", "never holds"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := valid()
			c.change(r)
			problems := r.Check()
			switch {
			case c.want == "" && len(problems) > 0:
				t.Errorf("got problems %v, want none", problems)
			case c.want != "" && (len(problems) != 1 || problems[0].Field != c.field || !strings.Contains(problems[0].Text, c.want)):
				t.Errorf("%q, want %s: %s", problems, c.field, c.want)
			}
		})
	}
}

func TestSignals(t *testing.T) {
	for text, want := range map[string]Signal{
		"log": {Kind: Log}, "annotation example.com/step": {Annotation, "example.com/step"}, "status progress.step": {Status, "progress.step"}, "status status.step": {Status, "step"},
	} {
		if got, err := ParseSignal(text); err != nil || got != want {
			t.Errorf("signal %s: got %v and error %v, want %v", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "logs", "log x", "annotation", "annotation ", "status a b", "metric x"} {
		if s, err := ParseSignal(bad); err == nil {
			t.Errorf("signal %q: got %v, want an error", bad, s)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"my failures": "my-failures", "My  Failures!": "my-failures", "a/b:c": "a-b-c", "我的 失败": "我的-失败", "v1.2_x": "v1.2_x", " - ": "", "\u202e": "",
	} {
		if got := (&Rule{Name: name}).ID(); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestTargets(t *testing.T) {
	for _, c := range []struct {
		target Target
		want   string
	}{
		{Target{Kind: Owner}, "owner"},
		{Target{Kind: Person, Person: "liwei"}, "liwei"},
		{Target{Kind: Channel, Channel: "team"}, "team"},
		{Target{Kind: Channel, Channel: "mail", Address: "a@b"}, "mail:a@b"},
		{Target{Kind: Channel, Channel: "mail", Person: "liwei"}, "mail:liwei"},
	} {
		if got := c.target.String(); got != c.want {
			t.Errorf("target %+v: got %q, want %q", c.target, got, c.want)
		}
	}
}
