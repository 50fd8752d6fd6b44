package swap

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed template
var templates embed.FS

// template returns a generated file.
func template(name string) []byte {
	data, err := templates.ReadFile("template/" + name + ".txt")
	if err != nil {
		return nil // impossible: a test reads all of them
	}
	return data
}

// patchedClientGo returns a copy of client-go with hooks.
//
// Errors: a source that the patch does not match.
func patchedClientGo(version, dir string) (*folder, error) {
	f := &folder{name: "client-go-" + version, files: map[string]string{}, texts: map[string][]byte{
		"tools/cache/vedette.go": template("cache.go"),
		"rest/vedette.go":        template("rest.go"),
	}}
	for _, p := range patches {
		source, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p.path)))
		if err != nil {
			return nil, fmt.Errorf("read client-go %s: %w", version, err)
		}
		if f.texts[p.path], err = patchFile(p, source); err != nil {
			return nil, fmt.Errorf("client-go %s cannot be patched, its source is not the known one: %w", version, err)
		}
	}
	for path := range f.texts {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path))); err == nil && strings.HasSuffix(path, "/vedette.go") {
			return nil, fmt.Errorf("client-go %s is patched already: it has the file %s", version, path)
		}
	}
	return f, f.addTree(dir)
}
