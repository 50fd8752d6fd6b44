package rule_test

import (
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/rule"
)

// TestMatchers: a matcher selects by one field, whose value is a name with wildcards or, for
// labels, a selector.
func TestMatchers(t *testing.T) {
	in := &rule.Input{
		Object: rule.Object{Cluster: "west", Type: rule.Type{Group: "batch", Resource: "jobs"}, Namespace: "ml", Name: "train", Owner: "ann@example.com", Controller: "CronJob/nightly", Node: "gpu-17", Labels: map[string]string{"team": "ml", "example.com/tier": "gold"}},
		New:    rule.View{State: "Failed", Reason: "OOMKilled"},
	}
	for text, want := range map[string]bool{
		"node=gpu-17": true, "node=gpu-1": false, "node=gpu-*": true, "node=gpu-?7": true, "node!=gpu-17": false, "node!=gpu-18": true, " node = gpu-17 ": true,
		"state=Failed": true, "state=Running": false, "reason=OOMKilled": true, "type=jobs.batch": true, "type=jobs": false, "owner=ann@example.com": true, "controller=CronJob/*": true,
		"queue=": true, "queue!=": false, "labels=team in (ml, llm)": true, "labels=team=ml,example.com/tier!=gold": false, "labels=!old": true, "labels!=team=ml": false, "name=tr=in": false,
	} {
		m, err := rule.ParseMatcher(text)
		if err != nil || m.Matches(in) != want {
			t.Errorf("%q: got %v and error %v, want %v", text, err == nil && m.Matches(in), err, want)
		}
	}
	var unknown rule.Input
	if m, err := rule.ParseMatcher("node!=gpu-17"); err != nil || !m.Matches(&unknown) {
		t.Errorf("node!=gpu-17 without a node: error %v, want a match", err)
	}
}

// TestHostileMatchers: matchers that are long, invalid or too broad are refused, with short
// errors. Many wildcards take little time.
func TestHostileMatchers(t *testing.T) {
	for _, texts := range [][]string{
		{},
		{""},
		{"gpu-17"},
		{"=x"},
		{"color=red"},
		{"since=2026"},
		{"node=a\nb"},
		{"node=\x00"},
		{"labels=team in ("},
		{"labels=" + strings.Repeat("a,", 1000)},
		{"node=" + strings.Repeat("x", 2000)},
		{"cluster=*"},
		{"node!=gpu-17"},
		{"labels="},
		{"cluster=*", "queue=", "labels=!old"},
	} {
		all, err := rule.ParseMatchers(texts)
		if err == nil || len(err.Error()) > 3000 {
			t.Errorf("%.50q: got %d matchers and error %v, want a short error", texts, len(all), err)
		}
	}
	all, err := rule.ParseMatchers([]string{"name=" + strings.Repeat("*a", 500)})
	if err != nil || rule.MatchAll(all, &rule.Input{Object: rule.Object{Name: strings.Repeat("a", 499) + strings.Repeat("b", 10_000)}}) {
		t.Errorf("many wildcards: got error %v, want no match", err)
	}
}

// TestNode: a condition reads the node. It does not hold if the node is unknown.
func TestNode(t *testing.T) {
	c, err := rule.ParseCondition(`new.node == "gpu-17"`)
	if err != nil {
		t.Fatal(err)
	}
	for node, want := range map[string]bool{"gpu-17": true, "gpu-18": false, "": false} {
		if got, err := c.Holds(&rule.Input{Object: rule.Object{Node: node}}); got != want || err != nil {
			t.Errorf("on node %q: got %v and error %v, want %v", node, got, err, want)
		}
	}
	if r := (&rule.Rule{When: c}); !r.ReadsNode() || (&rule.Rule{}).ReadsNode() {
		t.Error("ReadsNode is wrong")
	}
}
