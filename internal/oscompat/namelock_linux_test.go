package oscompat

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLockName: a name has one holder at a time, and the locks of one name in one place have the
// same ID.
func TestLockName(t *testing.T) {
	name := t.Name() + t.TempDir()
	first := LockName(name)
	if first == nil {
		t.Fatal("a free name was not locked")
	}
	if LockName(name) != nil {
		t.Error("a locked name was locked again")
	}
	other := LockName(name + "2")
	if other == nil || other.ID == first.ID || len(other.ID) != 32 {
		t.Errorf("got %+v for another name, want another ID than %q", other, first.ID)
	}
	other.Release()
	first.Release()
	again := LockName(name)
	if again == nil || again.ID != first.ID {
		t.Fatalf("got %+v after the end of the lock, want the ID %q", again, first.ID)
	}
	again.Release()
}

// TestLockNameOfKilledProcess: while a process lives, its name is locked, also in another process.
// After it was killed, the name is free.
func TestLockNameOfKilledProcess(t *testing.T) {
	const variable = "VEDETTE_TEST_LOCK_NAME"
	if name := os.Getenv(variable); name != "" {
		l := LockName(name)
		if l == nil {
			os.Exit(1)
		}
		os.Stdout.WriteString(l.ID + "\n")
		select {}
	}
	name := t.Name() + t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), variable+"="+name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if LockName(name) != nil {
		t.Error("the name of a living process was locked")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	l := LockName(name)
	if l == nil || l.ID != strings.TrimSpace(id) {
		t.Fatalf("got %+v after the death of the process, want the ID %q", l, id)
	}
	l.Release()
}
