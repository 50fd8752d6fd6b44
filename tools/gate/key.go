package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// keys makes the keys of steps. A key is the hash of everything that can change the result.
type keys struct {
	g        *graph
	files    []string          // all files of the tree
	versions map[string]string // of programs that tests start; found when needed
}

func newKeys(ctx context.Context, g *graph) (*keys, error) {
	files, err := listFiles(ctx, g.tree, "-co")
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	return &keys{g: g, files: files, versions: map[string]string{}}, nil
}

// settings are the variables that tests read. Each is part of every key.
var settings = []string{"VEDETTE_SEED", "VEDETTE_CASES", "VEDETTE_SIZE", "VEDETTE_PATIENCE", "GOFLAGS", "GODEBUG", "GOEXPERIMENT", "CGO_ENABLED"}

// inputs collects what a key depends on.
type inputs struct {
	k     *keys
	files map[string]bool
	texts []string
}

func (k *keys) inputs() *inputs { return &inputs{k: k, files: map[string]bool{}} }

// text adds a setting, a command line or a version.
func (in *inputs) text(lines ...string) *inputs { in.texts = append(in.texts, lines...); return in }

// pkg adds what a package is built from, with its tests.
func (in *inputs) pkg(p *pkg) *inputs { return in.built(p, true) }

func (in *inputs) built(p *pkg, tests bool) *inputs {
	files, foreign := in.k.g.closure(p, tests)
	for _, f := range files {
		in.files[f] = true
	}
	in.texts = append(in.texts, foreign...)
	return in
}

// tree adds the files of the tree below folders, or files themselves. "." adds all.
func (in *inputs) tree(names ...string) *inputs {
	for _, name := range names {
		for _, f := range in.k.files {
			if name == "." || f == name || strings.HasPrefix(f, name+"/") {
				in.files[f] = true
			}
		}
	}
	return in
}

// needs adds declared inputs: "go:FOLDER" is a program and all that it is built from,
// "run:PROGRAM" the version of a program of this machine, and anything else a file or a
// folder of the tree.
func (in *inputs) needs(declared ...string) *inputs {
	for _, d := range declared {
		kind, name, found := strings.Cut(d, ":")
		switch {
		case found && kind == "go":
			if p := in.k.g.folderOf(name); p != nil {
				in.built(p, false)
			} else {
				in.text("no package " + name)
			}
		case found && kind == "run":
			in.text(name + " " + in.k.version(name))
		default:
			in.tree(d)
		}
	}
	return in
}

// key returns the hash.
func (in *inputs) key() (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, in.k.g.version)
	for _, name := range settings {
		value, set := os.LookupEnv(name)
		fmt.Fprintf(h, "%s=%s %v\n", name, value, set)
	}
	slices.Sort(in.texts)
	for _, t := range slices.Compact(in.texts) {
		fmt.Fprintln(h, "text", t)
	}
	var names []string
	for f := range in.files {
		names = append(names, f)
	}
	slices.Sort(names)
	for _, f := range names {
		sum, err := in.k.g.sum(f)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, "file", f, sum)
	}
	return hex.EncodeToString(h.Sum(nil)[:12]), nil
}

// sum returns the hash of a file, and of its mode.
func (g *graph) sum(name string) (string, error) {
	if s, ok := g.sums[name]; ok {
		return s, nil
	}
	full := filepath.Join(g.tree, name)
	info, err := os.Lstat(full)
	if errors.Is(err, fs.ErrNotExist) {
		return "missing", nil
	}
	if err != nil {
		return "", err
	}
	var data []byte
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(full)
		if err != nil {
			return "", err
		}
		data = []byte(target)
	} else if data, err = os.ReadFile(full); err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	g.sums[name] = fmt.Sprintf("%x %v", sum[:12], info.Mode())
	return g.sums[name], nil
}

// places are the folders of programs that are not in PATH.
var places = map[string][]string{
	"postgres": {"/usr/lib/postgresql/*/bin/postgres", "/usr/pgsql-*/bin/postgres"},
	"mariadbd": {"/usr/sbin/mariadbd"}, "pgbouncer": {"/usr/sbin/pgbouncer"}, "exim4": {"/usr/sbin/exim4", "/usr/sbin/exim"},
}

// version returns what identifies a program of this machine. A program that is missing has
// no version, and the step that needs it fails.
func (k *keys) version(program string) string {
	if v, ok := k.versions[program]; ok {
		return v
	}
	v := "missing"
	names := append([]string{}, places[program]...)
	var found []string
	for _, pattern := range names {
		matches, err := filepath.Glob(pattern)
		if err == nil {
			found = append(found, matches...)
		}
	}
	flag := "--version"
	if program == "exim4" {
		flag = "-bV"
	}
	if len(found) == 0 {
		found = []string{program}
	}
	for _, f := range found {
		if out, err := output(context.Background(), ".", f, flag); err == nil {
			first, _, _ := strings.Cut(out, "\n")
			v = strings.TrimPrefix(v, "missing") + first + ";"
		}
	}
	k.versions[program] = v
	return v
}
