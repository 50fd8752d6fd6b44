package model_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/internal/model"
)

// TestTermsAreStable checks that terms never change, because databases contain their
// hashes.
func TestTermsAreStable(t *testing.T) {
	a := model.Attributes{
		Cluster: 1, Resource: 2, Namespace: "ml", Owner: model.Owner{UID: "uid-o", Kind: "Job", Name: "train"}, Queue: "gpu", Submitter: "ann",
		Labels: map[string]string{"app": "train", "team": ""},
	}
	want := []model.Term{-8950423072691319108, -6138067917336057918, -3801994205563901999, -2081979665950206741, -1061289794283918875, -901374342908904444, 4977700268838573633, 5099631284059030252, 6355156919584297942}
	if got := a.Terms(); !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
	if got := a.Hash(); got != 143741283182547445 {
		t.Errorf("got hash %d, want 143741283182547445", got)
	}
	if got := model.Labeled("app", "train").Terms; !slices.Contains(want, got[0]) {
		t.Errorf("got terms %d for a label", got)
	}
}

// TestConditionsHaveTerms checks that an object that meets a condition has one of its
// terms, and that another object has none.
func TestConditionsHaveTerms(t *testing.T) {
	a := model.Attributes{
		Cluster: 1, Resource: 2, Namespace: "ml", Owner: model.Owner{UID: "uid-o", Kind: "Job", Name: "train"}, Queue: "gpu", Submitter: "ann", Labels: map[string]string{"app": "train"},
	}
	b := model.Attributes{
		Cluster: 3, Resource: 4, Namespace: "gpu", Owner: model.Owner{UID: "ann", Kind: "Pod", Name: "ml"}, Queue: "uid-o", Submitter: "ml", Labels: map[string]string{"train": "app"},
	}
	for name, c := range map[string]model.Condition{
		"clusters": model.OfClusters([]int64{7, 1}), "types": model.OfTypes([]int64{2, 9}), "namespace": model.InNamespace("ml"), "queue": model.InQueue("gpu"),
		"submitter": model.SubmittedBy("ann"), "owner UID": model.OwnedByUID("uid-o"), "owner": model.OwnedBy("Job", "train"), "label": model.Labeled("app", "train"),
	} {
		has := func(a model.Attributes) bool {
			return slices.ContainsFunc(a.Terms(), func(t model.Term) bool { return slices.Contains(c.Terms, t) })
		}
		if !has(a) || has(b) {
			t.Errorf("%s: got %t and %t, want true and false", name, has(a), has(b))
		}
		if strings.Count(c.SQL, "?") != len(c.Args) {
			t.Errorf("%s: %s has %d arguments, want one for each mark", name, c.SQL, len(c.Args))
		}
	}
}

// TestHourOf checks that an hour includes its start, also before 1970.
func TestHourOf(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		at := rapid.Int64Range(-1<<50, 1<<50).Draw(t, "time")
		if start := model.HourStart(model.HourOf(at)); start > at || at-start >= time.Hour.Microseconds() {
			t.Fatalf("the hour of %d begins at %d", at, start)
		}
	})
}

// TestTruncate checks that the result is a prefix of valid text within the limit, and at
// most one character shorter than the limit.
func TestTruncate(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		text, limit := rapid.StringOf(rapid.SampledFrom([]rune("aé☃😀"))).Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "limit")
		got := model.Truncate(text, limit)
		if !strings.HasPrefix(text, got) || !utf8.ValidString(got) || len(got) > limit || len(got) < min(len(text), limit-3) {
			t.Fatalf("%q to %d bytes is %q", text, limit, got)
		}
	})
	for text, want := range map[string]string{"a\x00b": "ab", "a\xffb": "a\uFFFDb", "": ""} {
		if got := model.Truncate(text, 10); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
