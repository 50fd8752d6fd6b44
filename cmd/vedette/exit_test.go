package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestExitTable compares the exit codes with the table in the documentation.
func TestExitTable(t *testing.T) {
	testinput.Uncached(t)
	text, err := os.ReadFile("../../docs/submitting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Exit codes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, section, _ = strings.Cut(section, "\n|---|---|---|\n")
	var got, want []string
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| ") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	for _, m := range exitMeanings {
		want = append(want, fmt.Sprintf("| %d | %s | %s |", m.code, m.commands, m.text))
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/submitting.md has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestExitCodes makes submit end with each of its exit codes, and checks that its help and the
// table have no others.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	file := write(t, "job.yaml", jobFile)
	codes := map[int]bool{}
	ends := func(want int, says string, args ...string) {
		t.Helper()
		code, out, errs := srv.submit(append([]string{"-f", file}, args...)...)
		if codes[code] = true; code != want || !strings.Contains(out+errs, says) || code != 0 && strings.Count(errs, "vedette: ") > 1 {
			t.Errorf("submit %v: exit code %d, printed %s, said %s; want %d and %q", args, code, out, errs, want, says)
		}
	}
	ends(0, "submitted", "--key", "k")
	ends(3, "has not ended within 1ms", "--key", "k", "--wait", "--timeout", "1ms")
	ends(1, "unknown flag", "--wait", "--colour")
	ends(1, "exists in the namespace ml", "--wait")
	ends(1, "--any is for --wait and --follow", "--any")
	srv.finish(srv.jobsOf("ml")[0], batchv1.JobFailed, "BackoffLimitExceeded")
	ends(4, "had ended before the command began: it is Failed", "--key", "k", "--wait")
	ends(2, "Failed: BackoffLimitExceeded", "--key", "k", "--wait", "--any")
	run := start(t, "submit", "--kubeconfig", srv.kubeconfig, "-f", file, "--name", "b", "--wait")
	run.out.holds(t, "job/b  Submitted")
	run.cancel()
	codes[run.end()] = true

	help := start(t, "submit", "--help")
	help.end()
	for _, m := range exitMeanings {
		of := slices.Contains(strings.Split(m.commands, ", "), "submit") || strings.HasPrefix(m.commands, "all")
		if of != strings.Contains(help.out.String(), fmt.Sprintf("  %-3d  %s\n", m.code, m.text)) {
			t.Errorf("the help of submit has %d %q: %v, want %v", m.code, m.text, !of, of)
		}
		if of && !codes[m.code] {
			t.Errorf("submit never ended with %d", m.code)
		}
		delete(codes, m.code)
	}
	if len(codes) > 0 {
		t.Errorf("submit ended with %v, which are not in the table", codes)
	}
}

// TestEndedBefore checks that --wait reports no success without a run: a job of the key that had
// ended before the command began counts only with --any, and a job that runs is awaited.
func TestEndedBefore(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	file := write(t, "job.yaml", jobFile)
	nightly := []string{"submit", "--kubeconfig", srv.kubeconfig, "-f", file, "--key", "nightly", "--wait"}
	first := start(t, nightly...)
	first.out.holds(t, "job/train-7  Submitted")
	second := start(t, nightly...)
	second.out.holds(t, "already, with this key")
	second.out.holds(t, "job/train-7  Submitted")
	srv.finish(srv.jobsOf("ml")[0], batchv1.JobComplete, "")
	for _, run := range []*program{first, second} {
		if code := run.end(); code != 0 {
			t.Errorf("the job succeeded: exit code %d, want 0:\n%v%v", code, run.out, run.err)
		}
	}
	third := start(t, append(nightly, "--follow")...)
	if code := third.end(); code != 4 || !strings.Contains(third.err.String(), "job/train-7 had ended before the command began: it is Succeeded; take another --key") || strings.Contains(third.out.String(), "job/train-7  Succeeded") {
		t.Errorf("the job had succeeded: exit code %d, want 4:\n%v%v", code, third.out, third.err)
	}
	counted := start(t, append(nightly, "--any")...)
	if code := counted.end(); code != 0 || !strings.Contains(counted.out.String(), "job/train-7  Succeeded") {
		t.Errorf("with --any: exit code %d, want 0:\n%v%v", code, counted.out, counted.err)
	}
	retry := []string{"retry", "job/train-7", "--kubeconfig", srv.kubeconfig, "--key", "nightly", "--wait"}
	copied := start(t, retry...)
	copied.out.holds(t, "job/train-7-r2  Submitted")
	for _, job := range srv.jobsOf("ml") {
		srv.finish(job, batchv1.JobComplete, "")
	}
	if code := copied.end(); code != 0 {
		t.Errorf("the retry succeeded: exit code %d, want 0:\n%v%v", code, copied.out, copied.err)
	}
	repeated := start(t, retry...)
	if code := repeated.end(); code != 4 || !strings.Contains(repeated.err.String(), "job/train-7-r2 had ended before the command began") {
		t.Errorf("the retry had succeeded: exit code %d, want 4:\n%v%v", code, repeated.out, repeated.err)
	}
}

// TestInterruptedAct checks that a command that was interrupted before it acted does not succeed.
func TestInterruptedAct(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"submit", "--image", "example.com/train:7"}, {"retry", "job/train-7"}, {"cancel", "job/train-7"}, {"release", "job/train-7"}} {
		srv := serve(t, apitest.Config{})
		hangs, err := srv.Inject(apitest.Fault{Times: apitest.Always, Action: apitest.Hang()})
		if err != nil {
			t.Fatal(err)
		}
		run := start(t, append(args, "--kubeconfig", srv.kubeconfig)...)
		<-hangs.Struck()
		run.cancel()
		if code := run.end(); code != 130 || run.err.String() == "" {
			t.Errorf("%v: exit code %d, said %v; want 130 and why", args, code, run.err)
		}
	}
}
