package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// TestProcess starts the program once, as kubectl does, through a symbolic link. Its name,
// arguments, outputs and exit code are those of the process.
func TestProcess(t *testing.T) {
	testinput.Uncached(t)
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "watch")
	if link := filepath.Join(t.TempDir(), "kubectl-vedette"); os.Symlink(binary, link) == nil {
		cmd.Path, cmd.Args[0] = link, link
	} else { // Windows without the right to create links
		cmd.Args[0] = "kubectl-vedette"
	}
	cmd.Env = append(os.Environ(), asProgram+"=yes")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("it ended with %v, want exit code 1", err)
	}
	if text := errs.String(); out.Len() > 0 || !strings.Contains(text, "`kubectl vedette watch jobs,pods` (see `kubectl vedette watch --help`)") {
		t.Errorf("printed %q, said %q, want only an error with commands of the plugin", out.String(), text)
	}
}

// TestPlugin checks that the help of the kubectl plugin has the words that the user typed.
func TestPlugin(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"help"}, {"watch", "--help"}, {"history", "--help"}, {"notify", "--help"}, {"notify", "check", "--help"}} {
		out, _ := endedAs(t, "kubectl-vedette", args...)
		if !strings.Contains(out, "kubectl vedette ") {
			t.Errorf("%q: the help has no \"kubectl vedette\":\n%s", args, out)
		}
		for line := range strings.Lines(out) {
			if strings.Contains(strings.ReplaceAll(line, "kubectl vedette ", ""), "vedette ") {
				t.Errorf("%q: got %q, want \"kubectl vedette\"", args, line)
			}
		}
		if out, _ := endedAs(t, "vedette", args...); strings.Contains(out, "kubectl vedette") {
			t.Errorf("%q as vedette: got \"kubectl vedette\" in\n%s", args, out)
		}
	}
}

// endedAs runs the program by a name to its end.
func endedAs(t *testing.T, name string, args ...string) (stdout, stderr string) {
	t.Helper()
	p := startAs(t, name, args...)
	p.end()
	return p.out.String(), p.err.String()
}

// TestPluginErrors checks that errors of the kubectl plugin suggest commands of the plugin.
func TestPluginErrors(t *testing.T) {
	t.Parallel()
	if _, errs := endedAs(t, "kubectl-vedette", "watch"); !strings.Contains(errs, "`kubectl vedette watch jobs,pods` (see `kubectl vedette watch --help`)") {
		t.Errorf("got %q, want commands of the plugin", errs)
	}
}

// TestPluginCompletion checks the program under the name that kubectl runs to complete
// arguments of its plugins.
func TestPluginCompletion(t *testing.T) {
	t.Parallel()
	if out, _ := endedAs(t, "kubectl_complete-vedette", "jobs", "--state", "Fa"); out != "Failed\n:4\n" {
		t.Errorf("got %q, want the state Failed", out)
	}
}
