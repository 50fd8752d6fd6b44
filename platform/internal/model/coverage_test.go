package model_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// transact runs f in a transaction that must succeed.
func transact(t *testing.T, d *modeltest.Database, f func(tx *sqldb.Tx) error) {
	t.Helper()
	if err := d.Transact(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// cover stores coverage of a recorder.
func cover(t *testing.T, d *modeltest.Database, s model.Scope, recorder string, from, to wire.Version) {
	t.Helper()
	transact(t, d, func(tx *sqldb.Tx) error {
		c, err := model.BeginCoverage(t.Context(), tx, s, recorder, from, 0, noon)
		if err != nil {
			return err
		}
		return model.ExtendCoverage(t.Context(), tx, &c, to, noon)
	})
}

// TestResumePoint checks that all recorders of a scope resume at the highest end of its
// coverage.
func TestResumePoint(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		narrow := d.Scope
		narrow.Selectors = 7
		if p, err := model.FindResumePoint(t.Context(), d, d.Scope); p != (model.ResumePoint{}) || err != nil {
			t.Errorf("without coverage: %+v, %v", p, err)
		}
		cover(t, d, d.Scope, "a", 10, 30)
		cover(t, d, d.Scope, "b", 5, 20)
		cover(t, d, narrow, "a", 10, 99)
		if p, err := model.FindResumePoint(t.Context(), d, d.Scope); p.Version != 30 || !p.At.Equal(noon) || err != nil {
			t.Errorf("got %+v and error %v, want version 30 at noon", p, err)
		}
		for _, c := range []struct {
			recorder string
			at       wire.Version
			want     string // From and To
		}{{"a", 30, "10 30"}, {"b", 30, "30 30"}, {"b", 20, "5 20"}} {
			transact(t, d, func(tx *sqldb.Tx) error {
				got, err := model.ContinueCoverage(t.Context(), tx, d.Scope, c.recorder, c.at, 0, noon)
				if text := fmt.Sprint(got.From, " ", got.To); text != c.want || got.ID == 0 {
					t.Errorf("%s at %v: got %s, want %s", c.recorder, c.at, text, c.want)
				}
				return err
			})
		}
		at, err := model.LastCoveredByOthers(t.Context(), d, d.Scope, "a")
		if err != nil || at != model.Micros(noon) {
			t.Errorf("got %v, %v as the coverage of others", at, err)
		}
	})
}

// TestHealing checks that coverage heals the gaps inside it, also together with earlier
// coverage of the same scope. It heals neither the gaps of a wider scope, nor gaps for
// revisions that were seen and could not be stored.
func TestHealing(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		all, ml, selected := d.Scope, d.Scope, d.Scope
		ml.Namespace, selected.Selectors = "ml", 7
		for _, c := range []struct {
			scope model.Scope
			cause string
			from  wire.Version
			to    wire.Version
		}{
			{all, model.CauseWindow, 10, 20},      // 1: within the coverage below
			{ml, model.CauseDenied, 12, 18},       // 2: in a narrower scope
			{all, model.CauseInvalid, 15, 15},     // 3: the revision was seen
			{all, model.CauseRefused, 15, 15},     // 4: the revision was seen
			{all, model.CauseWindow, 5, 20},       // 5: within the coverage together with earlier coverage
			{all, model.CauseWindow, 3, 20},       // 6: begins too early
			{all, model.CauseWindow, 10, 31},      // 7: ends too late
			{selected, model.CauseWindow, 10, 20}, // 8: narrower through its selectors
		} {
			transact(t, d, func(tx *sqldb.Tx) error {
				return model.InsertGap(t.Context(), tx, c.scope, "a", model.Gap{Cause: c.cause, From: c.from, To: c.to, FromAt: noon, ToAt: noon})
			})
		}
		cover(t, d, all, "b", 4, 11)
		transact(t, d, func(tx *sqldb.Tx) error { return model.HealGaps(t.Context(), tx, ml, 10, 30, noon) })
		d.Want("SELECT id FROM gaps WHERE healed_at > 0 ORDER BY id", "2")
		transact(t, d, func(tx *sqldb.Tx) error { return model.HealGaps(t.Context(), tx, all, 10, 30, noon) })
		d.Want("SELECT id FROM gaps WHERE healed_at > 0 ORDER BY id", "1", "2", "5", "8")
		var open []wire.Version
		err := model.UnhealedGaps(t.Context(), d, all, 0, 40, 1, func(from wire.Version, _ time.Time) { open = append(open, from) })
		if err != nil || fmt.Sprint(open) != "[10]" {
			t.Errorf("got %v, %v as the beginning of the newest open gap", open, err)
		}
	})
}

// TestLastingGap checks that a recorder has at most one lasting gap in a scope. The gap
// ends once; it is healed if the watch has resumed.
func TestLastingGap(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		begin := func(recorder string) (begun bool) {
			transact(t, d, func(tx *sqldb.Tx) (err error) {
				begun, err = model.BeginGap(t.Context(), tx, d.Scope, recorder, model.Gap{Cause: model.CauseDenied, From: 10, FromAt: noon, Detail: "no\x00 rights"})
				return err
			})
			return begun
		}
		end := func(recorder string, healed bool) (ended bool) {
			transact(t, d, func(tx *sqldb.Tx) (err error) {
				ended, err = model.EndGap(t.Context(), tx, d.Scope, recorder, 20, healed, noon)
				return err
			})
			return ended
		}
		if !begin("a") || begin("a") || !begin("b") {
			t.Error("want exactly one lasting gap of the recorder")
		}
		if !end("a", true) || end("a", true) || !end("b", false) {
			t.Error("want the gap to end exactly once")
		}
		healed := fmt.Sprint(model.Micros(noon))
		d.Want("SELECT recorder, from_version, to_version, detail, healed_at FROM gaps ORDER BY id", "a 10 20 no rights "+healed, "b 10 20 no rights 0")
		if !begin("a") {
			t.Error("BeginGap inserted no gap after the previous one had ended")
		}
	})
}

// TestEndCoverage checks that a recorder cannot extend coverage after another one has noticed that the
// server lost versions, and that the next base exceeds all versions.
func TestEndCoverage(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		const last = 1_700_000_000_000_000_000 // some servers count nanoseconds
		var slow model.Coverage
		transact(t, d, func(tx *sqldb.Tx) (err error) {
			slow, err = model.BeginCoverage(t.Context(), tx, d.Scope, "slow", last, 0, noon)
			return err
		})
		before, err := model.FindResumePoint(t.Context(), d, d.Scope)
		base := before.Restored()
		if err != nil || base <= last || base > last+1e12 {
			t.Errorf("got the base %v after version %v, %v", base, uint64(last), err)
		}
		transact(t, d, func(tx *sqldb.Tx) error {
			if err := model.EndCoverage(t.Context(), tx, d.Scope, base, noon); err != nil {
				return err
			}
			_, err := model.BeginCoverage(t.Context(), tx, d.Scope, "quick", base+7, base, noon)
			return err
		})
		if p, err := model.FindResumePoint(t.Context(), d, d.Scope); p.Version != base+7 || p.Base != base || err != nil {
			t.Errorf("resumes at %+v, %v; want %v", p, err, base+7)
		}
		err = d.Transact(t.Context(), func(tx *sqldb.Tx) error {
			return model.ExtendCoverage(t.Context(), tx, &slow, last+1, noon)
		})
		if !errors.Is(err, model.ErrCoverageEnded) {
			t.Errorf("got %v, want ErrCoverageEnded", err)
		}
	})
}
