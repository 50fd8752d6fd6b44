package controller_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/wait"
)

// build builds the examples.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "vedette-examples-")
	if err != nil {
		return "", err
	}
	return dir, buildInto(dir, "./examples/nodes", "./examples/podcontroller", "./examples/jobs", "./examples/trainjob")
})

// buildInto builds into a directory, with flags and packages for go build.
func buildInto(dir string, args ...string) error {
	cmd := exec.Command("go", append([]string{"build", "-o", dir + "/"}, args...)...)
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

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
	dir, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return startIn(t, dir, []string{"KUBECONFIG=" + kubeconfig}, example, args...)
}

// startIn starts an example that was built into a directory.
func startIn(t *testing.T, dir string, env []string, example string, args ...string) *process {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p := &process{t: t, name: example, log: log.Name(), cmd: exec.Command(filepath.Join(dir, example), args...), done: make(chan struct{})}
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
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		p.t.Errorf("%s does not stop", p.name)
		p.kill()
	}
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
	wait.Until(p.t, time.Minute, p.name+" says "+text, func() string {
		if !strings.Contains(strings.Join(p.lines(), "\n"), text) {
			return "the text does not appear"
		}
		return ""
	})
}
