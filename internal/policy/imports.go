package policy

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strings"
)

// module is the path of the root module.
const module = "github.com/vedette-io/vedette"

// Floors are the floors of the house, from the ground up, with their folders in the order of
// the data flow. A folder stands for all packages in it. A package may import packages of its
// own folder and of folders before it, as far as mayUse allows its floor. docs/architecture.md
// has the same list for people.
const Floors = `
library: errcode internal wire delta kube reflector store internal/guard workqueue informer controller events webhook metrics manager apitest
drop-in: compat
job: job
platform: platform/sqldb platform/internal platform/feed platform/history platform/rules platform/jobindex platform/submit platform/logs platform/retention platform/record platform/send platform/notify platform/portal platform/erase platform/metrics platform/world
program: internal/scaffold internal/swap cmd
examples: examples
`

// mayUse are the floors that the packages of a floor may import, besides their own.
var mayUse = map[string][]string{
	"library": nil, "job": {"library"}, "drop-in": {"library"}, "platform": {"library", "job"},
	"program": {"library", "job", "platform"}, "examples": {"library", "drop-in"},
}

// own are folders whose packages may import only packages of the same folder, and nothing
// else of this module.
var own = []string{"job"}

// folder is a folder of a floor.
type folder struct{ floor, name string }

// contains reports whether a package is in the folder.
func (f folder) contains(pkg string) bool { return pkg == f.name || strings.HasPrefix(pkg, f.name+"/") }

// parseFloors returns the folders in their order.
func parseFloors(text string) (all []folder) {
	for line := range strings.Lines(text) {
		floor, names, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		for name := range strings.FieldsSeq(names) {
			all = append(all, folder{floor, name})
		}
	}
	return all
}

// folderOf returns the index of the folder of a package: the one with the longest name.
func folderOf(all []folder, pkg string) int {
	at := -1
	for i, f := range all {
		if f.contains(pkg) && (at < 0 || len(f.name) > len(all[at].name)) {
			at = i
		}
	}
	return at
}

// forbidden are foreign packages that would bring back code that this project replaces, or
// hide the use of HTTP; with the packages that may import them.
var forbidden = map[string][]string{
	"k8s.io/client-go/tools/cache":    nil,
	"k8s.io/client-go/util/workqueue": nil,
	"k8s.io/client-go/informers":      nil,
	"net/http": {
		"kube", "reflector", "platform/send/jobtrace", "apitest", "cmd/vedette", "platform/notify/channel", "platform/notify/channel/channeltest", "platform/notify/channel/shoutrrr", // shoutrrr: the library takes an HTTP client; reflector: names of status codes; cmd/vedette: its own health and metrics
		"platform/portal/web", "platform/portal/identity", "platform/portal/access", "platform/portal/livestream", "platform/portal/readapi", "platform/portal/writeapi", "platform/portal/ui", "platform/portal/ui/fixture", "platform/portal/client", "platform/portal", "manager", "webhook", "internal/graceful",
		"internal/answers", "internal/readlimit", "cmd/vedette/internal/explain", "cmd/vedette/internal/httpserver", "cmd/vedette/internal/tokenstore", "cmd/vedette/internal/source", "cmd/vedette/internal/portaljobs",
		"compat/clientgo", "compat/clientgo/internal/tunnel", "compat/clientgo/internal/reach",
	},
}

// adapters reports whether a package may import the code that this project replaces,
// because it implements the same interfaces, shows how to migrate, or lets tests run it.
func adapters(name string) bool {
	return name == "internal/stocktime" || strings.HasPrefix(name, "compat/") || strings.HasPrefix(name, "examples/migrating/")
}

// checkImports returns the imports that the floors do not allow in the modules of go.work.
func checkImports(tree fs.FS, all []folder) ([]string, error) {
	var broken []string
	packages, err := goFiles(tree, false)
	if err != nil {
		return nil, err
	}
	for dir, files := range packages {
		at := folderOf(all, dir)
		if at < 0 && dir != "." {
			broken = append(broken, fmt.Sprintf("%s is in no folder of internal/policy", dir))
			continue
		}
		for _, file := range files {
			imports, err := importsOf(tree, file)
			if err != nil {
				return nil, err
			}
			for _, imported := range imports {
				if why := refuses(all, dir, at, imported); why != "" {
					broken = append(broken, file+" "+why)
				}
			}
		}
	}
	for _, f := range all {
		if _, err := fs.Stat(tree, f.name); err != nil {
			broken = append(broken, fmt.Sprintf("%s is a folder of internal/policy, but not of the tree", f.name))
		}
	}
	slices.Sort(broken)
	return broken, nil
}

// refuses returns the reason why a package in the folder at an index must not have an import,
// or "".
func refuses(all []folder, pkg string, at int, imported string) string {
	if users, ok := forbidden[imported]; ok && !slices.Contains(users, pkg) && (users != nil || !adapters(pkg)) {
		return "imports " + imported + ", which is forbidden there"
	}
	ours, ok := strings.CutPrefix(imported, module+"/")
	if !ok {
		return ""
	}
	from := folderOf(all, ours)
	switch {
	case at < 0 || from < 0:
		return "imports " + ours + ", which is in no folder"
	case from == at:
		return ""
	case slices.Contains(own, all[at].name):
		return "imports " + ours + ", but " + all[at].name + " needs nothing of this module"
	case all[from].floor != all[at].floor && !slices.Contains(mayUse[all[at].floor], all[from].floor):
		return "imports " + ours + ", which is on the floor " + all[from].floor
	case from > at:
		return "imports " + ours + ", which stands above it"
	}
	return ""
}

func importsOf(tree fs.FS, file string) ([]string, error) {
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, i := range parsed.Imports {
		imports = append(imports, strings.Trim(i.Path.Value, `"`))
	}
	return imports, nil
}
