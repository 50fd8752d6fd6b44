package policy

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// startsNothing are packages whose files import os/exec, and whose tests start no program
// with it.
var startsNothing = map[string]string{
	"kube":                            "it recognizes an error of os/exec",
	"compat/clientgo/internal/mirror": "no test runs it",
	"bench/portal":                    "measurements start it, not tests",
	"bench/report":                    "measurements start it, not tests",
	"bench/scenario":                  "measurements start it, not tests",
	"platform/portal/ui/build":        "no test runs its programs",
	"platform/portal/ui/fixture":      "no test runs its programs",
	"tools/gatecost":                  "the gate does not use the cache of the go command there",
	"tools/gateproof":                 "the gate does not use the cache of the go command there",
	"tools/gate":                      "the gate does not use the cache of the go command there",
}

var uncached = regexp.MustCompile(`\btestinput\.Uncached\(`)

// programFolder is what the files of a folder have to do with programs.
type programFolder struct {
	starts, startsInTest, calls, tests bool
	imports                            []string // folders, of its code and its tests
}

// checkPrograms returns the packages whose tests start programs, or use a package that
// does, and whose results the go command may store all the same: it does not see what
// another process reads.
func checkPrograms(tree fs.FS) ([]string, error) {
	folders, err := programFolders(tree)
	if err != nil {
		return nil, err
	}
	// excludes reports whether tests exclude themselves, or use a package that excludes them:
	// one that starts a control plane, say. Package dbtest does so only if it starts a server.
	var excludes func(dir string, seen map[string]bool) bool
	excludes = func(dir string, seen map[string]bool) bool {
		f := folders[dir]
		if f == nil || seen[dir] {
			return false
		}
		seen[dir] = true
		return f.calls || slices.ContainsFunc(f.imports, func(used string) bool { return used != "platform/sqldb/dbtest" && excludes(used, seen) })
	}
	var broken []string
	for dir, f := range folders {
		if startsNothing[dir] != "" || !f.tests || excludes(dir, map[string]bool{}) {
			continue
		}
		why := ""
		if f.starts || f.startsInTest {
			why = "imports os/exec"
		}
		for _, name := range f.imports {
			if other := folders[name]; other != nil && other.starts && startsNothing[name] == "" && name != "platform/sqldb/dbtest" && name != dir {
				why = "tests with " + name + ", which imports os/exec"
			}
		}
		if why != "" {
			broken = append(broken, fmt.Sprintf("%s %s: its tests must call testinput.Uncached, or stand in startsNothing", dir, why))
		}
	}
	slices.Sort(broken)
	return broken, nil
}

// programFolders reads the Go files of all modules.
func programFolders(tree fs.FS) (map[string]*programFolder, error) {
	folders := map[string]*programFolder{}
	err := fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go"):
			return nil
		}
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		used, err := importsOf(tree, file)
		if err != nil {
			return err
		}
		dir, test := path.Dir(file), strings.HasSuffix(file, "_test.go")
		f := folders[dir]
		if f == nil {
			f = &programFolder{}
			folders[dir] = f
		}
		f.calls = f.calls || uncached.Match(text)
		f.tests = f.tests || test
		if slices.Contains(used, "os/exec") {
			f.starts = f.starts || !test
			f.startsInTest = f.startsInTest || test
		}
		for _, u := range used {
			if name, ours := strings.CutPrefix(u, module+"/"); ours {
				f.imports = append(f.imports, name)
			}
		}
		return nil
	})
	return folders, err
}
