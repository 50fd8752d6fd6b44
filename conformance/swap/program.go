package swap

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// program is a running controller.
type program struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner // of its standard output
	log   bytes.Buffer   // its standard error
	seen  []string
}

// start runs a binary in a namespace. mode is the value of VEDETTE_SWAP.
func start(t *testing.T, binary, kubeconfig, namespace, mode string) *program {
	t.Helper()
	p := &program{cmd: exec.CommandContext(t.Context(), binary, "--kubeconfig="+kubeconfig, "--namespace="+namespace)}
	p.cmd.Env = append(os.Environ(), "VEDETTE_SWAP="+mode)
	p.cmd.Stderr = &p.log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// await reads lines until the wanted one.
func (p *program) await(want string) error {
	for p.lines.Scan() {
		p.seen = append(p.seen, p.lines.Text())
		if p.lines.Text() == want {
			return nil
		}
	}
	return fmt.Errorf("the program ended without the line %q; it printed %q", want, p.seen)
}

// stop ends the program, and returns its remaining lines and its log.
func (p *program) stop() (lines []string, log string, err error) {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return nil, p.log.String(), err
	}
	for p.lines.Scan() {
		p.seen = append(p.seen, p.lines.Text())
	}
	err = p.cmd.Wait()
	return p.seen, strings.TrimSpace(p.log.String()), err
}
