package model_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

func ranged(s model.Scope, i, n int) model.Scope {
	s.UIDs = wire.UIDRange{Index: i, Count: n}
	return s
}

// TestResumePointOfRanges checks where a range continues that was covered as a part of a
// larger one, or in smaller parts.
func TestResumePointOfRanges(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		selected := d.Scope
		selected.Selectors = 7
		resume := func(s model.Scope, want wire.Version) {
			t.Helper()
			if p, err := model.FindResumePoint(t.Context(), d, s); p.Version != want || err != nil {
				t.Errorf("range %q resumes at %v (%v), want %v", s.UIDs, p.Version, err, want)
			}
		}
		cover(t, d, d.Scope, "a", 10, 30)
		cover(t, d, selected, "a", 10, 99)
		resume(ranged(d.Scope, 3, 4), 30) // it was a part of everything
		resume(ranged(selected, 3, 4), 99)
		cover(t, d, ranged(d.Scope, 0, 4), "a", 30, 50)
		cover(t, d, ranged(d.Scope, 1, 4), "a", 30, 40)
		resume(ranged(d.Scope, 0, 4), 50)
		resume(ranged(d.Scope, 1, 8), 50) // the second half of the first of four
		resume(ranged(d.Scope, 0, 2), 40) // the lower end of its two parts
		resume(ranged(d.Scope, 1, 2), 30) // its two parts have no coverage
		resume(d.Scope, 30)
		cover(t, d, ranged(d.Scope, 1, 2), "a", 30, 45)
		cover(t, d, ranged(d.Scope, 0, 2), "a", 30, 60)
		resume(d.Scope, 45)
	})
}

// TestObjectsOfRanges checks that a range has its own objects only, however the target was
// divided when they were stored.
func TestObjectsOfRanges(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		var objects []model.NewObject
		for i := range 30 {
			uid := fmt.Sprintf("%08x-uid", uint32(i)*2654435761)
			objects = append(objects, model.NewObject{
				Attributes: model.Attributes{Cluster: d.Scope.Cluster, Resource: d.Scope.Resource, Namespace: "ml"}, Name: uid, UID: uid,
			})
		}
		transact(t, d, func(tx *sqldb.Tx) error { return model.InsertObjects(t.Context(), tx, objects) })
		tracked := func(s model.Scope) (uids []string) {
			t.Helper()
			err := model.EachTracked(t.Context(), d, s, func(o model.Tracked) { uids = append(uids, o.UID) })
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(uids)
			return uids
		}
		var all []string
		for i := range 4 {
			all = append(all, tracked(ranged(d.Scope, i, 4))...)
		}
		slices.Sort(all)
		if !slices.Equal(all, tracked(d.Scope)) || len(all) != 30 {
			t.Errorf("the ranges have %q together", all)
		}
		transact(t, d, func(tx *sqldb.Tx) error {
			_, err := model.SetPresence(t.Context(), tx, ranged(d.Scope, 2, 4), model.Present, model.Unknown)
			return err
		})
		n := 0
		for _, uid := range tracked(d.Scope) {
			var presence int16
			if err := d.QueryRow(t.Context(), "SELECT presence FROM objects WHERE uid = ?", uid).Scan(&presence); err != nil {
				t.Fatal(err)
			}
			inside := ranged(d.Scope, 2, 4).UIDs.Contains(uid)
			if (model.Presence(presence) == model.Unknown) != inside {
				t.Errorf("%s is %s; in the range: %v", uid, model.Presence(presence), inside)
			}
			if inside {
				n++
			}
		}
		if n == 0 || n == 30 {
			t.Errorf("%d of 30 objects are in the range: the test shows nothing", n)
		}
	})
}

// TestGapsOfRanges checks that the coverage of a range heals its own gaps only, and that
// other ranges do not count as other recorders of it.
func TestGapsOfRanges(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		mine, other := ranged(d.Scope, 0, 2), ranged(d.Scope, 1, 2)
		transact(t, d, func(tx *sqldb.Tx) error {
			for _, s := range []model.Scope{mine, other} {
				if err := model.InsertGap(t.Context(), tx, s, "a", model.Gap{Cause: model.CauseWindow, From: 10, To: 20, FromAt: noon, ToAt: noon}); err != nil {
					return err
				}
			}
			return nil
		})
		cover(t, d, mine, "b", 5, 30)
		transact(t, d, func(tx *sqldb.Tx) error { return model.HealGaps(t.Context(), tx, mine, 5, 30, noon) })
		for s, want := range map[model.Scope]int{mine: 0, other: 1} {
			n := 0
			if err := model.UnhealedGaps(t.Context(), d, s, 0, 100, 10, func(wire.Version, time.Time) { n++ }); err != nil || n != want {
				t.Errorf("range %s has %d gaps (%v), want %d", s.UIDs, n, err, want)
			}
		}
		if at, err := model.LastCoveredByOthers(t.Context(), d, other, "a"); err != nil || at != 0 {
			t.Errorf("got %d, %v: the coverage of another range counts", at, err)
		}
		if at, err := model.LastCoveredByOthers(t.Context(), d, mine, "a"); err != nil || at == 0 {
			t.Errorf("got %d, %v: the coverage of the range does not count", at, err)
		}
	})
}
