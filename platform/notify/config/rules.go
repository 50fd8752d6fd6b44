package config

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// maxRules is the maximum number of rules in a file.
const maxRules = 2000

// ruleFields are the fields of a rule.
var ruleFields = []string{
	"name", "types", "clusters", "namespaces", "queues", "labels", "enter", "leave", "when", "existing", "waits", "runs", "near-deadline", "no-progress",
	"to", "fallback", "language", "now", "urgent", "digest", "quiet-hours", "flap", "escalate", "log", "latest", "templates",
}

// timerFields are the fields that define a timer, with the fields of their values.
var timerFields = []struct {
	name   string
	fields []string
	kind   rule.TimerKind
	usual  rule.TimerKind // 0 if the timer has no usual time
}{
	{"waits", []string{"after", "longer-than"}, rule.Waits, rule.WaitsLongerThanUsual},
	{"runs", []string{"after", "longer-than"}, rule.Runs, rule.RunsLongerThanUsual},
	{"near-deadline", []string{"before"}, rule.NearDeadline, 0},
	{"no-progress", []string{"after", "signal"}, rule.NoProgress, 0},
}

// ruleReader reads the rules, after the tables.
type ruleReader struct {
	*reader
	config    *Config
	quietly   *rule.Quiet // default for rules without quiet hours
	templates map[message.Kind]message.Source
	seen      map[string]int // lines of rules by ID
}

func (p *ruleReader) rules(n *yaml.Node) (all []*rule.Rule) {
	if isNull(n) {
		return nil
	}
	items := p.List(n, n.Line, "rules")
	if len(items) > maxRules {
		p.Complain(n.Line, "there are %d rules; at most %d are allowed", len(items), maxRules)
		return nil
	}
	for _, item := range items {
		all = append(all, p.rule(item))
	}
	return all
}

func (p *ruleReader) rule(n *yaml.Node) *rule.Rule {
	mistakes := p.Count()
	f := p.Fields(n, "a rule", ruleFields...)
	r := &rule.Rule{
		Name: p.Word(f["name"], "name"), At: p.At(n), Labels: p.labels(f["labels"]), When: p.condition(f["when"]), Timer: p.timer(f),
		To: p.targets(f["to"], "to", p.config), Fallback: p.targets(f["fallback"], "fallback", p.config), Language: p.Word(f["language"], "language"), Templates: p.words(f["templates"], p.templates),
		Digest: p.digest(f["digest"], p.config.Location), Quiet: p.quiet(f["quiet-hours"], p.config.Location), Flap: p.flap(f["flap"]), Escalate: p.escalation(f["escalate"]),
		Existing: p.Truth(f["existing"], "existing"), Now: p.Truth(f["now"], "now"), Urgent: p.Truth(f["urgent"], "urgent"), Log: p.Truth(f["log"], "log"), Latest: p.Truth(f["latest"], "latest"),
	}
	for _, item := range p.items(f["types"], "types") {
		pattern, err := rule.ParseTypePattern(item.Value)
		if err != nil {
			p.Complain(item.Line, "%v", err)
		}
		r.Types = append(r.Types, pattern)
	}
	r.Clusters, r.Namespaces, r.Queues = p.globs(f["clusters"], "clusters"), p.globs(f["namespaces"], "namespaces"), p.globs(f["queues"], "queues")
	r.Enter, r.Leave = p.states(f["enter"], "enter"), p.states(f["leave"], "leave")
	if n.Kind != yaml.MappingNode {
		return r
	}
	p.check(n, f, r, p.Count() > mistakes)
	if r.Quiet == nil && !r.Urgent {
		r.Quiet = p.quietly
	}
	return r
}

// aloneFields are the fields that can be checked independently of other fields.
var aloneFields = []string{"name", "enter", "leave", "namespaces", "language"}

// check reports the mistakes of a whole rule. If a field could not be read, it checks only
// the independent fields.
func (p *ruleReader) check(n *yaml.Node, f map[string]*yaml.Node, r *rule.Rule, broken bool) {
	for _, problem := range r.Check() {
		at := f[problem.Field]
		if broken && (isNull(at) || !slices.Contains(aloneFields, problem.Field)) {
			continue
		}
		if at == nil {
			at = n
		}
		p.Complain(at.Line, "rule %s: %s", quoted(r.Name), problem.Text)
	}
	if id := r.ID(); id != "" {
		if line := p.seen[id]; line > 0 {
			p.Complain(n.Line, "rule %s: line %d has a rule with this name, or with a name that differs only in capitals and signs", quoted(r.Name), line)
		}
		p.seen[id] = n.Line
	}
}

func quoted(name string) string {
	if name == "" {
		return "without a name"
	}
	return fmt.Sprintf("%.80q", name)
}

func (p *ruleReader) states(n *yaml.Node, what string) (all []job.State) {
	for _, item := range p.items(n, what) {
		all = append(all, job.State(item.Value))
	}
	return all
}

func (p *ruleReader) labels(n *yaml.Node) labels.Selector {
	text := p.Word(n, "labels")
	if text == "" {
		return nil
	}
	selector, err := labels.Parse(text)
	if err != nil {
		p.Complain(n.Line, "labels %.80q: %v", text, err)
	}
	return selector
}

func (p *ruleReader) condition(n *yaml.Node) *rule.Condition {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.ScalarNode {
		p.Word(n, "when")
		return nil
	}
	condition, err := rule.ParseCondition(n.Value)
	var bad *rule.ConditionError
	switch {
	case errors.As(err, &bad):
		line := n.Line
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			line++ // the text begins on the line after | or >
		}
		for _, issue := range bad.Issues {
			p.Complain(line+issue.Line-1, "when: %s at column %d of %s", issue.Text, issue.Column, quotedLine(n.Value, issue.Line))
		}
	case err != nil:
		p.Complain(n.Line, "when: %v", err)
	}
	return condition
}

// timer reads the field that defines a timer, nil if the rule has none.
func (p *ruleReader) timer(f map[string]*yaml.Node) (timer *rule.Timer) {
	for _, t := range timerFields {
		n := f[t.name]
		if isNull(n) {
			continue
		}
		if timer != nil {
			p.Complain(n.Line, "a rule has one timer, and this one has %s and %s: make two rules", timer.Kind, t.name)
			continue
		}
		timer = &rule.Timer{Kind: t.kind}
		if n.Kind != yaml.MappingNode {
			p.shortTimer(n, timer, t.name, t.usual)
			continue
		}
		v := p.Fields(n, t.name, t.fields...)
		if timer.After = p.duration(v["after"], "after"); v["before"] != nil {
			timer.After = p.duration(v["before"], "before")
		}
		if than := p.Word(v["longer-than"], "longer-than"); than == "usual" {
			timer.Kind = t.usual
		} else if than != "" {
			p.Complain(v["longer-than"].Line, "longer-than is %q; write usual, which is the time that nine in ten do not reach, or after with a time", than)
		}
		if t.kind == rule.NoProgress && isNull(v["signal"]) {
			p.Complain(n.Line, "no-progress needs a signal: log, annotation NAME or status FIELD")
		}
		for _, item := range p.items(v["signal"], "signal") {
			signal, err := rule.ParseSignal(item.Value)
			if err != nil {
				p.Complain(item.Line, "%v", err)
			}
			timer.Signals = append(timer.Signals, signal)
		}
	}
	return timer
}

// shortTimer reads "waits: 2h" or "waits: usual".
func (p *ruleReader) shortTimer(n *yaml.Node, timer *rule.Timer, name string, usual rule.TimerKind) {
	if usual != 0 && n.Kind == yaml.ScalarNode && n.Value == "usual" {
		timer.Kind = usual
		return
	}
	timer.After = p.duration(n, name)
	if timer.Kind == rule.NoProgress {
		p.Complain(n.Line, "no-progress needs a signal: write {after: 30m, signal: log}, annotation NAME or status FIELD")
	}
}

func (p *ruleReader) flap(n *yaml.Node) *rule.Flap {
	if isNull(n) {
		return nil
	}
	f := p.Fields(n, "flap", "changes", "within")
	return &rule.Flap{Changes: p.number(f["changes"], "changes"), Within: p.duration(f["within"], "within")}
}

func (p *ruleReader) escalation(n *yaml.Node) *rule.Escalation {
	if isNull(n) {
		return nil
	}
	f := p.Fields(n, "escalate", "after", "to")
	return &rule.Escalation{After: p.duration(f["after"], "after"), To: p.targets(f["to"], "to", p.config)}
}
