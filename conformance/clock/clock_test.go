package clock_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/clock"
	"github.com/vedette-io/vedette/internal/testinput"
)

// program prints its wall clock, and the time that has passed since its start, for each
// line that it reads.
const program = `package main

import (
	"bufio"
	"fmt"
	"os"
	"time"
)

func main() {
	start := time.Now()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(time.Now().Unix(), int64(time.Since(start)))
	}
}
`

// TestClock: a moved clock changes the wall clock of a process, and not the time that
// passes.
func TestClock(t *testing.T) {
	testinput.Uncached(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "program")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", clock.Overlay(t), "-o", binary, filepath.Join(dir, "main.go")).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	c := clock.New(t)
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), c.Env())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for _, ahead := range []time.Duration{0, time.Hour, -2 * time.Hour, 0} {
		c.Move(ahead)
		asked := time.Now()
		if _, err := fmt.Fprintln(in); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() {
			t.Fatal("the program printed nothing")
		}
		var unix, passed int64
		if _, err := fmt.Sscan(lines.Text(), &unix, &passed); err != nil {
			t.Fatal(err)
		}
		if told := time.Unix(unix, 0).Add(-ahead); told.Before(asked.Add(-time.Second)) || told.After(time.Now()) { // in whole seconds
			t.Errorf("moved by %v, the clock of the process told %v, asked at %v", ahead, told, asked)
		}
		if time.Duration(passed) > time.Since(began) || passed < 0 {
			t.Errorf("moved by %v, %v have passed since the start", ahead, time.Duration(passed))
		}
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
