package policy

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	linkedPackage = regexp.MustCompile(`\[` + regexp.QuoteMeta(module) + `/([a-z0-9/]+)\]`)
	exampleFunc   = regexp.MustCompile(`(?m)^func Example\w*\(\)`)
)

// checkExamples returns the packages that doc.go of the root links to and that do not exist
// or have no Example with an output, which therefore runs.
func checkExamples(tree fs.FS) ([]string, error) {
	doc, err := fs.ReadFile(tree, "doc.go")
	if err != nil {
		return nil, err
	}
	var broken []string
	var seen []string
	for _, link := range linkedPackage.FindAllStringSubmatch(string(doc), -1) {
		if slices.Contains(seen, link[1]) {
			broken = append(broken, fmt.Sprintf("doc.go links to %s twice", link[1]))
			continue
		}
		seen = append(seen, link[1])
		files, err := fs.Glob(tree, path.Join(link[1], "*_test.go"))
		if err != nil {
			return nil, err
		}
		has := false
		for _, file := range files {
			text, err := fs.ReadFile(tree, file)
			if err != nil {
				return nil, err
			}
			has = has || exampleFunc.Match(text) && strings.Contains(string(text), "// Output:")
		}
		if !has {
			broken = append(broken, fmt.Sprintf("%s, which doc.go links to, has no Example that runs", link[1]))
		}
	}
	if len(seen) == 0 {
		broken = append(broken, "doc.go links to no package")
	}
	return broken, nil
}
