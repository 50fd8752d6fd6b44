package export_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/send/export"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestErase: the files with rows of an erased object, or of an object below it, lose them, and
// keep everything else, the time of their export too. Other files, and a second call, change nothing.
func TestErase(t *testing.T) {
	f := newFixture(t, dbtest.Empty(t, "sqlite"))
	f.Exec("UPDATE objects SET owner_uid = 'a' WHERE uid = 'b'")
	f.export(t, export.Config{})
	names := f.names(t)
	before := map[string][]export.Row{}
	for _, name := range names {
		before[name] = f.rows(t, name)
	}
	erase := func() (days []string) {
		done, err := export.Erase(t.Context(), export.EraseConfig{
			Store: export.Folder(f.dir), Since: f.now.AddDate(0, 0, -6), Until: f.now,
			Erased: func(cluster, uid string) bool { return uid == "a" && cluster == before[names[0]][0].ClusterUID },
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range done {
			days = append(days, d.Name)
			if n := len(f.rows(t, d.Name)); int64(n) != d.Rows {
				t.Errorf("%s has %d rows, want %d", d.Name, n, d.Rows)
			}
		}
		return days
	}
	if got, want := erase(), []string{names[0], names[2]}; !slices.Equal(got, want) {
		t.Errorf("rewritten %q, want %q", got, want)
	}
	for _, name := range names {
		want := slices.DeleteFunc(before[name], func(r export.Row) bool { return r.UID == "a" || r.OwnerUID == "a" })
		got := f.rows(t, name)
		if len(got) != len(want) {
			t.Fatalf("%s has %d rows, want %d", name, len(got), len(want))
		}
		for i := range got {
			if got[i].ID != want[i].ID || !got[i].Happened.Equal(want[i].Happened) || len(got[i].Labels) != len(want[i].Labels) {
				t.Errorf("%s: row %d is %+v, want %+v", name, i, got[i], want[i])
			}
		}
	}
	if again := erase(); len(again) > 0 {
		t.Errorf("the second call has rewritten %q", again)
	}
	if now := f.names(t); !slices.Equal(now, names) {
		t.Errorf("the folder has %q, want %q", now, names)
	}
	if days := f.export(t, export.Config{Now: f.now.AddDate(1, 0, 0)}); !strings.Contains(days, "kept") && !strings.Contains(days, "final") {
		t.Errorf("a later export: %s", days)
	}
}
