package model_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// entries returns the hours in which objects in the namespace ml have entries, relative to
// the hour of version 0.
func entries(t *testing.T, d *modeltest.Database, ascending bool, limit int) (all []string) {
	t.Helper()
	first := model.HourOf(model.Micros(modeltest.Seen(0)))
	term := model.InNamespace("ml").Terms[0]
	err := model.ReadIndex(t.Context(), d, term, first, first+100, ascending, limit, func(hour, object int64) {
		all = append(all, fmt.Sprint(hour-first, " ", object))
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestIndex checks that an object has an entry for each of its terms in every hour with a
// transition. Entries are removed with the last transition of their hour, and with the
// object.
func TestIndex(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		states := []job.State{job.Queued, job.Running, job.Failed}
		for i, hour := range []wire.Version{0, 2, 2, 5} { // versions are one second apart
			for j, uid := range []string{"a", "b"} {
				write(t, d, modeltest.Revision{UID: uid, Version: hour*3600 + wire.Version(2*i+j+1), State: states[i%3], Body: "{}"})
			}
		}
		for _, c := range []struct {
			ascending bool
			limit     int
			want      []string
		}{
			{true, 10, []string{"0 1", "0 2", "2 1", "2 2", "5 1", "5 2"}},
			{true, 3, []string{"0 1", "0 2", "2 1"}},
			{false, 3, []string{"5 2", "5 1", "2 2"}},
		} {
			if got := entries(t, d, c.ascending, c.limit); !slices.Equal(got, c.want) {
				t.Errorf("ascending %t, limit %d: got %q, want %q", c.ascending, c.limit, got, c.want)
			}
		}
		hours, err := model.TransitionHours(t.Context(), d, 1)
		if err != nil || len(hours) != 3 {
			t.Fatalf("got hours %v and error %v, want 3", hours, err)
		}
		d.Exec("DELETE FROM transitions WHERE object_id = 1 AND version IN (1, 7203)") // all transitions of hour 0, one of hour 2
		unindex(t, d, func(tx *sqldb.Tx) error { return model.UnindexHours(t.Context(), tx, 1, hours) })
		if got := entries(t, d, true, 10); !slices.Equal(got, []string{"0 2", "2 1", "2 2", "5 1", "5 2"}) {
			t.Errorf("got %q after an hour lost its transitions", got)
		}
		unindex(t, d, func(tx *sqldb.Tx) error { return model.Unindex(t.Context(), tx, 2) })
		if got := entries(t, d, true, 10); !slices.Equal(got, []string{"2 1", "5 1"}) {
			t.Errorf("got %q after an object was removed from the index", got)
		}
		d.Want("SELECT COUNT(*) FROM "+model.IndexTable+" WHERE object_id = 2", "0")
	})
}

func unindex(t *testing.T, d *modeltest.Database, f func(tx *sqldb.Tx) error) {
	t.Helper()
	if err := d.Transact(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}
