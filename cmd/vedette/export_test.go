package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/vedette-io/vedette/platform/send/export"
)

// TestExport exports an archive to a folder.
func TestExport(t *testing.T) {
	t.Parallel()
	r := newArchive(t)
	dir := filepath.Join(t.TempDir(), "history")
	for range 2 {
		_, errs, code := runOnce(t, "export", "--since", "48h", "--to", dir, "--db", r.db)
		if code != 0 || !strings.Contains(errs, " written to "+dir) {
			t.Fatalf("exit code %d, said %s", code, errs)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "day=*", "transitions.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got files %q, %v", files, err)
	}
	states := map[string]int{}
	for _, file := range files {
		rows, err := parquet.ReadFile[export.Row](file)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			states[row.Resource+" "+row.To]++
		}
	}
	for _, want := range []string{"pods Running", "pods Failed", "pods Deleted"} {
		if states[want] == 0 {
			t.Errorf("no row has %s: %v", want, states)
		}
	}
}

// TestExportMistakes checks the errors of export.
func TestExportMistakes(t *testing.T) {
	t.Parallel()
	r := newArchive(t)
	for _, c := range []struct{ args, want string }{
		{"", "no destination is named: use --to DIR or --to s3://BUCKET"},
		{"--to gs://x", "--to: the destination is unknown: want a folder or s3://BUCKET"},
		{"--to s3://key:geheim@jobs", "--to: the destination has a user"},
		{"--to x --since tomorrow", "--since: "},
		{"--to x --until tomorrow", "--until: "},
		{"--to x --db sqlite:/none/h.db", "/none/h.db: the file does not exist"},
		{"--to /dev/null/x", "not a directory; run the command again to continue"},
		{"more --to x", "unknown command"},
	} {
		args := append([]string{"export", "--db", r.db}, strings.Fields(c.args)...)
		_, errs, code := runOnce(t, args...)
		if code != 1 || !strings.Contains(errs, c.want) || strings.Contains(errs, "geheim") {
			t.Errorf("%s: exit code %d, said %q, want 1 and %q", c.args, code, errs, c.want)
		}
	}
}

// exports runs export with hostile text in the database and in flags.
func (h *hostile) exports(t *testing.T) {
	h.run("export", "--to", filepath.Join(t.TempDir(), "x"), "--db", h.db)
	for _, args := range [][]string{
		{"--to", filepath.Join(t.TempDir(), strings.ReplaceAll(evil, "/", ""))},
		{"--to", "s3://" + evil},
		{"--to", "s3://jobs/" + evil + "?endpoint=http://127.0.0.1:1"},
		{"--to", "s3://jobs?endpoint=" + evil},
		{"--to", "s3://jobs?" + evil + "=1"},
		{"--to", "x", "--since", evil},
		{"--to", "x", "--until", evil},
	} {
		h.run(append([]string{"export", "--db", h.db}, args...)...)
	}
}
