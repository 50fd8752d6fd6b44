package main

import (
	"io"
	"slices"
	"strings"
	"testing"
)

func testWorkspace(t *testing.T) *workspace {
	t.Helper()
	dir := t.TempDir()
	m, err := openMemory(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &workspace{clone: dir, folder: dir, tree: dir, memory: m, out: io.Discard}
}

// TestFollow: what go test prints about packages is remembered: passed ones as green, failed
// ones with their tests.
func TestFollow(t *testing.T) {
	w := testWorkspace(t)
	s := &step{name: "unit", packages: []target{{path: "x/good", key: "1"}, {path: "x/bad", key: "2"}, {path: "x/broken", key: "3"}, {path: "x/old", key: "4"}, {path: "x/dead", key: "5"}}}
	r := &result{step: s, took: map[string]float64{}}
	w.follow(r, strings.NewReader(`ok  	x/good	1.5s
--- FAIL: TestOne (0.01s)
    one_test.go:7: no
--- FAIL: TestTwo (0.01s)
    --- FAIL: TestTwo/part (0.01s)
FAIL
FAIL	x/bad	2.0s
FAIL	x/broken [build failed]
ok  	x/old	(cached)
FAIL	x/dead	0.1s
ok  	x/dead	0.2s
ok  	x/other	0.2s
`))
	if err := w.conclude(r, true, 9); err != nil {
		t.Fatal(err)
	}
	if want := []string{"x/good", "x/old", "x/dead"}; !slices.Equal(r.passed, want) || r.cached != 1 {
		t.Errorf("passed %q, %d cached", r.passed, r.cached)
	}
	if len(r.failed) != 2 || r.failed[0].target.path != "x/bad" || !slices.Equal(r.failed[0].tests, []string{"TestOne", "TestTwo"}) || r.failed[1].target.path != "x/broken" || r.failed[1].tests != nil {
		t.Errorf("failed %+v", r.failed)
	}
	for path, key := range map[string]string{"x/good": "1", "x/old": "4", "x/dead": "5"} {
		if _, ok := w.memory.wasGreen("unit "+path, key); !ok {
			t.Errorf("%s is not remembered as green", path)
		}
	}
	for path, key := range map[string]string{"x/bad": "2", "x/broken": "3", "x/good": "2"} {
		if _, ok := w.memory.wasGreen("unit "+path, key); ok {
			t.Errorf("%s is remembered as green with key %s", path, key)
		}
	}
}

// TestFollowProgram: a step of one program is green only if the program succeeds. A program
// that succeeds and skips packages is an error.
func TestFollowProgram(t *testing.T) {
	for _, failed := range []bool{false, true} {
		w := testWorkspace(t)
		r := &result{step: &step{name: "lint", key: "1", together: []target{{path: "x", key: "2"}}}, took: map[string]float64{}}
		w.follow(r, strings.NewReader("a line\n"))
		if err := w.conclude(r, failed, 1); err != nil {
			t.Fatal(err)
		}
		_, whole := w.memory.wasGreen("lint", "1")
		_, part := w.memory.wasGreen("lint x", "2")
		if whole == failed || part == failed || (len(r.failed) > 0) != failed {
			t.Errorf("failed %v: green %v and %v, failures %v", failed, whole, part, r.failed)
		}
	}
	w := testWorkspace(t)
	r := &result{step: &step{name: "unit", packages: []target{{path: "x"}}}, took: map[string]float64{}}
	w.follow(r, strings.NewReader(""))
	if err := w.conclude(r, false, 1); err == nil {
		t.Error("a program that tested nothing is green")
	}
	if err := w.conclude(r, true, 1); err != nil || len(r.failed) != 1 {
		t.Errorf("a program that failed and printed nothing: %v, failures %v", err, r.failed)
	}
}
