package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// startedAs runs the program through a symbolic link, and returns its outputs.
func startedAs(t *testing.T, name string, args ...string) (stdout, stderr string) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, args...)
	if link := filepath.Join(t.TempDir(), name); os.Symlink(binary, link) == nil {
		cmd.Path, cmd.Args[0] = link, link
	} else { // Windows without the right to create links
		cmd.Args[0] = name
	}
	cmd.Env = append(os.Environ(), asProgram+"=yes")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatalf("%s %q did not run: %v, %s", name, args, err, errs.String())
	}
	return out.String(), errs.String()
}

// TestPlugin checks that the help of the kubectl plugin has the words that the user typed.
func TestPlugin(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"watch", "--help"}, {"history", "--help"}, {"notify", "--help"}, {"notify", "check", "--help"}} {
		out, _ := startedAs(t, "kubectl-vedette", args...)
		if !strings.Contains(out, "kubectl vedette ") {
			t.Errorf("%q: the help has no \"kubectl vedette\":\n%s", args, out)
		}
		for line := range strings.Lines(out) {
			if strings.Contains(strings.ReplaceAll(line, "kubectl vedette ", ""), "vedette ") {
				t.Errorf("%q: got %q, want \"kubectl vedette\"", args, line)
			}
		}
		if out, _ := startedAs(t, "vedette", args...); strings.Contains(out, "kubectl vedette") {
			t.Errorf("%q as vedette: got \"kubectl vedette\" in\n%s", args, out)
		}
	}
}

// TestPluginErrors checks that errors of the kubectl plugin suggest commands of the plugin.
func TestPluginErrors(t *testing.T) {
	if _, errs := startedAs(t, "kubectl-vedette", "watch"); !strings.Contains(errs, "`kubectl vedette watch jobs,pods` (see `kubectl vedette watch --help`)") {
		t.Errorf("got %q, want commands of the plugin", errs)
	}
}

// TestPluginCompletion checks the program under the name that kubectl runs to complete
// arguments of its plugins.
func TestPluginCompletion(t *testing.T) {
	if out, _ := startedAs(t, "kubectl_complete-vedette", "jobs", "--state", "Fa"); out != "Failed\n:4\n" {
		t.Errorf("got %q, want the state Failed", out)
	}
}
