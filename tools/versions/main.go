// Command versions builds, vets and tests a module with other versions of its dependencies
// than its go.mod has.
//
//	go run -C tools ./versions -client-go 0.34.13
//	go run -C tools ./versions -controller-runtime 0.22.5
//	go run -C tools ./versions -go 1.25.8
//
// With -controller-runtime the module is compat/controllerruntime, else the root module. The
// go.mod stays as it is: the go command gets a copy. The command prints a row for
// docs/versions.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	var t trial
	flag.StringVar(&t.clientGo, "client-go", "", "version of client-go, k8s.io/api and apimachinery; that of go.mod, or the one that controller-runtime requires")
	flag.StringVar(&t.controllerRuntime, "controller-runtime", "", "version of controller-runtime")
	flag.StringVar(&t.toolchain, "go", "", "version of Go; that of this command, or a later one that a module requires")
	flag.BoolVar(&t.buildOnly, "build", false, "build and vet the packages without their tests")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := t.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "versions:", err)
		stop()
		os.Exit(1)
	}
}

// trial is one run.
type trial struct {
	clientGo, controllerRuntime, toolchain string
	buildOnly                              bool

	module, copy string // the folder of the module, and the copy of its go.mod
}

func (t *trial) run(ctx context.Context) error {
	t.module = ".."
	if t.controllerRuntime != "" {
		t.module = filepath.Join("..", "compat", "controllerruntime")
	}
	scratch, err := os.MkdirTemp("", "versions")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }() // nobody reads it
	t.copy = filepath.Join(scratch, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := copyFile(filepath.Join(t.module, name), filepath.Join(scratch, name)); err != nil {
			return err
		}
	}
	if err := t.require(ctx); err != nil {
		return err
	}
	failed := t.check(ctx)
	if err := t.print(ctx, failed == nil); err != nil {
		return err
	}
	return failed
}

// require sets the versions of the copy.
func (t *trial) require(ctx context.Context) error {
	var wanted []string
	if t.controllerRuntime != "" {
		wanted = append(wanted, "sigs.k8s.io/controller-runtime@v"+t.controllerRuntime)
	}
	if t.clientGo != "" {
		wanted = append(wanted, "k8s.io/client-go@v"+t.clientGo, "k8s.io/api@v"+t.clientGo, "k8s.io/apimachinery@v"+t.clientGo)
	}
	if len(wanted) == 0 {
		return nil
	}
	if err := t.goCommand(ctx, os.Stderr, append([]string{"get"}, wanted...)...); err != nil {
		return err
	}
	return t.goCommand(ctx, os.Stderr, "mod", "tidy")
}

// check vets and tests the packages, one after the other.
func (t *trial) check(ctx context.Context) error {
	if t.buildOnly {
		return t.goCommand(ctx, os.Stderr, "build", "./...")
	}
	return errors.Join(t.goCommand(ctx, os.Stderr, "vet", "./..."),
		t.goCommand(ctx, os.Stderr, "test", "-p", "1", "-vet=off", "-timeout", "20m", "./..."))
}

// print prints the row.
func (t *trial) print(ctx context.Context, ok bool) error {
	used := []string{"k8s.io/client-go"}
	if t.controllerRuntime != "" {
		used = append(used, "sigs.k8s.io/controller-runtime")
	}
	list := append([]string{"list", "-m", "-f", "{{.Version}}"}, used...)
	versions, err := t.output(ctx, list...)
	if err != nil {
		return err
	}
	toolchain, err := t.output(ctx, "env", "GOVERSION")
	if err != nil {
		return err
	}
	commit, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=10", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("git rev-parse: %w", err)
	}
	columns := append(strings.Fields(strings.ReplaceAll(versions, "v", "")), "")[:2]
	result := map[bool]string{true: "passes", false: "fails"}[ok]
	if t.buildOnly && ok {
		result = "builds"
	}
	fmt.Printf("| %s | %s | %s | `%s` | %s | %s |\n", columns[0], columns[1], strings.TrimPrefix(strings.TrimSpace(toolchain), "go"),
		strings.TrimSpace(string(commit)), time.Now().UTC().Format(time.DateOnly), result)
	return nil
}

func (t *trial) output(ctx context.Context, args ...string) (string, error) {
	var text strings.Builder
	err := t.goCommand(ctx, &text, args...)
	return text.String(), err
}

// goCommand runs the go command in the module, with the copy of its go.mod.
func (t *trial) goCommand(ctx context.Context, out io.Writer, args ...string) error {
	if args[0] == "mod" {
		args = slices.Insert(slices.Clone(args), 2, "-modfile="+t.copy)
	} else if args[0] != "env" {
		args = slices.Insert(slices.Clone(args), 1, "-modfile="+t.copy)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.module, out, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if t.toolchain != "" {
		cmd.Env = append(cmd.Env, "GOTOOLCHAIN=go"+t.toolchain)
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}
