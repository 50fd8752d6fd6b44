package main

import (
	"strings"
	"testing"

	"github.com/vedette-io/vedette/apitest"
)

// TestReleaseCommand releases a held job once, and resumes a job that cancel suspended. A job of
// Kueue gets its queue back and stays suspended.
func TestReleaseCommand(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	queued := "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: queued\n  labels: {kueue.x-k8s.io/queue-name: gpu}\n" +
		"spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}}\n"
	file := write(t, "queued.yaml", queued)
	for _, c := range []struct {
		command, args string
		code          int
		out, errs     string
	}{
		{"release", "", 1, "", "vedette: name the jobs, such as job/train-7\n"},
		{"release", "a -o json", 1, "", "vedette: unknown output format \"json\"; use name\n"},
		{"release", "a --cluster b", 1, "", "vedette: --cluster names a cluster of a portal: add --server, or choose the cluster with --context\n"},
		{"submit", "--image x --name a --hold", 0, "job/a submitted to namespace ml, on hold; next: `vedette release job/a`, `vedette cancel job/a`\n", ""},
		{"release", "a missing", 1, "job/a released in namespace ml; next: `vedette logs job/a -f`\n", "vedette: no job missing is in the namespace ml\n"},
		{"release", "job/a", 0, "job/a is not on hold\n", ""},
		{"cancel", "a", 0, "job/a cancelled in namespace ml: suspended; next: `vedette retry job/a`\n", ""},
		{"release", "a -o name", 0, "job.batch/a\n", ""},
		{"submit", "-f " + file + " --hold -o name", 0, "job.batch/queued\n", ""},
		{"release", "queued", 0, "job/queued released in namespace ml; next: `vedette logs job/queued -f`\n", ""},
	} {
		code, out, errs := srv.vedette(c.command, strings.Fields(c.args)...)
		if code != c.code || out != c.out || errs != c.errs {
			t.Errorf("%s %s: exit code %d\n%q\n%q\nwant %d\n%q\n%q", c.command, c.args, code, out, errs, c.code, c.out, c.errs)
		}
	}
	_, out, _ := srv.vedette("jobs", "-o", "json")
	if !strings.Contains(out, `"queue": "gpu"`) {
		t.Errorf("the job of a queue is out of its queue: %s", out)
	}
}
