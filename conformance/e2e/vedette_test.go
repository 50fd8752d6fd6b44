package e2e_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/wire"
)

// change is one revision of one object, as printed or observed.
type change struct {
	event   string // ADDED, MODIFIED or DELETED
	kind    string
	key     string
	uid     string
	version wire.Version
}

// template prints a change in one line.
const template = "{.type} {.object.kind} {.object.metadata.namespace}/{.object.metadata.name} {.object.metadata.uid} {.object.metadata.resourceVersion}"

// vedette is a running program. Its standard output are the changes of `vedette watch`.
type vedette struct {
	t   *testing.T
	cmd *exec.Cmd

	mu      sync.Mutex
	changes []change
	said    []string // lines of standard error
	readers sync.WaitGroup
}

// watch starts `vedette watch`. The caller interrupts it.
func watch(t *testing.T, path string, args ...string) *vedette {
	t.Helper()
	return run(t, path, append([]string{"watch"}, args...)...)
}

// run starts the program. The caller interrupts it.
func run(t *testing.T, path string, args ...string) *vedette {
	t.Helper()
	v := &vedette{t: t}
	v.cmd = exec.Command(path, args...)
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := v.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	v.readers.Go(func() { v.read(out, v.parse) })
	v.readers.Go(func() { v.read(errs, func(line string) { v.said = append(v.said, line) }) })
	t.Cleanup(func() {
		if v.cmd.ProcessState == nil {
			_ = v.cmd.Process.Kill()
			v.readers.Wait()
			_ = v.cmd.Wait()
		}
		if t.Failed() {
			t.Logf("standard error:\n%s", strings.Join(v.said, "\n"))
		}
	})
	return v
}

func (v *vedette) read(r io.Reader, take func(string)) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		v.mu.Lock()
		take(lines.Text())
		v.mu.Unlock()
	}
}

func (v *vedette) parse(line string) {
	words := strings.Fields(line)
	if len(words) != 5 {
		v.t.Errorf("line %q", line)
		return
	}
	version, err := wire.ParseVersion(words[4])
	if err != nil {
		v.t.Errorf("line %q: %v", line, err)
	}
	v.changes = append(v.changes, change{words[0], words[1], words[2], words[3], version})
}

// until waits until the output satisfies ok.
func (v *vedette) until(what string, ok func(changes []change, said []string) bool) {
	v.t.Helper()
	patience.Until(v.t, what, func() string {
		v.mu.Lock()
		defer v.mu.Unlock()
		if ok(v.changes, v.said) {
			return ""
		}
		return fmt.Sprintf("%d changes; the last lines of standard error are %q", len(v.changes), v.said[max(0, len(v.said)-5):])
	})
}

// lines counts the lines that contain a text.
func lines(said []string, text string) int {
	n := 0
	for _, line := range said {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// interrupt sends the interrupt signal, and checks how the program ends.
func (v *vedette) interrupt() {
	v.t.Helper()
	if err := v.cmd.Process.Signal(os.Interrupt); err != nil {
		v.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		v.readers.Wait()
		ended <- v.cmd.Wait()
	}()
	if err := patience.Receive(v.t, "the end of the program after an interrupt", ended); err != nil {
		v.t.Errorf("after an interrupt: %v", err)
	}
}

// fold applies changes to an empty state, and reports changes that do not follow from the
// earlier ones.
func fold(t *testing.T, who string, changes []change) map[string]wire.Version {
	t.Helper()
	now, last, gone := map[string]wire.Version{}, map[string]wire.Version{}, map[string]bool{}
	for i, c := range changes {
		id := c.kind + " " + c.key + " " + c.uid
		switch {
		case gone[id]:
			t.Errorf("%s: line %d: %v after its deletion", who, i, c)
		case c.event == "DELETED":
			// A missed deletion has the version of the last known state.
			if c.version < last[id] {
				t.Errorf("%s: line %d: %v after version %v", who, i, c, last[id])
			}
			gone[id] = true
			delete(now, id)
		case c.version <= last[id]:
			t.Errorf("%s: line %d: %v after version %v", who, i, c, last[id])
		default:
			now[id] = c.version
		}
		last[id] = c.version
	}
	return now
}

func sameState(a, b map[string]wire.Version) bool { return maps.Equal(a, b) }
