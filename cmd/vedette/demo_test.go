package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDemo checks that the states of jobs have a possible order, and that the demo ends by itself.
func TestDemo(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // where its database is
	p := start(t, "demo", "--jobs", "6", "--speed", "40", "--no-headers")
	if code := p.end(); code != 0 {
		t.Fatalf("exit code %d, want 0: %v", code, p.err)
	}
	line := regexp.MustCompile(`^\S+ +(jobs\.batch|pods) +(\S+)  +((\w+) -> )?(\w+)`)
	state := map[string]string{}
	for text := range strings.Lines(p.out.String()) {
		m := line.FindStringSubmatch(text)
		if regexp.MustCompile(`^\S+  message   |^ {14}\S`).MatchString(text) {
			continue
		}
		if m == nil {
			t.Fatalf("got the line %q, want a time, a type, a job and a state", text)
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
		if last != "Succeeded" && last != "Failed" && last != "Aborted" && last != "Deleted" {
			t.Errorf("%s ends as %s, want a final state", key, last)
		}
	}
	if jobs != 6 || !strings.Contains(p.err.String(), "6 jobs in ") {
		t.Errorf("%d jobs; the summary: %v", jobs, p.err)
	}
}

// TestDemoIsRecorded checks that the database agrees with the output of the demo, and that the
// suggested commands work.
func TestDemoIsRecorded(t *testing.T) {
	t.Parallel()
	db := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	p := start(t, "demo", "--jobs", "10", "--seed", "3", "--speed", "40", "--db", db)
	if code := p.end(); code != 0 {
		t.Fatalf("exit code %d, want 0: %v", code, p.err)
	}
	said := p.err.String()
	for _, want := range []string{"Recorded in " + db, "10 jobs: ", "waited (", "ran (", "): median ", "retried after a failure: ", " sent, "} {
		if !strings.Contains(said, want) {
			t.Errorf("%s does not say %q", said, want)
		}
	}
	if !regexp.MustCompile(`10 jobs: (\d+ Succeeded, )?(\d+ Failed, )?(\d+ Aborted, )?(\d+ \w+)\n`).MatchString(said) || strings.Contains(said, "still open") {
		t.Errorf("the jobs have not all ended in %s", said)
	}
	commands := regexp.MustCompile(`(?m)^  go run ./cmd/vedette (.*)$`).FindAllStringSubmatch(said[strings.Index(said, "Read the history:"):], -1)
	if len(commands) != 6 {
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
			t.Errorf("%s: exit code %d, output %v%v; want 0 and some output", c[1], code, p.out, p.err)
		}
	}
}

// TestDemoNotifies checks that messages are printed between the lines, including those that failed
// at first, and that formats for programs have none.
func TestDemoNotifies(t *testing.T) {
	t.Parallel()
	db := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	p := start(t, "demo", "--jobs", "10", "--seed", "3", "--speed", "20", "--db", db)
	if code := p.end(); code != 0 {
		t.Fatalf("exit code %d, want 0: %v", code, p.err)
	}
	out := p.out.String()
	for _, pattern := range []string{
		`(?m)^\S+  message {11}Failed, \S+: \S+\n {14}\S.*\n( {14}.*\n)* {14}sent by terminal in .*, rule "failed jobs"$`,
		`(?m)^\S+  message {11}Restarted, attempt 2 of 2: (\S+)\n( {14}.*\n)* {14}not sent by pager: HTTP 503: a fault that the demo simulates, try 2 of 10 at \S+$`,
		`(?m)^\S+  message {11}Restarted, attempt 2 of 2: (\S+)\n {14}sent by pager in .*, rule "retries"$`,
	} {
		if !regexp.MustCompile(pattern).MatchString(out) {
			t.Errorf("%s is not in\n%s", pattern, out)
		}
	}
	ls, _ := ended(t, 0, "notify", "ls", "--db", db, "-o", "jsonpath={.state}")
	if n := strings.Count(ls, "sent\n"); n == 0 || n*len("sent\n") != len(ls) || n != len(regexp.MustCompile(`(?m)^ {14}sent by`).FindAllString(out, -1)) {
		t.Errorf("notify ls: got the states %s, want only sent, as often as in the output:\n%s", ls, out)
	}
	for _, args := range [][]string{{"-o", "name"}, {"--no-messages"}} {
		p := start(t, append([]string{"demo", "--jobs", "2", "--speed", "100", "--db", "sqlite:" + filepath.Join(t.TempDir(), "h.db")}, args...)...)
		if code := p.end(); code != 0 || strings.Contains(p.out.String(), "message") {
			t.Errorf("%v: exit code %d, printed %v; want 0 and no message", args, code, p.out)
		}
	}
}

func TestDemoEndsOnDemand(t *testing.T) {
	t.Parallel()
	p := start(t, "demo", "--jobs", "0", "--speed", "20", "--db", "sqlite:"+filepath.Join(t.TempDir(), "h.db"))
	p.out.holds(t, "Running")
	p.interrupt()
}

func TestDemoRefusesNonsense(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--jobs", "-1"}, {"--speed", "0"}, {"--speed", "1e9"}, {"-o", "xml"}, {"more"}, {"--db", "x"}} {
		p := start(t, append([]string{"demo"}, args...)...)
		if code := p.end(); code != 1 || strings.Count(p.err.String(), "\n") != 1 {
			t.Errorf("%v: exit code %d, said %v; want 1 and one line", args, code, p.err)
		}
	}
}
