package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// TestTypeByExistence: a short name of a type means the type that kubectl takes, or the
// next type in that order if only that type has an object of the name.
func TestTypeByExistence(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "history.db")
	d, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	const object = "INSERT INTO objects (id, cluster_id, resource_id, namespace, name, uid, owner_uid, owner_kind, owner_name, queue, submitter, created_at, seen_at," +
		" presence, deleted_at, version, state, raw_state, reason, message, since, attributes_hash, selector_hash, keyframe_version, deltas)" +
		" VALUES (?, 1, ?, 'ml', ?, ?, '', '', '', '', '', 1, 1, 0, 0, 5, 'Running', '', '', '', 1, 0, 0, 0, 0)"
	const transition = "INSERT INTO transitions (object_id, version, from_state, to_state, from_raw_state, to_raw_state, reason, message, happened_at, seen_at, source)" +
		" VALUES (?, 5, '', 'Running', '', '', ?, '', 1, 1, 1)"
	err = d.Transact(t.Context(), func(tx *sqldb.Tx) error {
		run := func(statement string, args ...any) {
			if _, err := tx.Exec(t.Context(), statement, args...); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		run("INSERT INTO clusters (id, uid, name, seen_at) VALUES (1, 'c', 'prod', 1)")
		run("INSERT INTO resources (id, api_group, name, kind) VALUES (1, 'batch.volcano.sh', 'jobs', 'Job')")
		run("INSERT INTO resources (id, api_group, name, kind) VALUES (2, 'batch', 'jobs', 'Job')")
		run(object, 1, 1, "both", "both-volcano")
		run(object, 2, 2, "both", "both-batch")
		run(object, 3, 1, "one", "one-volcano")
		for id, reason := range map[int]string{1: "OfVolcano", 2: "OfBatch", 3: "OneOfVolcano"} {
			run(transition, id, reason)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"job/both": "OfBatch", "jobs/both": "OfBatch", "vcjob/both": "OfVolcano", "jobs.batch.volcano.sh/both": "OfVolcano", "job/one": "OneOfVolcano"} {
		if out, errs := ended(t, 0, "history", name, "-n", "ml", "--db", url); !strings.Contains(out, " "+want) {
			t.Errorf("%s: got %q and %q, want %s", name, out, errs, want)
		}
	}
}
