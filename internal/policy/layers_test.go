package policy

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestLayers(t *testing.T) {
	files, err := goFiles(root, false)
	if err != nil {
		t.Fatal(err)
	}
	delete(files, ".") // the root has no code
	packages := slices.Sorted(maps.Keys(files))
	found, err := checkLayers("../..", packages)
	report(t, overBudget(found, tangled), err)
}

func TestBudget(t *testing.T) {
	found := map[string][]string{"a": {"1", "2"}, "b": {"1"}, "c": nil}
	for _, c := range []struct {
		name   string
		budget map[string]int
		want   int
	}{
		{"as allowed", map[string]int{"a": 2, "b": 1}, 0},
		{"fewer than allowed", map[string]int{"a": 3, "b": 1}, 0},
		{"more than allowed", map[string]int{"a": 1, "b": 1}, 1},
		{"a place that is not listed", map[string]int{"a": 2}, 1},
		{"a place that is clean", map[string]int{"a": 2, "b": 1, "c": 1}, 1},
		{"a place that is gone", map[string]int{"a": 2, "b": 1, "d": 1}, 1},
	} {
		if broken := overBudget(found, c.budget); len(broken) != c.want {
			t.Errorf("%s: got %q, want %d of them", c.name, broken, c.want)
		}
	}
}

func TestCirclesThatAreFound(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string // prefixes of the findings
	}{
		{"layers", map[string]string{"a.go": "func f() { g() }", "b.go": "func g() {}"}, nil},
		{"two functions", map[string]string{"a.go": "func f() { g() }\nfunc h() {}", "b.go": "func g() { h() }"}, []string{"a.go refers to b.go (g)", "b.go refers to a.go (h)"}},
		{"a method beside its type", map[string]string{"a.go": "type t int", "b.go": "func (t) m() {}"}, nil},
		{"a method that its type's file calls", map[string]string{"a.go": "type t int\nfunc f(v t) { v.m() }", "b.go": "func (t) m() {}"}, []string{"a.go refers to b.go (m)", "b.go refers to a.go (t)"}},
		{"a field", map[string]string{"a.go": "type t struct{ n int }\nvar x = y", "b.go": "func f(v t) int { return v.n }\nvar y = 1"}, []string{"a.go refers to b.go (y)", "b.go refers to a.go (n, t)"}},
		{"three files", map[string]string{"a.go": "func f() { g() }", "b.go": "func g() { h() }", "c.go": "func h() { f() }"}, []string{"a.go refers to b.go", "b.go refers to c.go", "c.go refers to a.go"}},
		{"a generic type", map[string]string{"a.go": "type t[T any] struct{ v T }\nfunc f() { g() }", "b.go": "func g() { _ = t[int]{}.v }"}, []string{"a.go refers to b.go (g)", "b.go refers to a.go (t, v)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{}
			for name, text := range c.files {
				files[name] = "package p\n" + text
			}
			found, err := referencesOf(files, func(string) (io.ReadCloser, error) { return nil, errors.New("nothing is imported") })
			if err != nil {
				t.Fatal(err)
			}
			broken := found.circles()
			if len(broken) != len(c.want) {
				t.Fatalf("found %q, want %q", broken, c.want)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(broken[i], want) {
					t.Errorf("found %q, want %q", broken[i], want)
				}
			}
		})
	}
	if _, err := checkLayers("../..", []string{"record/absent"}); err == nil {
		t.Error("a package that does not exist is not refused")
	}
}
