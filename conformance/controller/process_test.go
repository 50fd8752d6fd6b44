package controller_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/internal/patience"
)

// process is a running example.
type process struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{}
}

// start starts an example. It is killed at the end of the test.
func start(t *testing.T, kubeconfig, example string, args ...string) *process {
	t.Helper()
	return startIn(t, gobuild.Once(t, "./examples/"+example), []string{"KUBECONFIG=" + kubeconfig}, example, args...)
}

// startIn starts the program of an example.
func startIn(t *testing.T, path string, env []string, example string, args ...string) *process {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p := &process{t: t, name: example, log: log.Name(), cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait() // most are killed
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			lines := p.lines()
			t.Logf("the end of %s %v:\n%s", example, args, strings.Join(lines[max(0, len(lines)-30):], "\n"))
		}
	})
	return p
}

// kill ends the process with SIGKILL.
func (p *process) kill() {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Error(err)
	}
	<-p.done
}

// stop ends the process with SIGTERM.
func (p *process) stop() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Error(err)
	}
	patience.Closed(p.t, p.name+" stops", p.done)
}

// lines returns the output of the process.
func (p *process) lines() (lines []string) {
	f, err := os.Open(p.log)
	if err != nil {
		p.t.Error(err)
		return nil
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		lines = append(lines, scan.Text())
	}
	return lines
}

// says waits until the output contains a text.
func (p *process) says(text string) {
	p.t.Helper()
	patience.Until(p.t, p.name+" says "+text, func() string {
		if !strings.Contains(strings.Join(p.lines(), "\n"), text) {
			return "the text does not appear"
		}
		return ""
	})
}
