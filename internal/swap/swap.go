package swap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/internal/gotool"
)

// Options are the options of a build.
type Options struct {
	// Dir is a folder in the module of the program.
	Dir string
	// Patterns select the packages, as for go build.
	Patterns []string
	// BuildFlags are flags of go build, such as -tags=x. -o, -mod, -modfile and -overlay
	// are refused.
	BuildFlags []string
	// Mod is "mod" to build a vendored module with the modules of its go.mod; otherwise
	// "".
	Mod string
	// Vedette is the folder of a source of Vedette; "" means the released Version.
	Vedette string
	// Version is the version of Vedette, such as v1.2.3; required if Vedette is "".
	Version string
	// Cache is the folder of the copies; "" means [DefaultCache].
	Cache string
	// Output is the folder of the binaries; "" means Dir.
	Output string
	// Progress is called for each step; may be nil.
	Progress func(step string)
}

// Binary is a program that was built.
type Binary struct{ Package, Path string }

// Result is the result of a swap.
type Result struct {
	Binaries []Binary
	// Skipped are packages main that do not use informers.
	Skipped []string
	// ClientGo is the patched version.
	ClientGo string
	// Raised are modules of the program that are newer in the binaries, as "path old -> new".
	Raised []string
}

// Build builds the packages main of a module with the engine swapped in. No file of the
// module changes, except for the binaries.
//
// Errors: those of the package; ctx done.
func Build(ctx context.Context, o Options) (*Result, error) {
	s, err := newSwap(ctx, o)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(s.work)
	targets, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, targets); err != nil {
		return nil, err
	}
	return s.result, s.build(ctx, targets)
}

// swap is one run.
type swap struct {
	Options
	tool   gotool.Tool
	module *userModule
	work   string // a folder for this run: copies of go.mod and go.sum, the overlay
	flags  []string
	result *Result
}

// ownFlags matches the flags of go build that a swap sets.
var ownFlags = regexp.MustCompile(`^--?(o|mod|modfile|overlay)(=|$)`)

func newSwap(ctx context.Context, o Options) (*swap, error) {
	for _, flag := range o.BuildFlags {
		if ownFlags.MatchString(flag) {
			return nil, fmt.Errorf("a swap sets the flag %s of go build itself: leave it out (--output names the folder of the binaries)", flag)
		}
	}
	if len(o.Patterns) == 0 {
		return nil, errors.New("no package is named: name the packages of the program, such as ./... or ./cmd/controller")
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	for _, dir := range []*string{&o.Dir, &o.Output} {
		if *dir == "" {
			*dir = o.Dir
		}
		abs, err := filepath.Abs(*dir)
		if err != nil {
			return nil, err
		}
		*dir = abs
	}
	if o.Cache == "" {
		var err error
		if o.Cache, err = DefaultCache(); err != nil {
			return nil, err
		}
	}
	s := &swap{Options: o, tool: gotool.Tool{Dir: o.Dir}, result: &Result{}}
	s.Progress("reading the module")
	var err error
	if s.module, err = findModule(ctx, s.tool, o.Mod); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Cache, 0o755); err != nil {
		return nil, fmt.Errorf("create the cache folder: %w", err)
	}
	if s.work, err = os.MkdirTemp(o.Cache, ".run-*"); err != nil {
		return nil, fmt.Errorf("create a folder in the cache: %w", err)
	}
	s.flags = append([]string{"-mod=mod", "-modfile=" + s.goMod()}, o.BuildFlags...)
	if err := s.copyModule(); err != nil {
		os.RemoveAll(s.work)
		return nil, err
	}
	return s, nil
}

// goMod returns the path of the copy of go.mod; go finds the copy of go.sum beside it.
func (s *swap) goMod() string { return filepath.Join(s.work, "go.mod") }

func (s *swap) copyModule() error {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(s.module.goMod), name))
		if errors.Is(err, os.ErrNotExist) && name == "go.sum" {
			continue
		}
		if err != nil {
			return fmt.Errorf("copy %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(s.work, name), data, 0o644); err != nil {
			return fmt.Errorf("copy %s: %w", name, err)
		}
	}
	return nil
}

// load returns the packages main to build.
func (s *swap) load(ctx context.Context) ([]listedPackage, error) {
	s.Progress("loading " + strings.Join(s.Patterns, " "))
	args := append([]string{"list", "-json=ImportPath,Name,Dir,Module,Deps,Error,DepsErrors"}, s.flags...)
	out, err := s.tool.Run(ctx, append(append(args, "--"), s.Patterns...)...)
	if err != nil {
		return nil, fmt.Errorf("the packages cannot be loaded: %w", err)
	}
	all, err := decodeAll[listedPackage](out)
	if err != nil {
		return nil, err
	}
	targets, skipped, err := mains(all, s.Patterns)
	if err != nil {
		return nil, err
	}
	for _, p := range skipped {
		s.result.Skipped = append(s.result.Skipped, p.ImportPath)
	}
	return targets, nil
}

// prepare writes the copies of client-go and Vedette and the files that make go use them.
func (s *swap) prepare(ctx context.Context, targets []listedPackage) error {
	used, err := s.modules(ctx, clientGo)
	if err != nil {
		return err
	}
	version, dir, err := clientGoOf(used[clientGo])
	if err != nil {
		return err
	}
	s.result.ClientGo = version
	s.Progress("patching client-go " + version)
	patched, err := patchedClientGo(version, dir)
	if err != nil {
		return err
	}
	source, err := s.source(ctx)
	if err != nil {
		return err
	}
	e, err := loadEngine(ctx, source, tagOf(version))
	if err != nil {
		return err
	}
	replaced := map[string]string{}
	for path, f := range map[string]*folder{clientGo: patched, vedette: e.folder} {
		if replaced[path], err = f.put(s.Cache); err != nil {
			return err
		}
	}
	if err := s.raised(ctx, e); err != nil {
		return err
	}
	if err := s.editModule(ctx, e, replaced); err != nil {
		return err
	}
	return s.overlay(targets)
}

// modules returns the modules of the build with the given paths.
func (s *swap) modules(ctx context.Context, paths ...string) (map[string]listedModule, error) {
	args := append([]string{"list", "-m", "-e", "-json=Path,Version,Dir,Main,Replace", "-mod=mod", "-modfile=" + s.goMod()}, paths...)
	out, err := s.tool.Run(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("the modules cannot be listed: %w", err)
	}
	all, err := decodeAll[listedModule](out)
	if err != nil {
		return nil, err
	}
	found := map[string]listedModule{}
	for _, m := range all {
		found[m.Path] = m
	}
	return found, nil
}

// raised records the modules of the program that the engine needs in a newer version.
func (s *swap) raised(ctx context.Context, e *engine) error {
	if len(e.require) == 0 {
		return nil
	}
	var paths []string
	need := map[string]string{}
	for _, r := range e.require {
		module, version, _ := strings.Cut(r, "@")
		paths = append(paths, module)
		need[module] = version
	}
	used, err := s.modules(ctx, paths...)
	if err != nil {
		return err
	}
	for _, module := range paths {
		if m := used[module]; m.Version != "" && older(m.Version, need[module]) {
			s.result.Raised = append(s.result.Raised, fmt.Sprintf("%s %s -> %s", module, m.Version, need[module]))
		}
	}
	return nil
}

// source returns the folder of the source of Vedette.
func (s *swap) source(ctx context.Context) (string, error) {
	if s.Vedette != "" {
		return s.Vedette, nil
	}
	if !released.MatchString(s.Version) {
		return "", fmt.Errorf("this program is a development build (%s), whose source go cannot download: name the folder of its source with --vedette=PATH", s.Version)
	}
	s.Progress("downloading the source of Vedette " + s.Version)
	out, err := gotool.Tool{Dir: s.work, Env: plainEnv()}.Run(ctx, "mod", "download", "-json", vedette+"@"+s.Version)
	if err != nil {
		return "", fmt.Errorf("the source of Vedette %s cannot be downloaded: %w", s.Version, err)
	}
	var m listedModule
	if err := json.Unmarshal(out, &m); err != nil {
		return "", fmt.Errorf("read the output of go mod download: %w", err)
	}
	return m.Dir, nil
}

// released matches versions that are in module proxies.
var released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// editModule makes the copy of go.mod use the copies in the cache.
func (s *swap) editModule(ctx context.Context, e *engine, replaced map[string]string) error {
	mod, err := readGoMod(ctx, s.goMod())
	if err != nil {
		return err
	}
	args := []string{"mod", "edit"}
	for _, r := range mod.Replace {
		if r.Old.Path == clientGo && r.Old.Version != "" {
			args = append(args, "-dropreplace="+clientGo+"@"+r.Old.Version)
		}
	}
	for path, dir := range replaced {
		args = append(args, "-replace="+path+"="+dir)
	}
	args = append(args, "-require="+vedette+"@v0.0.0")
	args = append(args, s.goMod())
	if _, err := (gotool.Tool{Dir: s.work, Env: plainEnv()}).Run(ctx, args...); err != nil {
		return err
	}
	sums, err := os.OpenFile(filepath.Join(s.work, "go.sum"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	for _, line := range e.sums {
		_, err = fmt.Fprintln(sums, line)
	}
	return errors.Join(err, sums.Close())
}

// overlay adds a file to each package main.
func (s *swap) overlay(targets []listedPackage) error {
	added := filepath.Join(s.work, "main.go")
	if err := os.WriteFile(added, template("main.go"), 0o644); err != nil {
		return err
	}
	replace := map[string]string{}
	for _, p := range targets {
		replace[filepath.Join(p.Dir, "zz_vedette_swap.go")] = added
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.work, "overlay.json"), data, 0o644)
}

// build builds the packages one after the other.
func (s *swap) build(ctx context.Context, targets []listedPackage) error {
	if err := os.MkdirAll(s.Output, 0o755); err != nil {
		return err
	}
	suffix := "-vedette"
	if out, err := s.tool.Run(ctx, "env", "GOEXE"); err == nil {
		suffix += strings.TrimSpace(string(out))
	}
	for i, p := range targets {
		file := filepath.Join(s.Output, programName(p.ImportPath)+suffix)
		if slices.ContainsFunc(s.result.Binaries, func(b Binary) bool { return b.Path == file }) {
			return fmt.Errorf("two packages would be built as %s: name one of them instead of all", file)
		}
		s.Progress(fmt.Sprintf("building %s (%d of %d)", p.ImportPath, i+1, len(targets)))
		args := append([]string{"build", "-overlay=" + filepath.Join(s.work, "overlay.json"), "-o", file}, s.flags...)
		if _, err := s.tool.Run(ctx, append(args, "--", p.ImportPath)...); err != nil {
			return fmt.Errorf("package %s cannot be built with the engine; check first that `go build %s` succeeds: %w", p.ImportPath, p.ImportPath, err)
		}
		s.result.Binaries = append(s.result.Binaries, Binary{p.ImportPath, file})
	}
	return nil
}

// majorVersion matches the end of the import path of a module with a major version.
var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// programName returns the name of the binary that go builds from a package.
func programName(importPath string) string {
	if name := path.Base(importPath); !majorVersion.MatchString(name) {
		return name
	}
	return path.Base(path.Dir(importPath))
}
