package kube_test

import (
	"fmt"
	"io"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// TestUIDRanges reads the four ranges of a type, built-in and custom, from a server that
// selects them and from one that ignores the selector: each object is in one range, and the
// readers skip objects only if the server does not select.
func TestUIDRanges(t *testing.T) {
	widgets := apitest.Type{Group: "example.io", Version: "v1", Kind: "Widget", Namespaced: true}
	for _, selects := range []bool{false, true} {
		srv, c := serve(t, apitest.Config{ShardSelectors: selects, Types: []apitest.Type{widgets}})
		for i := range 40 {
			if _, err := srv.Create(pod("default", fmt.Sprint("p", i), "x")); err != nil {
				t.Fatal(err)
			}
			w := &unstructured.Unstructured{}
			w.SetAPIVersion("example.io/v1")
			w.SetKind("Widget")
			w.SetNamespace("default")
			w.SetName(fmt.Sprint("w", i))
			if _, err := srv.Create(w); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"pods", "widgets.example.io"} {
			r, err := c.Resolve(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			seen, skipped := map[string]int{}, int64(0)
			for i := range 4 {
				coll, err := c.Collection(r, kube.Selection{UIDs: wire.UIDRange{Index: i, Count: 4}})
				if err != nil {
					t.Fatal(err)
				}
				skipped += readRange(t, coll, seen)
			}
			if len(seen) != 40 {
				t.Errorf("%s: the ranges have %d objects together, want 40", name, len(seen))
			}
			for object, n := range seen {
				if n != 2 { // in the list and in the watch
					t.Errorf("%s: %s was read %d times, want 2", name, object, n)
				}
			}
			if want := map[bool]int64{false: 2 * 3 * 40, true: 0}[selects]; skipped != want {
				t.Errorf("%s: %d objects were skipped, want %d", name, skipped, want)
			}
		}
	}
}

// readRange counts the objects of a list and of a streaming list in seen, and returns how
// many others there were.
func readRange(t *testing.T, coll *kube.Collection, seen map[string]int) (skipped int64) {
	t.Helper()
	options := func(s wire.Stream) wire.Options {
		return wire.Options{APIVersion: s.APIVersion, Kind: s.Kind, UIDs: s.UIDs}
	}
	s, err := coll.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Body.Close()
	l := wire.NewListReader(s.Body, s.Encoding, options(s))
	for {
		rec, err := l.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		seen[rec.Name]++
	}
	initial := true
	s, err = coll.Watch(t.Context(), metav1.ListOptions{
		SendInitialEvents: &initial, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Body.Close()
	w := wire.NewWatchReader(s.Body, s.Encoding, options(s))
	for {
		ev, err := w.Next()
		if err != nil {
			t.Fatal(err)
		}
		if ev.InitialEventsEnd {
			return l.Skipped() + w.Skipped()
		}
		seen[ev.Record.Name]++
	}
}

func TestInvalidUIDRange(t *testing.T) {
	_, c := serve(t, apitest.Config{})
	r, err := c.Resolve(t.Context(), "pods")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Collection(r, kube.Selection{UIDs: wire.UIDRange{Count: 3}}); !errcode.Is(err, errcode.Invalid) {
		t.Errorf("got %v, want an invalid selection", err)
	}
}
