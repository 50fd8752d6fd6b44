package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// keep returns a delta for an object that exists but is unusable.
func keep(key, uid string, v int) delta.Delta {
	rec := record(key, uid, v)
	rec.Body = nil
	return delta.Delta{Kind: delta.Keep, Version: rec.Version, Record: rec, Err: errors.New("planted")}
}

// nameless is a delta for an object without a readable key.
var nameless = delta.Delta{Kind: delta.Keep, Err: errors.New("planted")}

// TestUnusableObjectsStay checks that an object that arrives in an unusable state keeps
// its last known state, in a list and in a watch, and that subscribers get no change.
func TestUnusableObjectsStay(t *testing.T) {
	s := store.New(store.Config{})
	sub := s.Subscribe(store.EveryChange)
	defer sub.Close()
	index := s.AddIndex(digits)
	apply(t, s, begin, upsert("ax", "1", 1), upsert("ay", "2", 2), upsert("az", "3", 3), upsert("bz", "4", 4), keep("bw", "5", 5), nameless, end(6))
	want(t, next(t, sub), "Added a/x->1 initial", "Added a/y->2 initial", "Added a/z->3 initial", "Added b/z->4 initial")

	// A list with its UID, without a UID, with another UID for the same name, and without
	// the object.
	apply(t, s, begin, keep("ax", "1", 11), keep("ay", "", 0), keep("az", "9", 13), nameless, end(15))
	want(t, next(t, sub), "Deleted a/z 3 missed", "Deleted b/z 4 missed")
	contents(t, s.Snapshot(), index)

	// In a watch the object stays, also without a UID or version; another UID deletes it.
	apply(t, s, keep("ax", "1", 16), keep("ax", "", 0), keep("bz", "7", 17), nameless)
	if sub.Pending() != 2 || s.Snapshot().Len() != 2 {
		t.Errorf("got %d objects and %d further changes", s.Snapshot().Len(), sub.Pending()-2)
	}
	if v := s.Snapshot().Version(); v != 17 {
		t.Errorf("got version %v", v)
	}
	apply(t, s, keep("ax", "8", 18))
	want(t, next(t, sub), "Deleted a/x 1 missed")

	// A later usable state updates it.
	apply(t, s, upsert("ay", "2", 19))
	want(t, next(t, sub), "Updated a/y 2->19")

	// A deletion with an unusable object deletes it, without a last state.
	gone := remove("ay", "", 0)
	gone.Record.Body, gone.Err = nil, errors.New("planted")
	apply(t, s, gone)
	want(t, next(t, sub), "Deleted a/y 19 missed")
}

// TestUnusableWithinAList checks that an earlier state in the same list is kept.
func TestUnusableWithinAList(t *testing.T) {
	s := store.New(store.Config{})
	sub := s.Subscribe(store.EveryChange)
	defer sub.Close()
	apply(t, s, begin, upsert("ax", "1", 1), upsert("ay", "2", 2), end(3))
	next(t, sub)
	apply(t, s, begin, upsert("ax", "1", 5), keep("ax", "1", 6), keep("ay", "2", 7), upsert("ay", "2", 8), end(9))
	want(t, next(t, sub), "Updated a/x 1->5", "Updated a/y 2->8")
	// An interrupted list frees no live entry.
	apply(t, s, begin, keep("ax", "1", 10), begin, keep("ax", "1", 10), upsert("ay", "2", 8), end(11))
	if got := contents(t, s.Snapshot()); len(got) != 2 || got[record("ax", "", 0).Key] != "1@5=ax15" {
		t.Errorf("got %v", got)
	}
}

// TestRefusedObjectsStay checks that an object that Transform refuses, by an error or a
// panic, keeps its last known state, in a list and in a watch.
func TestRefusedObjectsStay(t *testing.T) {
	for how, refuse := range map[string]func(wire.Record) error{
		"error": func(rec wire.Record) error { return fmt.Errorf("%s is refused", rec.Key) },
		"panic": func(rec wire.Record) error { panic("refused " + rec.Key.String()) },
	} {
		s := store.New(store.Config{Transform: func(rec wire.Record) (wire.Record, error) {
			if slices.Contains([]wire.Version{4, 11, 13, 16, 17}, rec.Version) {
				return rec, refuse(rec)
			}
			return rec, nil
		}})
		sub := s.Subscribe(store.EveryChange)
		apply(t, s, begin, upsert("ax", "1", 1), upsert("ay", "2", 2), upsert("az", "3", 3), upsert("bz", "4", 4), end(5))
		want(t, next(t, sub), "Added a/x->1 initial", "Added a/y->2 initial", "Added a/z->3 initial")
		// In a list; one object has a new UID.
		apply(t, s, begin, upsert("ax", "1", 11), upsert("ay", "2", 12), upsert("az", "9", 13), end(15))
		want(t, next(t, sub), "Deleted a/z 3 missed", "Updated a/y 2->12")
		// In a watch; one object has a new UID.
		apply(t, s, upsert("ax", "1", 16), upsert("ay", "9", 17))
		want(t, next(t, sub), "Deleted a/y 12 missed")
		st := s.Stats()
		if st.Refused != 5 || !strings.Contains(st.LastRefused.Error(), "refused") || !strings.Contains(st.LastRefused.Error(), "a/y") {
			t.Errorf("%s: got %d refused, last error %v", how, st.Refused, st.LastRefused)
		}
		var panicked *store.PanicError
		if errors.As(st.LastRefused, &panicked) != (how == "panic") || panicked != nil && !strings.Contains(panicked.Error(), "keep_test.go") {
			t.Errorf("%s: got %v", how, st.LastRefused)
		}
		if got := contents(t, s.Snapshot()); len(got) != 1 || got[record("ax", "", 0).Key] != "1@1=ax11" {
			t.Errorf("%s: got objects %v", how, got)
		}
		sub.Close()
	}
}

// TestLastStateIsTransformed checks that readers get the transformed form of the last
// state in a deletion. If the transform refuses it, the deletion counts as missed.
func TestLastStateIsTransformed(t *testing.T) {
	s := store.New(store.Config{
		Transform: func(rec wire.Record) (wire.Record, error) {
			if rec.Version == 6 {
				return rec, errors.New("refused")
			}
			rec.Body = append(slices.Clone(rec.Body), '!')
			return rec, nil
		},
		Decode: func(rec wire.Record) (any, error) { return string(rec.Body), nil },
	})
	sub := s.Subscribe(store.EveryChange)
	defer sub.Close()
	apply(t, s, begin, upsert("ax", "1", 1), upsert("ay", "2", 2), end(3))
	next(t, sub)
	apply(t, s, remove("ax", "1", 5), remove("ay", "2", 6))
	changes, err := sub.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var last []string
	for _, c := range changes {
		object, err := c.Last().Object()
		last = append(last, fmt.Sprint(object, " ", string(c.Last().Record().Body), " ", c.Missed(), err))
	}
	if want := []string{"ax15! ax15! false <nil>", "ay22! ay22! true <nil>"}; !slices.Equal(last, want) {
		t.Errorf("got %q, want %q", last, want)
	}
}

// TestFunctionsThatPanic checks that a panic in an index function or a decoder does not
// end the process.
func TestFunctionsThatPanic(t *testing.T) {
	s := store.New(store.Config{Decode: func(rec wire.Record) (any, error) {
		if rec.Name == "y" {
			panic("odd object")
		}
		return rec.Name, nil
	}})
	odd := func(dst []string, rec *wire.Record, object any) []string {
		return append(dst, rec.Namespace, object.(string)) // panics if Decode has panicked, because object is nil
	}
	x := s.AddIndex(odd)
	apply(t, s, begin, upsert("ax", "1", 1), upsert("ay", "2", 2), end(3))
	later := s.AddIndex(odd)
	for _, x := range []*store.Index{x, later} {
		if n := x.Len(s.Snapshot(), "a"); n != 1 {
			t.Errorf("got %d objects in the index, want 1", n)
		}
	}
	e, _ := s.Snapshot().Get(record("ay", "", 0).Key)
	var panicked *store.PanicError
	if _, err := e.Object(); !errors.As(err, &panicked) || panicked.Key.Name != "y" {
		t.Errorf("got error %v for the object for which Decode panicked", err)
	}
	if st := s.Stats(); st.Unindexed < 2 || st.Objects != 2 || !errors.As(st.LastUnindexed, &panicked) {
		t.Errorf("got %+v", st)
	}
	if st := s.Stats(); st.Undecoded != 1 || !errors.As(st.LastUndecoded, &panicked) {
		t.Errorf("got %d undecoded records, the last with %v, want 1 with a panic", st.Undecoded, st.LastUndecoded)
	}
}

// TestUndecoded checks that errors and panics of Decode and KeepObject are counted and
// reported, that the policy applies to the panics, and that the store has the objects.
func TestUndecoded(t *testing.T) {
	fail := map[string]func() error{
		"panic": func() error { panic("odd object") },
		"error": func() error { return errors.New("odd object") },
	}
	for how, f := range fail {
		for _, where := range []string{"Decode", "KeepObject"} {
			if how == "error" && where == "KeepObject" {
				continue // it returns none
			}
			for _, policy := range []store.PanicPolicy{store.SkipOnPanic, store.StopOnPanic, store.CrashOnPanic} {
				reports := 0
				cfg := store.Config{Panics: policy, Report: func(error) { reports++ }, Decode: func(rec wire.Record) (any, error) {
					if where == "Decode" && rec.Name == "y" {
						return nil, f()
					}
					return rec.Name, nil
				}}
				if where == "KeepObject" {
					cfg.KeepObject = func(c store.Candidate) bool { return c.Size < 10 || f() == nil }
				}
				s := store.New(cfg)
				large := upsert("ay", "2", 2)
				large.Record.Body = []byte("a body of more than ten bytes")
				err, crashed := applying(s, begin, upsert("ax", "1", 1), large, end(3))
				if stops, crashes := how == "panic" && policy == store.StopOnPanic, how == "panic" && policy == store.CrashOnPanic; (err != nil) != stops || crashed != crashes {
					t.Errorf("%s in %s, policy %d: got error %v, crashed %v", how, where, policy, err, crashed)
				}
				if crashed {
					continue
				}
				if st := s.Stats(); st.Undecoded != 1 || reports != 1 || st.Objects != 2 {
					t.Errorf("%s in %s, policy %d: got %d undecoded, %d reports, %d objects, want 1, 1 and 2", how, where, policy, st.Undecoded, reports, st.Objects)
				}
			}
		}
	}
}

// applying applies a batch, and returns the error, and whether a function of the program
// panicked through it.
func applying(s *store.Store, batch ...delta.Delta) (err error, crashed bool) {
	defer func() { crashed = recover() != nil }()
	return s.Apply(context.Background(), batch), false
}

// TestObjectsOnly checks a store that keeps objects without bodies. Its counters, indexes
// and keys are the same as with bodies, and it refuses to write a file.
func TestObjectsOnly(t *testing.T) {
	of := func(bodies store.BodyPolicy) (*store.Store, *store.Index) {
		s := store.New(store.Config{
			Bodies: bodies,
			Decode: func(rec wire.Record) (any, error) {
				if rec.Version == 3 {
					return nil, errors.New("invalid")
				}
				return "object " + string(rec.Body), nil
			},
		})
		apply(t, s, begin, upsert("ax", "1", 1), upsert("ay", "2", 2), upsert("az", "3", 3), end(3))
		index := s.AddIndex(func(dst []string, _ *wire.Record, object any) []string {
			return append(dst, fmt.Sprint(object))
		})
		apply(t, s, upsert("ax", "1", 1000), remove("ay", "2", 1001), upsert("aw", "4", 1002))
		s.AddIndex(func(dst []string, rec *wire.Record, _ any) []string { return append(dst, rec.Name) })
		return s, index
	}
	with, _ := of(store.KeepBodies)
	s, index := of(store.ObjectsOnly)
	if a, b := with.Stats(), s.Stats(); a.Objects != b.Objects || a.RawBytes != b.RawBytes {
		t.Errorf("got %+v with bodies, %+v without", a, b)
	}
	all := slices.Collect(s.Snapshot().All())
	for i, e := range slices.Collect(with.Snapshot().All()) {
		a, aErr := e.Object()
		b, bErr := all[i].Object()
		if e.Key() != all[i].Key() || e.Version() != all[i].Version() || e.Len() != all[i].Len() || a != b || fmt.Sprint(aErr) != fmt.Sprint(bErr) {
			t.Errorf("%v: got %v with bodies, %v without", e.Key(), a, b)
		}
		if rec := all[i].Record(); rec.Body != nil || rec.Key != e.Key() {
			t.Errorf("%v: got body %q, want none", rec.Key, rec.Body)
		}
		if n := index.Len(s.Snapshot(), fmt.Sprint(a)); n != 1 {
			t.Errorf("%v: got %d entries in the index", e.Key(), n)
		}
	}
	if err := s.Snapshot().WriteFile(io.Discard, store.FileOptions{}); err == nil || !strings.Contains(err.Error(), "ObjectsOnly") {
		t.Errorf("got error %v, want a refusal", err)
	}
	if err := with.Snapshot().WriteFile(io.Discard, store.FileOptions{}); err != nil {
		t.Error(err)
	}
}
