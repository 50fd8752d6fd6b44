package bodies_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// each runs a test on an empty database of each kind.
func each(t *testing.T, test func(t *testing.T, d *modeltest.Database)) {
	dbtest.Each(t, func(t *testing.T, url string) { test(t, modeltest.Open(t, url)) })
}

func write(t *testing.T, d *modeltest.Database, all ...modeltest.Revision) {
	t.Helper()
	if err := d.Write(t.Context(), all); err != nil {
		t.Fatal(err)
	}
}

// TestKeyframes checks that a body is a keyframe or a difference from one, and that at most
// 31 differences refer to the same keyframe. This also holds for recurring contents, and
// when each batch must read the keyframe. All bodies can be read.
func TestKeyframes(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		const revisions, interval = 200, 32
		filler := strings.Repeat(`"name-of-a-field":"its value",`, 40)
		want := map[wire.Version]string{}
		var all []modeltest.Revision
		for v := wire.Version(1); v <= revisions; v++ {
			want[v] = fmt.Sprintf(`{"spec":{%s"end":1},"status":{"at":%d}}`, filler, v%3)
			all = append(all, modeltest.Revision{UID: "a", Version: v, State: job.Running, Body: want[v]})
		}
		for some := range slices.Chunk(all, 7) { // each chunk begins with a new encoder
			write(t, d, some...)
		}
		d.Want("SELECT COUNT(*) FROM revisions r JOIN revisions b ON b.object_id = r.object_id AND b.version = r.keyframe_version WHERE b.keyframe_version <> 0", "0")
		d.Want("SELECT COUNT(*) FROM revisions r WHERE r.keyframe_version <> 0 AND r.keyframe_version > r.version", "0")
		d.Want("SELECT COUNT(*) FROM revisions WHERE keyframe_version = 0", fmt.Sprint((revisions+interval-1)/interval))
		d.Want("SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM revisions WHERE keyframe_version <> 0 GROUP BY keyframe_version) AS g", fmt.Sprint(interval-1))
		d.Want("SELECT COUNT(*) FROM revisions WHERE keyframe_version <> 0 AND LENGTH(data) > 40", "0")
		for v, body := range want {
			if got, err := d.Body(t.Context(), "a", v); err != nil || string(got) != body {
				t.Fatalf("body at %v: got %s and error %v, want %s", v, got, err, body)
			}
		}
	})
}

// TestDifferenceOfDifference checks that a difference whose base is not a keyframe is
// damaged, and is not decoded.
func TestDifferenceOfDifference(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		filler := strings.Repeat("the same in all of them, ", 20)
		for v := wire.Version(1); v <= 3; v++ {
			write(t, d, modeltest.Revision{UID: "a", Version: v, State: job.Running, Body: fmt.Sprint(filler, v)})
		}
		d.Exec("UPDATE revisions SET keyframe_version = 2 WHERE version = 3")
		if _, err := d.Body(t.Context(), "a", 3); err == nil || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), "not a keyframe") {
			t.Errorf("Body: got error %v, want damaged and not a keyframe", err)
		}
	})
}

// TestDamagedBody checks that Read returns an error for a body whose hash differs, and for
// a removed body.
func TestDamagedBody(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		write(t, d, modeltest.Revision{UID: "a", Version: 1, State: job.Running, Body: "{}"}, modeltest.Revision{UID: "b", Version: 2, State: job.Running, Body: "{}"})
		d.Exec("UPDATE revisions SET data = '[]' WHERE version = 1")
		d.Exec("UPDATE revisions SET data = '' WHERE version = 2")
		if _, err := d.Body(t.Context(), "a", 1); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("Body: got error %v, want one with %q", err, "damaged")
		}
		if _, err := d.Body(t.Context(), "b", 2); !errors.Is(err, bodies.ErrNoBody) {
			t.Errorf("Body: got error %v, want %v", err, bodies.ErrNoBody)
		}
	})
}

// TestDictionaries checks that similar bodies of a type are compressed with a dictionary
// that all recorders share, and can be read.
func TestDictionaries(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		var all []modeltest.Revision
		for i := range 200 {
			var b strings.Builder
			for j := range 60 {
				fmt.Fprintf(&b, `"field-%d":"%x",`, j, j*7919)
			}
			body := fmt.Sprintf(`{"metadata":{"name":"job-%d"},"spec":{%s"end":%d}}`, i, &b, i*i)
			all = append(all, modeltest.Revision{UID: fmt.Sprint("uid-", i), Version: wire.Version(i + 1), State: job.Running, Body: body})
		}
		for some := range slices.Chunk(all, 60) { // a different recorder writes each chunk
			write(t, d, some...)
		}
		d.Want("SELECT COUNT(*) FROM dictionaries", "1")
		d.Want("SELECT COUNT(*) FROM revisions WHERE LENGTH(data) > 200", "0")
		for _, r := range all {
			if got, err := d.Body(t.Context(), r.UID, r.Version); err != nil || string(got) != r.Body {
				t.Fatalf("body of %s: got %s and error %v, want %s", r.UID, got, err, r.Body)
			}
		}
	})
}

// TestPrepare checks that a body is stored in the same way with and without preparation,
// even if the dictionary has changed in between.
func TestPrepare(t *testing.T) {
	body := func(i int) []byte {
		return fmt.Appendf(nil, `{"metadata":{"name":"job-%d"},"spec":{%s"end":%d}}`, i, strings.Repeat(fmt.Sprintf(`"field-%d":"%x",`, i%7, i%5), 40), i*i)
	}
	d := modeltest.Open(t, dbtest.Empty(t, "sqlite"))
	e := bodies.NewEncoder(d.Scope.Resource, 1<<20)
	encode := func(o model.Object, version wire.Version, text []byte, prepared model.StoredBody) (stored model.StoredBody) {
		t.Helper()
		err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
			b, err := e.Begin(t.Context(), tx, slices.Values([][]byte{text}), slices.Values([]*model.Object{&o}))
			if err == nil {
				stored = b.Encode(&o, version, text, prepared)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return stored
	}
	old := e.Prepare(body(1000), true) // before there is a dictionary
	for i := range 200 {
		r := modeltest.Revision{UID: fmt.Sprint("uid-", i), Version: wire.Version(i + 1), State: job.Running, Body: string(body(i))}
		if err := d.WriteWith(t.Context(), e, []modeltest.Revision{r}); err != nil {
			t.Fatal(err)
		}
	}
	fresh := model.Object{ID: 5000}
	want := encode(fresh, 900, body(1000), model.StoredBody{})
	if want.Dictionary == 0 || len(want.Data) > 200 {
		t.Fatalf("the body is not compressed: %d bytes with dictionary %d", len(want.Data), want.Dictionary)
	}
	for name, prepared := range map[string]model.StoredBody{"keyframe": e.Prepare(body(1000), true), "hash": e.Prepare(body(1000), false), "without a dictionary": old} {
		if got := encode(fresh, 900, body(1000), prepared); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %d bytes with dictionary %d, want %d with %d", name, len(got.Data), got.Dictionary, len(want.Data), want.Dictionary)
		}
	}
	known := model.Object{ID: 1, Base: 1} // the keyframe of uid-0
	next := bytes.Replace(body(0), []byte("job-0"), []byte("job-9"), 1)
	if got := encode(known, 901, next, e.Prepare(next, true)); got.Base != 1 || !reflect.DeepEqual(got, encode(known, 901, next, model.StoredBody{})) {
		t.Errorf("a prepared keyframe is not stored as a difference: %+v", got)
	}
}

// TestCacheIsBounded checks that the encoder caches no keyframe of a deleted object, and
// stays within its limit in bytes.
func TestCacheIsBounded(t *testing.T) {
	d := modeltest.Open(t, dbtest.Empty(t, "sqlite"))
	e := bodies.NewEncoder(d.Scope.Resource, 10_000)
	write := func(i int, version wire.Version, s job.State) {
		t.Helper()
		r := modeltest.Revision{UID: fmt.Sprint("uid-", i), Version: version, State: s, Body: fmt.Sprintf(`{"object":%d,"version":%d}`, i, version)}
		if err := d.WriteWith(t.Context(), e, []modeltest.Revision{r}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		write(i, wire.Version(1+i), job.Running)
	}
	if n, bytes := e.Cached(); n < 20 || n > 60 || bytes > 10_000 {
		t.Errorf("the cache has %d keyframes of %d bytes", n, bytes)
	}
	for i := range 100 {
		write(i, wire.Version(200+i), job.Succeeded)
		write(i, wire.Version(400+i), job.Deleted)
	}
	if n, bytes := e.Cached(); n != 0 || bytes != 0 {
		t.Errorf("the cache has %d keyframes of %d bytes after the deletions, want 0", n, bytes)
	}
}

// TestReadMany checks that ReadMany returns the same bodies as Read: keyframes,
// differences, and bodies before an inferred deletion. It omits removed bodies.
func TestReadMany(t *testing.T) {
	each(t, func(t *testing.T, d *modeltest.Database) {
		var ids []model.RevisionID
		filler := strings.Repeat(`"name-of-a-field":"its value",`, 40)
		version := wire.Version(0)
		for i := range 250 {
			uid := fmt.Sprintf("uid-%03d", i)
			for n := range i%4 + 1 {
				version++
				write(t, d, modeltest.Revision{UID: uid, Version: version, State: job.Running, Body: fmt.Sprintf(`{"spec":{%s"end":%d},"status":{"at":%d}}`, filler, i, n)})
			}
		}
		for _, row := range d.Rows("SELECT id, version FROM objects ORDER BY uid") {
			var id model.RevisionID
			if _, err := fmt.Sscan(row, &id.Object, &id.Version); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		stripped, last := ids[5], ids[len(ids)-1]
		d.Exec(fmt.Sprintf("UPDATE revisions SET deleted = 1, source = 4, size = 0, keyframe_version = 0 WHERE object_id = %d AND version = %d", last.Object, last.Version))
		d.Exec(fmt.Sprintf("UPDATE revisions SET data = '', keyframe_version = 0, dictionary_id = 0 WHERE object_id = %d", stripped.Object))
		reader := new(bodies.Reader)
		many, err := reader.ReadMany(t.Context(), d.DB, ids)
		if err != nil {
			t.Fatal(err)
		}
		differences := d.Rows("SELECT COUNT(*) FROM revisions WHERE keyframe_version > 0")
		if len(many) != len(ids)-1 || many[stripped.Object] != nil || differences[0] == "0" {
			t.Errorf("got %d bodies, want %d, with %s differences", len(many), len(ids)-1, differences[0])
		}
		for _, id := range ids {
			one, err := reader.Read(t.Context(), d.DB, id.Object, id.Version)
			if err != nil && !errors.Is(err, bodies.ErrNoBody) || string(one) != string(many[id.Object]) {
				t.Errorf("object %d: %.60q, alone %.60q, %v", id.Object, many[id.Object], one, err)
			}
		}
	})
}
