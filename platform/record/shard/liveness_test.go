package shard

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
)

// TestLiveness: a member whose beat stands still for a lease is dead. After an outage of the
// observer, everybody is alive for another lease.
func TestLiveness(t *testing.T) {
	l := liveness{lease: 10 * time.Second}
	at := time.Unix(1000, 0)
	see := func(seconds int, wantDead int, beats ...int64) {
		t.Helper()
		at = at.Add(time.Duration(seconds) * time.Second)
		var members []model.ShardMember
		for i, beat := range beats {
			members = append(members, model.ShardMember{ID: int64(i + 1), Beat: beat, SeenAt: int64(-1e15)}) // its clock does not count
		}
		if v := l.observe(at, members); len(v.dead) != wantDead || len(v.live) != len(beats)-wantDead {
			t.Errorf("at %v: got the dead %v and the live %v, want %d dead", at.Unix(), v.dead, v.live, wantDead)
		}
	}
	see(0, 0, 5, 5)
	see(4, 0, 6, 5)
	see(4, 0, 7, 5)
	see(4, 1, 8, 5)
	see(2, 0, 9, 6) // it was only slow
	see(60, 0, 9, 6)
	see(4, 0, 9, 6)
	see(4, 0, 9, 6)
	see(4, 2, 9, 6)
}

// TestRate: the load follows the revisions slowly, and small changes are not stored.
func TestRate(t *testing.T) {
	var r rate
	at, revisions := time.Unix(0, 0), uint64(0)
	stored := 0
	run := func(n int, perMinute uint64) {
		for range n {
			at, revisions = at.Add(rateWindow), revisions+perMinute/6
			if load, differs := r.see(at, Sample{Revisions: revisions, Objects: 5000}); differs {
				r.stored, stored = load, stored+1
			}
		}
	}
	run(1, 0)
	run(20, 600)
	if r.stored < 450 || r.stored > 606 || stored == 0 {
		t.Errorf("got load %d, want about 606", r.stored)
	}
	stored = 0
	run(20, 660)
	if stored > 0 {
		t.Errorf("a change of a tenth was stored %d times", stored)
	}
	run(20, 0)
	if r.stored > 20 {
		t.Errorf("got load %d without revisions, want about 6", r.stored)
	}
}
