package controlplane

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/internal/filelock"
)

// CacheVariable is the environment variable with the folder for built programs. The
// default is vedette/controlplane in the user's cache folder.
const CacheVariable = "VEDETTE_CONTROLPLANE_CACHE"

// Binaries are the paths of the programs.
type Binaries struct {
	// Etcd and Kwok are one program each. Kubernetes contains three, and takes the name
	// of one as its first argument.
	Etcd, Kubernetes, Kwok string
	// Stages is the file with kwok's rules for nodes and pods.
	Stages string
	// Version is the version of Kubernetes, such as 1.28.15.
	Version string
}

// program is one program to build.
type program struct {
	name    string   // its folder below build, and its file in the cache
	pkg     string   // package to build
	flags   []string // linker flags
	minutes int      // duration of a cold build on two cores
}

var programs = []program{
	{name: "etcd", pkg: ".", minutes: 2},
	{name: "kwok", pkg: "sigs.k8s.io/kwok/cmd/kwok", minutes: 2},
	{name: "kubernetes", pkg: ".", minutes: 11, flags: []string{"-X", "k8s.io/component-base/version.gitVersion=v" + DefaultVersion}},
}

// Build builds the programs that are not in the cache yet, with the servers of Kubernetes
// version, and writes its progress to progress. Several processes may call it at once: one
// builds, the others wait.
//
// Errors: a version that the modules are not served of; compiler errors; the cause of ctx.
func Build(ctx context.Context, version string, progress io.Writer) (Binaries, error) {
	programs, err := programsOf(version)
	if err != nil {
		return Binaries{}, err
	}
	source, err := sourceDir()
	if err != nil {
		return Binaries{}, err
	}
	dir, err := cacheDir(source)
	if err != nil {
		return Binaries{}, err
	}
	bins := Binaries{
		Etcd:       filepath.Join(dir, "etcd"),
		Kubernetes: filepath.Join(dir, programs[len(programs)-1].name),
		Kwok:       filepath.Join(dir, "kwok"),
		Stages:     filepath.Join(dir, "stages.yaml"),
		Version:    version,
	}
	unlock, err := filelock.Wait(ctx, filepath.Join(dir, "lock"), func() {
		fmt.Fprintln(progress, "Waiting for another process that builds the control plane.")
	})
	if err != nil {
		return Binaries{}, err
	}
	defer func() { _ = unlock() }()
	missing := slices.DeleteFunc(slices.Clone(programs), func(p program) bool { return exists(filepath.Join(dir, p.name)) })
	if len(missing) > 0 {
		minutes := 0
		for _, p := range missing {
			minutes += p.minutes
		}
		fmt.Fprintf(progress, "Building %d of %d programs of the control plane with Kubernetes %s, once: about %d minutes on two cores without Go's build cache.\n", len(missing), len(programs), version, minutes)
	}
	for i, p := range missing {
		module, err := p.module(ctx, version, source, dir)
		if err != nil {
			return Binaries{}, err
		}
		if err := p.build(ctx, module, dir, fmt.Sprintf("[%d/%d] %s", i+1, len(missing), p.name), progress); err != nil {
			return Binaries{}, err
		}
	}
	if !exists(bins.Stages) {
		if err := writeStages(ctx, filepath.Join(source, "kwok"), bins.Stages); err != nil {
			return Binaries{}, err
		}
	}
	return bins, nil
}

// sourceDir returns the folder of the modules to build. It searches the working directory
// and its parents, because the path of this file is unknown to a program that was built
// with -trimpath.
func sourceDir() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the source modules of the control plane: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		for _, modules := range []string{filepath.Join(dir, "build"), filepath.Join(dir, "conformance", "build")} {
			if exists(filepath.Join(modules, "etcd", "go.mod")) && exists(filepath.Join(modules, "kwok", "go.mod")) {
				return modules, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("neither %s nor a parent has the modules of the control plane: run this in a clone of the repository", start)
		}
	}
}

// cacheDir returns the folder for programs that were built from exactly these sources by
// exactly this compiler.
func cacheDir(source string) (string, error) {
	root := os.Getenv(CacheVariable)
	if root == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("find a folder for built programs: %w; set %s", err, CacheVariable)
		}
		root = filepath.Join(user, "vedette", "controlplane")
	}
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), runtime.GOOS, runtime.GOARCH, programs)
	files, err := filepath.Glob(filepath.Join(source, "*", "*"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.Base(file), len(content), content)
	}
	dir := filepath.Join(root, fmt.Sprintf("%x", hash.Sum(nil)[:8]))
	return dir, os.MkdirAll(dir, 0o755)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// tellEvery is the interval of progress messages.
const tellEvery = 20 * time.Second

// build builds one program of a module under a temporary name, and renames it when it is
// complete.
func (p program) build(ctx context.Context, module, dir, title string, progress io.Writer) error {
	part := filepath.Join(dir, p.name+".part")
	flags := strings.Join(append([]string{"-s", "-w"}, p.flags...), " ")
	mode := "-mod=readonly"
	if !p.committed() {
		mode = "-mod=mod" // its go.sum lacks the modules that replace Kubernetes' folders
	}
	cmd := exec.CommandContext(ctx, "go", "build", mode, "-ldflags", flags, "-o", part, p.pkg)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	began := time.Now()
	fmt.Fprintf(progress, "%s: building\n", title)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("build %s: %w", p.name, err)
	}
	built := make(chan error, 1)
	go func() { built <- cmd.Wait() }()
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-built:
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				return fmt.Errorf("build %s in %s: %w\n%s", p.name, cmd.Dir, err, tail(output.Bytes()))
			}
			fmt.Fprintf(progress, "%s: built in %v\n", title, time.Since(began).Round(time.Second))
			return os.Rename(part, filepath.Join(dir, p.name))
		case <-tick.C:
			fmt.Fprintf(progress, "%s: building for %v\n", title, time.Since(began).Round(time.Second))
		}
	}
}

// stages are the parts of kwok's module that simulate a kubelet: nodes become and stay
// ready, and pods start, and complete if a Job owns them.
var stages = []string{
	"node/fast/node-initialize.yaml",
	"node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
	"pod/general/*.yaml",
}

// writeStages copies the stages from the module that kwok was built from.
func writeStages(ctx context.Context, module, path string) error {
	cmd := exec.CommandContext(ctx, "go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok")
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("find the module of kwok: %w", err)
	}
	var all bytes.Buffer
	for _, pattern := range stages {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "kustomize", "stage", pattern))
		if err != nil || len(files) == 0 {
			return fmt.Errorf("kwok's module has no stages at %s: %v", pattern, err)
		}
		for _, file := range files {
			if filepath.Base(file) == "kustomization.yaml" {
				continue
			}
			content, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			fmt.Fprintf(&all, "---\n%s\n", content)
		}
	}
	if err := os.WriteFile(path+".part", all.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// tail returns the last lines of a log.
func tail(log []byte) []byte {
	const most = 4 << 10
	if len(log) > most {
		log = log[len(log)-most:]
	}
	return bytes.TrimSpace(log)
}
