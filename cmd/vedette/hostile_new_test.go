package main

import (
	"os"
	"path/filepath"
	"testing"
)

// projects gives `vedette new controller` hostile names, types, modules and folders. A
// refused command writes nothing.
func (h *hostile) projects(t *testing.T) {
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	const typ = "example.com/v1/TrainJob"
	for _, args := range [][]string{
		{evil, "--for", typ},
		{"../" + evil, "--for", typ},
		{"trainer", "--for", evil},
		{"trainer", "--for", "example.com/v1/" + evil},
		{"trainer", "--for", evil + "/v1/TrainJob"},
		{"trainer", "--for", typ, "--module", evil},
		{"trainer", "--for", typ, "--vedette", evil},
	} {
		if _, errs, code := h.run(append([]string{"new", "controller", "--no-tidy"}, args...)...); code == 0 || errs == "" {
			t.Errorf("vedette new controller %q ended with %d and wrote %q", args, code, errs)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, errs, code := h.run("new", "controller", "trainer", "--for", typ, "--vedette", source, "--no-tidy", "--dir", "a"+evil); code != 0 {
		t.Errorf("a folder with a hostile name: ended with %d and wrote %q", code, errs)
	}
}
