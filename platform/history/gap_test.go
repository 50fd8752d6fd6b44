package history_test

import (
	"context"
	"slices"
	"testing"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/wire"
)

// TestGaps: the gaps that each field of a filter selects, in both orders.
func TestGaps(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		h := history.New(db)
		at := func(n int) wire.Version { return wire.Version(n) }
		err := db.Transact(t.Context(), func(tx *sqldb.Tx) error {
			for _, g := range []struct {
				scope    model.Scope
				from, to int // minutes, and versions; a to of 0 means that the gap lasts
			}{{model.Scope{Cluster: 1, Resource: 1}, 10, 20}, {model.Scope{Cluster: 1, Resource: 2, Namespace: "ml"}, 30, 40}, {model.Scope{Cluster: 2, Resource: 2, Namespace: "web"}, 50, 0}} {
				gap := model.Gap{Cause: model.CauseWindow, From: at(g.from), To: at(g.to), FromAt: begin.Add(minutes(g.from)), Detail: "d"}
				if g.to > 0 {
					gap.ToAt = begin.Add(minutes(g.to))
				}
				if err := model.InsertGap(t.Context(), tx, g.scope, "r", gap); err != nil {
					return err
				}
			}
			return model.HealGaps(t.Context(), tx, model.Scope{Cluster: 1, Resource: 1}, 5, 25, begin.Add(minutes(60)))
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name   string
			filter history.GapFilter
			want   []wire.Version // versions at which the gaps begin
		}{
			{"all", history.GapFilter{}, []wire.Version{10, 30, 50}},
			{"cluster", history.GapFilter{Cluster: "a"}, []wire.Version{10, 30}},
			{"cluster by UID", history.GapFilter{Cluster: "uid-b"}, []wire.Version{50}},
			{"unknown cluster", history.GapFilter{Cluster: "z"}, nil},
			{"type", history.GapFilter{Types: []history.Type{jobs}}, []wire.Version{30, 50}},
			{"no type", history.GapFilter{Types: []history.Type{}}, nil},
			{"namespace", history.GapFilter{Namespace: "ml"}, []wire.Version{10, 30}},
			{"open", history.GapFilter{Open: true}, []wire.Version{30, 50}},
			{"since", history.GapFilter{Since: begin.Add(minutes(40))}, []wire.Version{30, 50}},
			{"until", history.GapFilter{Until: begin.Add(minutes(50))}, []wire.Version{10, 30}},
		} {
			list := func(ctx context.Context, p history.Paging) (history.Page[history.Gap], error) {
				return h.ListGaps(ctx, c.filter, p)
			}
			from := func(g history.Gap) wire.Version { return g.From }
			if got := collect(t, history.OldestFirst, list, from); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
			slices.Reverse(c.want)
			if got := collect(t, history.NewestFirst, list, from); !slices.Equal(got, c.want) {
				t.Errorf("%s, newest first: got %v, want %v", c.name, got, c.want)
			}
		}
		page, err := h.ListGaps(t.Context(), history.GapFilter{}, history.Paging{Order: history.OldestFirst})
		if err != nil || len(page.Items) != 3 {
			t.Fatalf("got %+v and error %v, want 3 gaps", page, err)
		}
		healed, lasting := page.Items[0], page.Items[2]
		if healed.Cause != history.CauseWindow || healed.Recorder != "r" || healed.Detail != "d" || healed.To != 20 || healed.Healed.IsZero() || healed.Type != pods {
			t.Errorf("healed gap: got %+v, want cause %s of pods by r, to version 20, healed", healed, history.CauseWindow)
		}
		if !lasting.Ended.IsZero() || !lasting.Healed.IsZero() || lasting.To != 0 || !lasting.Began.Equal(begin.Add(minutes(50))) {
			t.Errorf("lasting gap: got %+v, want no end, from minute 50", lasting)
		}
	})
}
