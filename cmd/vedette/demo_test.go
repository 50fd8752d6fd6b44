package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDemo: jobs go through states in a possible order, and it ends by itself.
func TestDemo(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // where its database is
	p := start(t, "demo", "--jobs", "6", "--speed", "40", "--no-headers")
	if code := p.end(); code != 0 {
		t.Fatalf("exit code %d: %v", code, p.err)
	}
	line := regexp.MustCompile(`^\S+ +(jobs\.batch|pods) +(\S+)  +((\w+) -> )?(\w+)`)
	state := map[string]string{}
	for text := range strings.Lines(p.out.String()) {
		m := line.FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("line %q", text)
		}
		key, from, to := m[1]+" "+m[2], m[4], m[5]
		if from == "" {
			from = to // no change of state, or the first
			if state[key] == "" {
				from = ""
			}
		}
		if state[key] != from {
			t.Errorf("%s goes from %s to %s, but was %s", key, from, to, state[key])
		}
		state[key] = to
	}
	jobs := 0
	for key, last := range state {
		if !strings.HasPrefix(key, "jobs") {
			continue
		}
		jobs++
		if last != "Succeeded" && last != "Failed" && last != "Deleted" {
			t.Errorf("%s ends as %s", key, last)
		}
	}
	if jobs != 6 || !strings.Contains(p.err.String(), "6 jobs in ") {
		t.Errorf("%d jobs; the summary: %v", jobs, p.err)
	}
}

// TestDemoIsRecorded: what the database has is what happened, and the commands that are
// shown work.
func TestDemoIsRecorded(t *testing.T) {
	db := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	p := start(t, "demo", "--jobs", "10", "--seed", "3", "--speed", "40", "--db", db)
	if code := p.end(); code != 0 {
		t.Fatalf("exit code %d: %v", code, p.err)
	}
	said := p.err.String()
	for _, want := range []string{"Recorded in " + db, "10 jobs: ", "waited (", "ran (", "): median ", "retried after a failure: "} {
		if !strings.Contains(said, want) {
			t.Errorf("%s does not say %q", said, want)
		}
	}
	if !regexp.MustCompile(`10 jobs: (\d+ Succeeded, )?(\d+ Failed, )?(\d+ Aborted, )?(\d+ \w+)\n`).MatchString(said) || strings.Contains(said, "still open") {
		t.Errorf("the jobs have not all ended in %s", said)
	}
	commands := regexp.MustCompile(`(?m)^  go run ./cmd/vedette (.*)$`).FindAllStringSubmatch(said, -1)
	if len(commands) != 5 {
		t.Fatalf("%d commands are shown in %s", len(commands), said)
	}
	for _, c := range commands {
		args := strings.Fields(c[1])
		p := start(t, args...)
		code := p.end()
		if args[0] == "diff" && code == 1 && p.err.String() == "" { // there are differences
			code = 0
		}
		if code != 0 || p.out.String() == "" {
			t.Errorf("%s: exit code %d, %v%v", c[1], code, p.out, p.err)
		}
	}
}

func TestDemoEndsOnDemand(t *testing.T) {
	p := start(t, "demo", "--jobs", "0", "--speed", "20", "--db", "sqlite:"+filepath.Join(t.TempDir(), "h.db"))
	p.out.holds(t, "Running")
	p.interrupt()
}

func TestDemoRefusesNonsense(t *testing.T) {
	for _, args := range [][]string{{"--jobs", "-1"}, {"--speed", "0"}, {"--speed", "1e9"}, {"-o", "xml"}, {"more"}, {"--db", "x"}} {
		p := start(t, append([]string{"demo"}, args...)...)
		if code := p.end(); code != 1 || strings.Count(p.err.String(), "\n") != 1 {
			t.Errorf("%v: exit code %d, %v", args, code, p.err)
		}
	}
}
