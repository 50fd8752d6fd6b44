package policy

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// topImports returns the folders at the top of the tree that have Go code of the modules of
// go.work, each with the other folders that it imports. Examples, which nothing imports, are not part of the house, and
// neither are packages of internal that only the program uses.
func topImports(tree fs.FS) (map[string][]string, error) {
	packages, err := goFiles(tree, false)
	if err != nil {
		return nil, err
	}
	all := parseFloors(Floors)
	top := func(pkg string) string {
		at := folderOf(all, pkg)
		if at < 0 || all[at].floor == "examples" {
			return ""
		}
		name, _, _ := strings.Cut(all[at].name, "/")
		switch {
		case name == "internal" && all[at].floor == "program":
			return "cmd"
		case all[at].name == "internal/guard":
			return "store"
		}
		return name
	}
	uses := map[string]map[string]bool{}
	for dir, files := range packages {
		name := top(dir)
		if name == "" {
			continue
		}
		if uses[name] == nil {
			uses[name] = map[string]bool{}
		}
		for _, file := range files {
			imports, err := importsOf(tree, file)
			if err != nil {
				return nil, err
			}
			for _, imported := range imports {
				if ours, ok := strings.CutPrefix(imported, module+"/"); ok && top(ours) != name && top(ours) != "" {
					uses[name][top(ours)] = true
				}
			}
		}
	}
	sorted := map[string][]string{}
	for name, used := range uses {
		sorted[name] = slices.Sorted(maps.Keys(used))
	}
	return sorted, nil
}
