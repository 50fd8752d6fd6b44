package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/cmd/vedette/internal/demo"
	"github.com/vedette-io/vedette/job"
)

// hinted matches a command that an output suggests.
var hinted = regexp.MustCompile("`vedette ([^`]+)`")

// TestPortalSession uses a portal without a database and a cluster: it submits a job, follows it to
// its end, reads its log, cancels and retries it. All suggested commands work.
func TestPortalSession(t *testing.T) {
	home(t)
	t.Setenv("TMPDIR", t.TempDir())
	p := start(t, "demo", "--jobs", "0", "--speed", "20", "--no-messages", "--listen", "127.0.0.1:0")
	t.Cleanup(p.interrupt)
	at := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	p.err.until(t, "the address", func(text string) bool { return at.MatchString(text) })
	base := at.FindString(p.err.String())
	awaitReady(t, base)
	t.Setenv("KUBECONFIG", "/nowhere")
	t.Setenv("VEDETTE_SERVER", base)
	says := func(code int, wants []string, args ...string) string {
		t.Helper()
		out, errs := ended(t, code, args...)
		for _, want := range wants {
			if !strings.Contains(out+errs, want) {
				t.Errorf("vedette %v does not say %q:\n%s%s", args, want, out, errs)
			}
		}
		return out + errs
	}
	submit := func(more ...string) []string {
		return append([]string{"submit", "--image", "pytorch/pytorch", "--gpus", "2", "-n", demo.Team}, more...)
	}
	run := func(hint string) string {
		t.Helper()
		text := says(0, nil, strings.Fields(hint)...)
		if text == "" {
			t.Errorf("`vedette %s` says nothing", hint)
		}
		return text
	}
	text := says(0, []string{"job/p-1 submitted to namespace " + demo.Team + "; next: `vedette logs job/p-1 -n "}, submit("--name", "p-1", "--", "sleep", "6000")...)
	hints := hinted.FindAllStringSubmatch(text, -1)
	if len(hints) != 2 {
		t.Fatalf("%d commands are suggested: %s", len(hints), text)
	}
	log := start(t, strings.Fields(hints[0][1])...)
	log.out.holds(t, "step ")
	text = says(0, []string{"job/p-1 cancelled in namespace " + demo.Team}, strings.Fields(hints[1][1])...)
	if code := log.end(); code != 0 {
		t.Errorf("the log of a job that was cancelled ends with %d: %s", code, log.err)
	}
	text = run(hinted.FindStringSubmatch(text)[1]) // repeats p-1
	run(hinted.FindAllStringSubmatch(text, -1)[1][1])
	says(0, []string{"job/p-2  Running", "step ", "done in", "job/p-2  " + string(job.Succeeded)}, submit("--name", "p-2", "--follow", "--", "sleep", "5")...)
	says(2, []string{"job/p-3  Failed"}, submit("--name", "p-3", "--wait", "--", "fail")...)
	says(0, []string{"done in"}, "logs", "p-2", "-n", demo.Team, "--tail", "1")
	says(0, []string{"job/p-3-r2 submitted"}, "retry", "p-3", "-n", demo.Team, "--set", "spec.parallelism=2")
	says(0, []string{"would be created", "(dry run)"}, "retry", "p-2", "-n", demo.Team, "--dry-run")
	if text := says(0, nil, "retry", "p-2", "-n", demo.Team, "--dry-run", "-o", "yaml"); !strings.HasPrefix(text, "apiVersion: batch/v1\nkind: Job\n") || !strings.Contains(text, "name: p-2-r2\n") {
		t.Errorf("the copy is %s", text)
	}
	says(1, []string{"the user fay may not create jobs.batch in the namespace team-vision; ask for this role, which `kubectl apply -f -` creates:\napiVersion: rbac"},
		"submit", "--image", "a", "-n", "team-vision")
	says(1, []string{"no job/p-2 is in the namespace team-vision", "`vedette jobs` lists"}, "logs", "job/p-2", "-n", "team-vision")
	text = says(1, []string{"has not ended", "add --anyway"}, "retry", "p-4", "-n", demo.Team, "--name", submitted(t, says, submit("--name", "p-4", "--", "sleep", "600")))
	run(hinted.FindStringSubmatch(text)[1])
	says(0, []string{"job/p-4-more submitted"}, "retry", "p-4", "-n", demo.Team, "--anyway", "--name", "p-4-more")
}

// submitted submits a job, and waits until the portal shows it.
func submitted(t *testing.T, says func(int, []string, ...string) string, args []string) string {
	t.Helper()
	says(0, []string{"submitted"}, args...)
	awaitJob(t, os.Getenv("VEDETTE_SERVER"), "name=p-4")
	return "p-4-more"
}
