package store_test

import (
	"context"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// revision returns a delta of an object "x" with a UID, a version and a body.
func revision(kind delta.Kind, order delta.Order, uid string, v wire.Version, body string) delta.Delta {
	return delta.Delta{Kind: kind, Order: order, Version: v, Record: wire.Record{
		Key: wire.Key{Namespace: "ns", Name: "x"}, UID: uid, Version: v, Encoding: wire.JSON, Body: []byte(body),
	}}
}

// TestArrivalOrder checks that, by arrival, a later delta is newer whatever its version
// is.
func TestArrivalOrder(t *testing.T) {
	const up, del = delta.Upsert, delta.Delete
	for _, c := range []struct {
		name   string
		deltas func(o delta.Order) delta.Batch
		// The deltas, and the expected changes and final state by arrival and by version.
		arrival, version string
	}{
		{"deleted with the stored version", func(o delta.Order) delta.Batch {
			return delta.Batch{revision(up, o, "u", 50, `"a"`), revision(del, o, "u", 50, `"a"`)}
		}, `Added "a"; Deleted; nothing`, `Added "a"; Deleted; nothing`},
		{"the deletion of another object with the stored version", func(o delta.Order) delta.Batch {
			return delta.Batch{revision(up, o, "u", 50, `"a"`), revision(del, o, "w", 50, `"a"`)}
		}, `Added "a"; "a"`, `Added "a"; "a"`},
		{"deleted with the stored version in a streaming list", func(o delta.Order) delta.Batch {
			return delta.Batch{{Kind: delta.Begin, Order: o}, revision(up, o, "u", 50, `"a"`), revision(del, o, "u", 50, `"a"`), {Kind: delta.End, Order: o, Version: 60}}
		}, `nothing`, `nothing`},
		{"modified with the stored version", func(o delta.Order) delta.Batch {
			return delta.Batch{revision(up, o, "u", 50, `"a"`), revision(up, o, "u", 50, `"b"`)}
		}, `Added "a"; Updated "b"; "b"`, `Added "a"; Updated "b"; "b"`},
		{"modified with a lower version", func(o delta.Order) delta.Batch {
			return delta.Batch{revision(up, o, "u", 50, `"a"`), revision(up, o, "u", 40, `"b"`)}
		}, `Added "a"; Updated "b"; "b"`, `Added "a"; "a"`},
		{"objects without versions, in lists", func(o delta.Order) delta.Batch {
			var lists delta.Batch
			for _, body := range []string{`"a"`, `"a"`, `"b"`} {
				lists = append(lists, delta.Delta{Kind: delta.Begin, Order: o}, revision(up, o, "u", 0, body), delta.Delta{Kind: delta.End, Order: o, Version: 60})
			}
			return lists
		}, `Added "a"; Updated "b"; "b"`, `Added "a"; Updated "b"; "b"`},
		{"the same again", func(o delta.Order) delta.Batch {
			return delta.Batch{revision(up, o, "u", 50, `"a"`), revision(up, o, "u", 50, `"a"`)}
		}, `Added "a"; "a"`, `Added "a"; "a"`},
		{"added below the list", func(o delta.Order) delta.Batch {
			return delta.Batch{{Kind: delta.Begin, Order: o}, {Kind: delta.End, Order: o, Version: 100}, revision(up, o, "u", 50, `"a"`)}
		}, `Added "a"; "a"`, `nothing`},
		{"another object with a lower version", func(o delta.Order) delta.Batch {
			return delta.Batch{revision(up, o, "u", 50, `"a"`), revision(up, o, "w", 40, `"b"`)}
		}, `Added "a"; Deleted; Added "b"; "b"`, `Added "a"; "a"`},
		{"the deletion of an object that was replaced", func(o delta.Order) delta.Batch {
			return delta.Batch{revision(up, o, "u", 50, `"a"`), revision(up, o, "w", 60, `"b"`), revision(del, o, "u", 70, `"a"`)}
		}, `Added "a"; Deleted; Added "b"; "b"`, `Added "a"; Deleted; Added "b"; Deleted; nothing`},
		{"a list with the stored version", func(o delta.Order) delta.Batch {
			return delta.Batch{revision(up, o, "u", 50, `"a"`), {Kind: delta.Begin, Order: o}, revision(up, o, "u", 50, `"b"`), {Kind: delta.End, Order: o, Version: 60}}
		}, `Added "a"; Updated "b"; "b"`, `Added "a"; Updated "b"; "b"`},
		{"a list with the stored state", func(o delta.Order) delta.Batch {
			return delta.Batch{revision(up, o, "u", 50, `"a"`), {Kind: delta.Begin, Order: o}, revision(up, o, "u", 50, `"a"`), {Kind: delta.End, Order: o, Version: 60}}
		}, `Added "a"; "a"`, `Added "a"; "a"`},
		{"a list with a lower version", func(o delta.Order) delta.Batch {
			return delta.Batch{revision(up, o, "u", 50, `"a"`), {Kind: delta.Begin, Order: o}, revision(up, o, "u", 40, `"b"`), {Kind: delta.End, Order: o, Version: 30}}
		}, `Added "a"; Updated "b"; "b"`, `Added "a"; Updated "b"; "b"`},
		{"twice in a streaming list", func(o delta.Order) delta.Batch {
			return delta.Batch{{Kind: delta.Begin, Order: o}, revision(up, o, "u", 50, `"a"`), revision(up, o, "u", 40, `"b"`), {Kind: delta.End, Order: o, Version: 30}}
		}, `Added "b"; "b"`, `Added "a"; "a"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for order, want := range map[delta.Order]string{delta.ByArrival: c.arrival, delta.ByVersion: c.version} {
				if got := applied(t, c.deltas(order)); got != want {
					t.Errorf("%v: got %s, want %s", order, got, want)
				}
			}
		})
	}
}

// applied applies deltas one by one and returns the changes and the final state.
func applied(t *testing.T, deltas delta.Batch) string {
	t.Helper()
	s := store.New(store.Config{})
	var out []string
	sub := s.Subscribe(store.EveryChange)
	defer sub.Close()
	noWait, cancel := context.WithCancel(t.Context())
	cancel()
	for i := range deltas {
		if err := s.Apply(t.Context(), deltas[i:i+1]); err != nil {
			t.Fatal(err)
		}
		changes, err := sub.Next(noWait)
		if err != nil {
			continue // there is no change
		}
		for _, c := range changes {
			text := c.Kind.String()
			if c.Kind != store.Deleted {
				text += " " + string(c.New.Record().Body)
			}
			out = append(out, text)
		}
	}
	if e, ok := s.Snapshot().Get(wire.Key{Namespace: "ns", Name: "x"}); ok {
		return strings.Join(append(out, string(e.Record().Body)), "; ")
	}
	return strings.Join(append(out, "nothing"), "; ")
}

// TestLatestByArrival checks that a subscriber of Latest gets a new state whose version
// is unchanged.
func TestLatestByArrival(t *testing.T) {
	s := store.New(store.Config{})
	sub := s.Subscribe(store.Latest)
	defer sub.Close()
	for _, bodies := range []string{"a", "b", "cdefghijklmnopqrstuvwxyz", "cdefghijklmnopqrstuvwxya"} {
		for _, b := range bodies {
			if err := s.Apply(t.Context(), delta.Batch{revision(delta.Upsert, delta.ByArrival, "u", 50, string(b))}); err != nil {
				t.Fatal(err)
			}
		}
		last := bodies[len(bodies)-1:]
		changes, err := sub.Next(t.Context())
		if err != nil || len(changes) != 1 || string(changes[0].New.Record().Body) != last {
			t.Errorf("got %v, %v; want %s", changes, err, last)
		}
	}
}
