package model_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// TestKeyframes: a body is a keyframe or a delta of one, and at most 31 deltas refer to
// the same keyframe. That also holds where content repeats, and where each batch has to
// read the keyframe. All bodies can be read.
func TestKeyframes(t *testing.T) {
	each(t, func(f *fixture) {
		const revisions, interval = 200, 32
		filler := strings.Repeat(`"name-of-a-field":"its value",`, 40)
		want := map[wire.Version]string{}
		var all []revision
		for v := wire.Version(1); v <= revisions; v++ {
			want[v] = fmt.Sprintf(`{"spec":{%s"end":1},"status":{"at":%d}}`, filler, v%3)
			all = append(all, revision{uid: "a", version: v, body: want[v]})
		}
		for some := range slices.Chunk(all, 7) {
			f.write(model.NewEncoder(f.scope.Resource, 1<<20), some...)
		}
		for query, want := range map[string]int{
			"SELECT COUNT(*) FROM revisions r JOIN revisions b ON b.object_id = r.object_id AND b.version = r.base WHERE b.base <> 0": 0,
			"SELECT COUNT(*) FROM revisions r WHERE r.base <> 0 AND r.base > r.version":                                               0,
			"SELECT COUNT(*) FROM revisions WHERE base = 0":                                                                           (revisions + interval - 1) / interval,
			"SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM revisions WHERE base <> 0 GROUP BY base) AS g":                             interval - 1,
			"SELECT COUNT(*) FROM revisions WHERE base <> 0 AND LENGTH(data) > 40":                                                    0,
		} {
			if got := f.count(query); got != want {
				t.Errorf("%s: %d, want %d", query, got, want)
			}
		}
		for v, body := range want {
			if got, err := f.body("a", v); err != nil || string(got) != body {
				t.Fatalf("at %v: %s, %v", v, got, err)
			}
		}
	})
}

// TestDeltaOfDelta: a delta whose base is not a keyframe is damaged.
func TestDeltaOfDelta(t *testing.T) {
	each(t, func(f *fixture) {
		filler := strings.Repeat("the same in all of them, ", 20)
		for v := wire.Version(1); v <= 3; v++ {
			f.write(model.NewEncoder(f.scope.Resource, 1<<20), revision{uid: "a", version: v, body: fmt.Sprint(filler, v)})
		}
		f.transact(func(ctx context.Context, tx *sqldb.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE revisions SET base = 2 WHERE version = 3")
			return err
		})
		if _, err := f.body("a", 3); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Error(err)
		}
	})
}

// TestDictionaries: similar bodies of a type are compressed with a dictionary that all
// recorders share, and can be read.
func TestDictionaries(t *testing.T) {
	each(t, func(f *fixture) {
		var all []revision
		for i := range 200 {
			var b strings.Builder
			for j := range 60 {
				fmt.Fprintf(&b, `"field-%d":"%x",`, j, j*7919)
			}
			body := fmt.Sprintf(`{"metadata":{"name":"job-%d"},"spec":{%s"end":%d}}`, i, &b, i*i)
			all = append(all, revision{uid: fmt.Sprint("uid-", i), version: wire.Version(i + 1), body: body})
		}
		for some := range slices.Chunk(all, 60) { // another recorder each time
			f.write(model.NewEncoder(f.scope.Resource, 1<<20), some...)
		}
		if n := f.count("SELECT COUNT(*) FROM dictionaries"); n != 1 {
			t.Errorf("%d dictionaries", n)
		}
		if n := f.count("SELECT COUNT(*) FROM revisions WHERE LENGTH(data) > 200"); n != 0 {
			t.Errorf("%d revisions are not compressed", n)
		}
		for _, r := range all {
			if got, err := f.body(r.uid, r.version); err != nil || string(got) != r.body {
				t.Fatalf("%s: %s, %v", r.uid, got, err)
			}
		}
	})
}

// TestCacheIsBounded: the encoder caches no keyframe of a deleted object, and no more
// bytes of others than its limit.
func TestCacheIsBounded(t *testing.T) {
	f := open(t, dbtest.Empty(t, "sqlite"))
	e := model.NewEncoder(f.scope.Resource, 10_000)
	write := func(i int, version wire.Version, deleted bool) {
		t.Helper()
		f.write(e, revision{fmt.Sprint("uid-", i), version, fmt.Sprintf(`{"object":%d,"version":%d}`, i, version), deleted})
	}
	for i := range 100 {
		write(i, wire.Version(1+i), false)
	}
	if n, bytes := e.Cached(); n < 20 || n > 60 || bytes > 10_000 {
		t.Errorf("%d keyframes of %d bytes are cached", n, bytes)
	}
	for i := range 100 {
		write(i, wire.Version(200+i), false)
		write(i, wire.Version(400+i), true)
	}
	if n, bytes := e.Cached(); n != 0 || bytes != 0 {
		t.Errorf("%d keyframes of %d bytes are cached for deleted objects", n, bytes)
	}
}
