package swap

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// moduleOf writes a module, and returns its folder.
func moduleOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sumOf returns the names and contents of all files below a folder.
func sumOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", path, sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const (
	plainMod  = "module example.com/m\n\ngo 1.26.0\n"
	plainMain = "package main\n\nfunc main() {}\n"
)

// TestRefusals builds modules that cannot be swapped. Each error has the next step, and
// the module does not change.
func TestRefusals(t *testing.T) {
	testinput.Uncached(t) // Build runs the go command
	for _, c := range []struct {
		name  string
		files map[string]string
		env   string
		opts  Options
		want  string
	}{
		{name: "no module", files: map[string]string{"main.go": plainMain}, want: "is not in a Go module: go to"},
		{name: "workspace", files: map[string]string{"go.mod": plainMod, "main.go": plainMain, "go.work": "go 1.26.0\n\nuse .\n"}, want: "set GOWORK=off"},
		{name: "vendored", files: map[string]string{"go.mod": plainMod, "main.go": plainMain, "vendor/modules.txt": ""}, want: "use --mod=mod"},
		{name: "modfile", files: map[string]string{"go.mod": plainMod, "main.go": plainMain}, env: "GOFLAGS=-modfile=other.mod", want: "GOFLAGS has -modfile"},
		{name: "overlay", files: map[string]string{"go.mod": plainMod, "main.go": plainMain}, env: "GOFLAGS=--overlay=x.json", want: "GOFLAGS has -overlay"},
		{name: "no main", files: map[string]string{"go.mod": plainMod, "m.go": "package m\n"}, want: "has no package main: name"},
		{name: "no client-go", files: map[string]string{"go.mod": plainMod, "main.go": plainMain}, want: "there is nothing to swap"},
		{name: "broken", files: map[string]string{"go.mod": plainMod, "main.go": "package main\n\nimport _ \"example.com/m/none\"\n"}, want: "cannot be loaded"},
		{name: "no package", files: map[string]string{"go.mod": plainMod}, opts: Options{Patterns: []string{}}, want: "no package is named"},
		{name: "own flag", files: map[string]string{"go.mod": plainMod, "main.go": plainMain}, opts: Options{BuildFlags: []string{"-o=x"}}, want: "leave it out"},
		{name: "no go", files: map[string]string{"go.mod": plainMod, "main.go": plainMain}, env: "PATH=/nonexistent", want: "install Go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := moduleOf(t, c.files)
			t.Setenv("GOFLAGS", "")
			t.Setenv("GOWORK", "")
			if name, value, ok := strings.Cut(c.env, "="); ok {
				t.Setenv(name, value)
			}
			o := c.opts
			o.Dir, o.Cache, o.Vedette = dir, t.TempDir(), "../.."
			if o.Patterns == nil {
				o.Patterns = []string{"./..."}
			}
			before := sumOf(t, dir)
			result, err := Build(t.Context(), o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v and the error %v, want %q", result, err, c.want)
			}
			if after := sumOf(t, dir); after != before {
				t.Errorf("files changed from\n%sto\n%s", before, after)
			}
			if left, _ := filepath.Glob(filepath.Join(o.Cache, ".run-*")); len(left) > 0 {
				t.Errorf("%q is left in the cache", left)
			}
		})
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		module listedModule
		want   string // the version, or a part of the error
	}{
		{listedModule{Version: "v0.37.2", Dir: "d"}, "v0.37.2"},
		{listedModule{Version: "v0.36.0", Dir: "d"}, "v0.36.0"},
		{listedModule{Version: "v0.35.9"}, "serves 0.36 and 0.37"},
		{listedModule{Version: "v0.38.0"}, "serves 0.36 and 0.37"},
		{listedModule{Version: "v0.34.0", Dir: "d", Replace: &listedModule{Path: clientGo, Version: "v0.36.3"}}, "v0.36.3"},
		{listedModule{Version: "v0.36.3", Replace: &listedModule{Path: "../fork"}}, "remove the replacement"},
		{listedModule{Version: "v0.36.3", Replace: &listedModule{Path: "example.com/fork", Version: "v0.36.3"}}, "remove the replacement"},
	} {
		version, dir, err := clientGoOf(c.module)
		if version != c.want && (err == nil || !strings.Contains(err.Error(), c.want)) || err == nil && dir != "d" {
			t.Errorf("%+v: got %q in %q, %v; want %q", c.module, version, dir, err, c.want)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"v1.9.0", "v1.10.0", true},
		{"v1.10.0", "v1.9.9", false},
		{"v1.2.3", "v1.2.3", false},
		{"v1.2.3-0.20260101", "v1.2.3", true},
		{"v2.0.0+incompatible", "v2.0.1", true},
	} {
		if got := older(c.a, c.b); got != c.want {
			t.Errorf("older(%s, %s): got %v, want %v", c.a, c.b, got, c.want)
		}
	}
	for path, want := range map[string]string{"example.com/m/cmd/x": "x", "example.com/m/v2": "m", "example.com/vault": "vault"} {
		if got := programName(path); got != want {
			t.Errorf("%s is built as %s, want %s", path, got, want)
		}
	}
}

func TestMains(t *testing.T) {
	own := &listedModule{Main: true}
	for _, c := range []struct {
		name string
		p    listedPackage
		want string
	}{
		{"swapped", listedPackage{Name: "main", Module: own, Deps: []string{informers}}, ""},
		{"other module", listedPackage{Name: "main", Module: &listedModule{}, Deps: []string{informers}}, "in a clone"},
		{"vedette", listedPackage{Name: "main", Module: own, Deps: []string{informers, vedette + "/informer"}}, "imports Vedette already"},
	} {
		swapped, _, err := mains([]listedPackage{c.p}, []string{"."})
		if c.want == "" && (err != nil || len(swapped) != 1) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v and error %v, want one swapped, or the error %q", c.name, swapped, err, c.want)
		}
	}
}

// TestDevelopmentBuild: a program without a released version has no source to download.
func TestDevelopmentBuild(t *testing.T) {
	for _, version := range []string{"", "(devel)", "devel", "v0.0.0-20260101+dirty"} {
		s := &swap{Options: Options{Version: version}}
		s.Progress = func(string) {}
		if _, err := s.source(t.Context()); err == nil || !strings.Contains(err.Error(), "--vedette=PATH") {
			t.Errorf("version %q: got %v, want an error with --vedette=PATH", version, err)
		}
	}
}
