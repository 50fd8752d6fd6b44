package swap

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/gotool"
	"github.com/vedette-io/vedette/internal/testinput"
)

// clientGoDir returns the source of client-go 0.37.2.
func clientGoDir(t *testing.T) string {
	t.Helper()
	testinput.Uncached(t) // it runs the go command, and reads a folder outside of this module
	out, err := gotool.Tool{Dir: "."}.Run(t.Context(), "mod", "download", "-json", clientGo+"@v0.37.2")
	if err != nil {
		t.Fatal(err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	return module.Dir
}

func TestPatchHooksEachPlace(t *testing.T) {
	f, err := patchedClientGo("v0.37.2", clientGoDir(t))
	if err != nil {
		t.Fatal(err)
	}
	for path, calls := range map[string][]string{
		"tools/cache/shared_informer.go": {"return vedetteInformer(&sharedIndexInformer{"},
		"tools/cache/controller.go":      {"return vedetteController(clientState, options, DeletionHandlingMetaNamespaceKeyFunc)"},
		"rest/transport.go":              {"vedetteTransport(c.WrapTransport),"},
		"tools/cache/vedette.go":         {"func vedetteInformer(", "func vedetteController["},
		"rest/vedette.go":                {"func vedetteTransport("},
	} {
		text := string(f.texts[path])
		if _, err := parser.ParseFile(token.NewFileSet(), path, text, 0); err != nil {
			t.Errorf("the patched file is not Go: %v", err)
		}
		for _, call := range calls {
			if !strings.Contains(text, call) {
				t.Errorf("%s has no %s", path, call)
			}
		}
	}
	if n := strings.Count(string(f.texts["tools/cache/controller.go"]), "vedetteController("); n != 5 {
		t.Errorf("%d of 5 constructors of controllers are hooked", n)
	}
	for path := range f.files {
		if strings.HasSuffix(path, "_test.go") {
			t.Errorf("the copy has the test %s", path)
		}
	}
}

// TestUnknownSourceIsRefused changes each place in turn: no file may be patched partly.
func TestUnknownSourceIsRefused(t *testing.T) {
	dir := clientGoDir(t)
	for _, p := range patches {
		source, err := os.ReadFile(filepath.Join(dir, p.path))
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range p.places {
			for name, changed := range map[string]string{
				"renamed": strings.NewReplacer("func "+at.function+"(", "func Other(", "Config) "+at.function+"(", "Config) Other(").Replace(string(source)),
				"gone":    strings.NewReplacer("&sharedIndexInformer{", "&otherInformer{", "newInformer(clientState, options", "otherInformer(clientState, options", "c.WrapTransport,", "c.Other,").Replace(string(source)),
			} {
				if changed == string(source) {
					t.Fatalf("%s %s: the test changed nothing", at.function, name)
				}
				if out, err := patchFile(p, []byte(changed)); err == nil || out != nil || !strings.Contains(err.Error(), "instead of once") {
					t.Errorf("%s %s: got %d bytes and the error %v", at.function, name, len(out), err)
				}
			}
		}
	}
	if _, err := patchFile(patches[0], []byte("package cache\n\nfunc")); err == nil {
		t.Error("a file that is not Go was patched")
	}
}

func TestPatchedCopyIsRefused(t *testing.T) {
	dir := t.TempDir()
	f, err := patchedClientGo("v0.37.2", clientGoDir(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := patchedClientGo("v0.37.2", dir); err == nil {
		t.Error("a patched copy was patched again")
	}
}

func TestTemplates(t *testing.T) {
	for _, name := range []string{"cache.go", "rest.go", "engine.go", "main.go"} {
		if _, err := parser.ParseFile(token.NewFileSet(), name, template(name), 0); err != nil {
			t.Errorf("template %s does not parse: %v", name, err)
		}
	}
}
