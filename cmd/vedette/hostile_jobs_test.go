package main

import (
	"path/filepath"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/vedette-io/vedette/apitest"
)

// jobs prints submitters, reasons and messages of jobs in all formats, from a hostile cluster and a
// hostile database.
func (h *hostile) jobs(t *testing.T) {
	srv := recordable(t, apitest.Config{})
	job := gpuJob("ml", "train", evil, "", 8)
	srv.create(job)
	job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: "True", Reason: evil, Message: evil}}
	if _, err := srv.UpdateStatus(job); err != nil {
		t.Fatal(err)
	}
	formats := [][]string{{}, {"-o", "wide"}, {"-o", "json"}, {"-o", "yaml"}, {"-o", "csv"}, {"-o", "ndjson"}, {"-o", "name"}, {"-o", "jsonpath={.reason}{.name}"}}
	each := func(more ...string) {
		t.Helper()
		for _, format := range formats {
			args := append([]string{"jobs", "--kubeconfig", srv.kubeconfig, "-A"}, append(more, format...)...)
			if out, errs, code := h.run(args...); code != 0 || out == "" {
				t.Errorf("%q: exit code %d, output %s%s; want 0 and some output", args, code, out, errs)
			}
		}
		out, _, _ := h.run(append([]string{"jobs", "--kubeconfig", srv.kubeconfig, "-A"}, more...)...)
		holds(t, "jobs", out, `\x1b]52;c;aGk=\x07\rX\u009b31m\u202etxt.exe`)
	}
	each()
	own, db := h.db, "sqlite:"+filepath.Join(t.TempDir(), "h.db")
	h.db = db
	defer func() { h.db = own }()
	p := start(t, "record", "jobs", "-A", "--kubeconfig", srv.kubeconfig, "--db", db)
	recorded(t, db, "jobs.batch", "train")
	p.interrupt()
	each("--db", db)
	h.corrupt(`UPDATE objects SET name = ?1, namespace = ?1, owner_kind = ?1, owner_name = ?1, queue = ?1, submitter = ?1, raw_state = ?1, reason = ?1, message = ?1`, worse)
	h.corrupt(`UPDATE jobs SET reason = ?1, message = ?1`, worse)
	h.corrupt(`UPDATE transitions SET reason = ?1, message = ?1, from_raw_state = ?1, to_raw_state = ?1`, worse)
	each("--db", db)
	h.corrupt(`UPDATE objects SET state = ?1`, worse)
	h.corrupt(`UPDATE jobs SET state = ?1`, worse)
	for _, filter := range []string{"--queue", "--user", "--state", "--since", "-l", "--type", "--sort", "--after", "--cluster"} {
		h.run("jobs", "--kubeconfig", srv.kubeconfig, "--db", db, "-A", filter, evil)
	}
}
