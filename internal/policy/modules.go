package policy

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// used matches a module in go.work: its folder below the root.
var used = regexp.MustCompile(`(?m)^\t\./(\S+)$`)

// workModules returns the folders of the modules of go.work besides the root. They and the
// root are the house, and are released together.
func workModules(tree fs.FS) (dirs []string, err error) {
	text, err := fs.ReadFile(tree, "go.work")
	if err != nil {
		return nil, err
	}
	for _, m := range used.FindAllStringSubmatch(string(text), -1) {
		dirs = append(dirs, m[1])
	}
	return dirs, nil
}

// moduleOf returns the folder of the module of go.work that has a folder, or ".".
func moduleOf(modules []string, dir string) string {
	for _, m := range modules {
		if dir == m || strings.HasPrefix(dir, m+"/") {
			return m
		}
	}
	return "."
}

// goFiles returns the Go files of the modules of go.work by folder, without hidden folders,
// and without tests unless tests is set.
func goFiles(tree fs.FS, tests bool) (map[string][]string, error) {
	modules, err := workModules(tree)
	if err != nil {
		return nil, err
	}
	packages := map[string][]string{}
	err = fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			foreign := hasModule(tree, file) && !slices.Contains(modules, file)
			if file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || foreign) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(file, ".go") && (tests || !strings.HasSuffix(file, "_test.go")) {
			packages[path.Dir(file)] = append(packages[path.Dir(file)], file)
		}
		return nil
	})
	return packages, err
}

func hasModule(tree fs.FS, dir string) bool {
	_, err := fs.Stat(tree, path.Join(dir, "go.mod"))
	return err == nil
}
