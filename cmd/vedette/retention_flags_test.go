package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/platform/sqldb"
)

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90d": 90 * 24 * time.Hour, "2w": 14 * 24 * time.Hour, "36h": 36 * time.Hour, "1.5d": 36 * time.Hour, "90m": 90 * time.Minute, "forever": retention.Forever,
	} {
		if got, err := parseAge(text); err != nil || got != want {
			t.Errorf("%s: got %v and error %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "90", "d", "-1d", "0d", "1y", "1d2h", "99999d", "NaNd", "-5m"} {
		if got, err := parseAge(text); err == nil {
			t.Errorf("age %q: got %v, want an error", text, got)
		}
	}
}

func TestPolicyOfFlags(t *testing.T) {
	s := &settings.Settings{From: map[string]string{"keep": "--keep", "keep-state": "f.yaml:3", "keep-rule": "f.yaml:5"}}
	o := retentionFlags{keep: "30d", bodies: "7d", size: "1GiB", states: []string{"Failed=180d", "Succeeded=forever"}, last: 5, rules: []string{
		"namespace=prod-*, stage; labels=team in (ml, llm),audit; state=Failed,Aborted: 400d", "labels=keep=long:forever",
	}}
	p, err := o.policy(s)
	if err != nil || p.KeepLast != 5 || p.Keep != 30*24*time.Hour || p.KeepBodies != 7*24*time.Hour || p.MaxBytes != 1<<30 {
		t.Errorf("got the policy %+v and error %v, want each flag in it", p, err)
	}
	var rules []string
	for _, r := range p.Rules {
		rules = append(rules, fmt.Sprint(r.Namespaces, " ", r.Labels, " ", r.States, " ", r.Keep))
	}
	want := []string{
		"[prod-* stage] audit,team in (llm,ml) [Failed Aborted] 9600h0m0s", "[] keep=long [] 2562047h47m16.854775807s",
		"[] <nil> [Failed] 4320h0m0s", "[] <nil> [Succeeded] 2562047h47m16.854775807s",
	}
	if !slices.Equal(rules, want) {
		t.Errorf("got rules %q, want %q", rules, want)
	}
	for text, want := range map[string]string{
		"namespace=a":       "the age is missing",
		"namespace=a: 1y":   `"1y" is not an age`,
		": 1d":              `"" is not a property with a value`,
		"namespace: 1d":     `"namespace" is not a property with a value`,
		"team=a: 1d":        `no property is called "team"`,
		"state=Lost: 1d":    `no state is called "Lost"`,
		"labels=a in b: 1d": "use the syntax of kubectl -l",
	} {
		_, err := (&retentionFlags{rules: []string{text}, last: 1}).policy(s)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "f.yaml:5: ") {
			t.Errorf("%q: got error %v, want %s in it", text, err, want)
		}
	}
	o = retentionFlags{keep: "x", size: "y", states: []string{"Failed", "Finished=1d", "Aborted=z"}}
	_, err = o.policy(s)
	for _, want := range []string{"--keep: \"x\" is not an age", "default: \"y\" is not a size", "default: 0 is not a valid number of revisions", "f.yaml:3: \"Failed\": the age is missing", "\"Finished=1d\": want a state", "\"z\" is not an age"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %s in it", err, want)
		}
	}
}

// TestPrune counts and removes the history of a demo.
func TestPrune(t *testing.T) {
	t.Parallel()
	db := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	if p := start(t, "demo", "--jobs", "4", "--speed", "60", "--db", db); p.end() != 0 {
		t.Fatal(p.err)
	}
	keepLog(t, db)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"", 1, "nothing to remove"},
		{"--keep 1q", 1, `--keep: "1q" is not an age`},
		{"--keep 1ms --dry-run", 0, "would remove: "},
		{"--keep 90d --keep-last 0", 1, "--keep-last: 0 is not a valid number of revisions"},
		{"--keep 90d --config " + file(t, "v.yaml", "name: x\nkeep-last: five\n"), 1, `v.yaml:2: keep-last is "five": `},
		{"--keep 90d", 0, "removed: 0 objects, 0 revisions, the bodies of 0 others, 0 transitions"},
		{"--keep-bodies 1ms", 0, "removed: 0 objects, 0 revisions"},
		{"--keep 1ms --keep-rule namespace=*:1h", 0, "removed: 0 objects, 0 revisions"},
		{"--keep 1ms --keep-state Failed=1h", 0, "removed: "},
		{"--max-size 1", 0, "above the limit"},
		{"--keep-logs-for never", 1, `--keep-logs-for: "never" is not an age`},
		{"--max-logs -1", 1, `--max-logs: "-1" is not a size`},
		{"--keep-logs-for 1ms --dry-run", 0, " kept logs"},
		{"--max-logs 1", 0, "kept logs take"},
		{"--keep-logs-for 1ms", 0, " kept logs"},
	} {
		p := start(t, append([]string{"prune", "--db", db}, strings.Fields(c.args)...)...)
		if code := p.end(); code != c.code || !strings.Contains(p.err.String(), c.want) {
			t.Errorf("prune %s: exit code %d, %v", c.args, code, p.err)
		}
	}
	p := start(t, "history", "jobs", "-A", "-o", "ndjson", "--db", db)
	if p.end() != 0 {
		t.Fatal(p.err)
	}
	for line := range strings.Lines(p.out.String()) {
		var row map[string]any
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Errorf("%s is not a JSON object: %v", line, err)
		}
	}
}

// keepLog keeps a log of a pod.
func keepLog(t *testing.T, db string) {
	t.Helper()
	d, err := sqldb.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	log := joblog.Log{ClusterUID: "elsewhere", PodUID: "of-another-cluster", Container: "main"}
	if err := joblog.New(d, joblog.Limits{}, nil).Put(t.Context(), log, []joblog.Line{{Text: "one line"}}); err != nil {
		t.Fatal(err)
	}
}
