package main

import (
	"os"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// swaps gives `vedette swap` hostile packages, flags and a module that does not build.
func (h *hostile) swaps(t *testing.T) {
	testinput.Uncached(t) // it runs the go command
	t.Chdir(t.TempDir())
	if err := os.WriteFile("main.go", []byte("package main\n\nfunc main() { panic(`"+evil+"`) + 1 }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused := func(args ...string) {
		t.Helper()
		if _, errs, code := h.run(append([]string{"swap"}, args...)...); code == 0 || errs == "" {
			t.Errorf("vedette swap %q ended with %d and wrote %q", args, code, errs)
		}
	}
	refused("./" + evil)
	refused("./...", "--mod", evil)
	if err := os.WriteFile("go.mod", []byte("module example.com/hostile\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused("./...")
	refused("./"+evil, "--vedette", evil, "--output", evil)
	refused("./...", "--", "-tags="+evil)
}
