package sqldb_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestSize checks that the size grows with the rows, and is exact for a file.
func TestSize(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := migrated(t, url)
		before, err := d.Size(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n, err := d.FileBytes(t.Context()); err != nil || n != before.Files {
			t.Errorf("FileBytes: got %d and error %v, want %d", n, err, before.Files)
		}
		file, isFile := sqldb.FileOf(url)
		if before.Exact != isFile || before.Files <= 0 || before.Used < 0 || before.Used > before.Files {
			t.Errorf("got %+v, want exact only for a file, and no more used than in files", before)
		}
		exec(t, d, "CREATE TABLE large (id BIGINT NOT NULL PRIMARY KEY, data "+blob(url)+" NOT NULL)")
		var rows [][]any
		for i := range 200 {
			rows = append(rows, []any{int64(i), bytes.Repeat([]byte{byte(i)}, 16<<10)})
		}
		transact(t, d, func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "large", []string{"id", "data"}, rows) })
		if !isFile {
			return
		}
		full, err := d.Size(t.Context())
		if err != nil || full.Used < before.Used+200*16<<10 || full.Files != full.Used {
			t.Errorf("%+v after %+v, %v", full, before, err)
		}
		exec(t, d, "DELETE FROM large")
		free, err := d.Size(t.Context())
		if err != nil || free.Used > before.Used+64<<10 || free.Files != full.Files {
			t.Errorf("%+v after %+v, %v", free, full, err)
		}
		if err := d.Vacuum(t.Context()); err != nil {
			t.Fatal(err)
		}
		small, err := d.Size(t.Context())
		if err != nil || small.Files > small.Used+64<<10 || small.Used > free.Used {
			t.Errorf("%+v after %+v, %v", small, free, err)
		}
		if info, err := os.Stat(file); err != nil || info.Size() > small.Files {
			t.Errorf("the file has %d bytes, got %+v, %v", info.Size(), small, err)
		}
	})
}

// TestVacuumOfServer checks that Vacuum does nothing on a server.
func TestVacuumOfServer(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		if err := migrated(t, url).Vacuum(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestEstimateUsed(t *testing.T) {
	rows := map[string]int64{"revisions": 1000, "transitions": 100, "objects": 10, "labels": 5}
	if got, want := sqldb.EstimateUsed(rows, 299.5), int64(1000*(200+299)+100*250+10*600); got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

// TestSizeOfAudit: rows of the audit add to the size of the database, and not to that of the history.
func TestSizeOfAudit(t *testing.T) {
	db, err := sqldb.Open(t.Context(), "sqlite:"+t.TempDir()+"/h.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	before, err := db.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = db.Transact(t.Context(), func(tx *sqldb.Tx) error {
		for n := range 500 {
			_, err := tx.Exec(t.Context(), "INSERT INTO portal_audit (act_key, happened_at, ended_at, person, sign_in, address, act, object, cluster, type, namespace, name, uid, result, detail, repeats) VALUES (?, 0, 0, '', '', '', '', '', '', '', '', '', '', '', ?, 0)",
				fmt.Sprint(n), strings.Repeat("x", 4000))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	after, err := db.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if used, history := after.Used-before.Used, after.History()-before.History(); after.Audit < 500*4000 || used < 500*4000 || history > used/8 {
		t.Errorf("500 rows of 4 KB: the database has grown by %d bytes, the history by %d; want a history that does not grow with the audit (%+v)", used, history, after)
	}
}
