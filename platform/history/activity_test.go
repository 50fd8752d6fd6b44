package history_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
)

// TestActivityOfAType: the objects of a type with the size of their last bodies, and what was
// found after a gap.
func TestActivityOfAType(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := modeltest.Open(t, url)
		err := d.Write(t.Context(), []modeltest.Revision{
			{UID: "a", Version: 10, State: job.Queued, Body: `{"a":1}`},
			{UID: "a", Version: 20, State: job.Running, Body: `{"a":12345}`},
			{UID: "b", Version: 30, State: job.Queued, Body: `{"b":1}`},
			{UID: "b", Version: 40, State: job.Running, Body: `{"b":12}`},
		})
		if err != nil {
			t.Fatal(err)
		}
		h := history.New(d.DB)
		err = d.DB.Transact(t.Context(), func(tx *sqldb.Tx) error {
			if _, err := tx.Exec(t.Context(), "UPDATE transitions SET source = ? WHERE version >= ?", int16(model.Relisted), 30); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), "INSERT INTO coverage (cluster_id, resource_id, namespace, selector_hash, recorder, from_version, to_version, base_version, from_at, to_at, ended_at)"+
				" SELECT cluster_id, resource_id, '', 0, 'r', 10, 40, 0, 1, 2, 0 FROM objects WHERE uid = 'a'")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		a, err := h.Activity(t.Context(), 0)
		if err != nil || len(a.Coverage) != 1 {
			t.Fatalf("got error %v and %+v, want one type", err, a)
		}
		c := a.Coverage[0]
		if want := int64(len(`{"a":12345}`) + len(`{"b":12}`)); c.Objects != 2 || c.Bytes != want {
			t.Errorf("got %d objects of %d bytes, want 2 of %d", c.Objects, c.Bytes, want)
		}
		gap := history.Gap{ClusterUID: c.ClusterUID, Type: c.Type, Began: modeltest.Seen(25), Ended: modeltest.Seen(35)}
		for _, try := range []struct {
			change func(*history.Gap)
			want   int
		}{
			{func(*history.Gap) {}, 1},
			{func(g *history.Gap) { g.Began = modeltest.Seen(5) }, 1}, // watched transitions do not count
			{func(g *history.Gap) { g.Ended = modeltest.Seen(45) }, 2},
			{func(g *history.Gap) { g.Ended = time.Time{} }, 0},
			{func(g *history.Gap) { g.ClusterUID = "another" }, 0},
			{func(g *history.Gap) { g.Type.Resource = "others" }, 0},
			{func(g *history.Gap) { g.Namespace = "another" }, 0},
		} {
			g := gap
			try.change(&g)
			if got, err := h.FoundAfter(t.Context(), &g); err != nil || got != try.want {
				t.Errorf("%+v: %d, %v; want %d", g, got, err, try.want)
			}
		}
	})
}
