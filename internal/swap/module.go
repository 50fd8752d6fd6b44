package swap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/internal/gotool"
)

const (
	clientGo  = "k8s.io/client-go"
	vedette   = "github.com/vedette-io/vedette"
	informers = clientGo + "/tools/cache"
)

// served are the versions of client-go that the patch supports.
var served = []string{"v0.36.", "v0.37."}

// userModule is the module that the command runs in.
type userModule struct {
	goMod string // the path of its go.mod
}

// goEnv is the output of `go env -json`.
type goEnv struct{ GOMOD, GOWORK, GOFLAGS, GOMODCACHE string }

// findModule returns the module that contains the folder of a go tool.
//
// Errors: a folder outside of a module; a workspace; a vendored module; settings that a
// swap would have to override.
func findModule(ctx context.Context, tool gotool.Tool, modFlag string) (*userModule, error) {
	out, err := tool.Run(ctx, "env", "-json", "GOMOD", "GOWORK", "GOFLAGS", "GOMODCACHE")
	if err != nil {
		return nil, err
	}
	var env goEnv
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, fmt.Errorf("read the output of go env: %w", err)
	}
	if env.GOMOD == "" || env.GOMOD == os.DevNull {
		return nil, fmt.Errorf("%s is not in a Go module: go to the folder of the controller's source", tool.Dir)
	}
	if env.GOWORK != "" && env.GOWORK != "off" {
		return nil, fmt.Errorf("the workspace %s decides which modules are built, and a swap cannot change it: set GOWORK=off if the module builds alone", env.GOWORK)
	}
	for f := range strings.FieldsSeq(env.GOFLAGS) {
		if name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "="); name == "modfile" || name == "overlay" {
			return nil, fmt.Errorf("GOFLAGS has -%s, which a swap sets itself: remove it (GOFLAGS=%s)", name, env.GOFLAGS)
		}
	}
	vendored := filepath.Join(filepath.Dir(env.GOMOD), "vendor", "modules.txt")
	if _, err := os.Stat(vendored); (err == nil || strings.Contains(env.GOFLAGS, "-mod=vendor")) && modFlag != "mod" {
		return nil, errors.New("the module is vendored, and a swap replaces a module: use --mod=mod to build with the modules of go.mod instead of the vendor folder")
	}
	return &userModule{goMod: env.GOMOD}, nil
}

// listedModule is a module in the output of go list.
type listedModule struct {
	Path, Version, Dir string
	Main               bool
	Replace            *listedModule
}

// listedPackage is a package in the output of go list.
type listedPackage struct {
	ImportPath, Name, Dir string
	Module                *listedModule
	Deps                  []string
	Error                 *struct{ Err string }
	DepsErrors            []struct{ Err string }
}

// mains returns the packages main among those listed that use informers.
//
// Errors: packages with errors; no package main; none of them uses client-go; a package of
// another module.
func mains(all []listedPackage, patterns []string) (swapped, skipped []listedPackage, err error) {
	what := strings.Join(patterns, " ")
	for _, p := range all {
		if p.Name != "main" {
			if p.Error != nil {
				return nil, nil, fmt.Errorf("package %s cannot be loaded: %s", p.ImportPath, p.Error.Err)
			}
			continue
		}
		switch {
		case p.Error != nil:
			return nil, nil, fmt.Errorf("package %s cannot be loaded: %s", p.ImportPath, p.Error.Err)
		case len(p.DepsErrors) > 0:
			return nil, nil, fmt.Errorf("a package that %s imports cannot be loaded: %s", p.ImportPath, p.DepsErrors[0].Err)
		case !slices.Contains(p.Deps, informers):
			skipped = append(skipped, p)
			continue
		case p.Module == nil || !p.Module.Main:
			return nil, nil, fmt.Errorf("package %s belongs to another module, to which a file cannot be added: run the command in a clone of that module", p.ImportPath)
		case slices.ContainsFunc(p.Deps, func(dep string) bool { return dep == vedette || strings.HasPrefix(dep, vedette+"/") }):
			return nil, nil, fmt.Errorf("package %s imports Vedette already: change its imports as docs/migrating.md says", p.ImportPath)
		}
		swapped = append(swapped, p)
	}
	switch {
	case len(swapped) > 0:
		return swapped, skipped, nil
	case len(skipped) > 0:
		return nil, nil, fmt.Errorf("%s has %d packages main, and none uses %s: there is nothing to swap", what, len(skipped), informers)
	}
	return nil, nil, fmt.Errorf("%s has no package main: name the folder of the controller's main function", what)
}

// clientGoOf returns the version and the folder of client-go in a build.
//
// Errors: an unsupported version; a fork.
func clientGoOf(m listedModule) (version, dir string, err error) {
	used := m
	if r := m.Replace; r != nil {
		if r.Path != clientGo || r.Version == "" {
			return "", "", fmt.Errorf("go.mod replaces %s with %s, and a swap patches the original: remove the replacement, if the program builds without it", clientGo, r.Path)
		}
		used = *r
	}
	if !slices.ContainsFunc(served, func(v string) bool { return strings.HasPrefix(used.Version, v) }) {
		return "", "", fmt.Errorf("the program uses %s %s, and a swap serves 0.36 and 0.37: update it with `go get %s@v0.37.2`", clientGo, used.Version, clientGo)
	}
	if used.Dir == "" {
		used.Dir = m.Dir
	}
	return used.Version, used.Dir, nil
}
