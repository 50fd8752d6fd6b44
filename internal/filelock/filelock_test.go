package filelock

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

func TestTry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, ours, err := Try(path)
	if err != nil || !ours {
		t.Fatalf("first Try: got %t and error %v, want true", ours, err)
	}
	if _, ours, err := Try(path); err != nil || ours {
		t.Errorf("Try of a locked file: %t, %v, want false", ours, err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	unlock, ours, err = Try(path)
	if err != nil || !ours {
		t.Fatalf("Try of a file that was unlocked: %t, %v", ours, err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	if _, ours, err := Try(t.TempDir()); err == nil || ours {
		t.Errorf("a folder: %t, %v, want an error", ours, err)
	}
	if _, ours, err := Try(filepath.Join(t.TempDir(), "none", "lock")); err == nil || ours {
		t.Errorf("a file in a folder that does not exist: %t, %v, want an error", ours, err)
	}
}

// TestTryData: the owner of the lock reads and writes the file.
func TestTryData(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	unlock, ours, err := TryData(path)
	if err != nil || !ours {
		t.Fatalf("TryData: got %t and error %v, want true", ours, err)
	}
	if _, ours, err := TryData(path); err != nil || ours {
		t.Errorf("TryData of a locked file: %t, %v, want false", ours, err)
	}
	if err := os.WriteFile(path, []byte("after"), 0o600); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "after" {
		t.Errorf("read %q, error %v; want after", text, err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// TestProcesses: the lock of another process is respected, and ends with the process.
func TestProcesses(t *testing.T) {
	const variable = "VEDETTE_TEST_LOCK"
	if path := os.Getenv(variable); path != "" {
		if _, ours, err := Try(path); err != nil || !ours {
			t.Fatalf("Try: got %t and error %v, want true", ours, err)
		}
		_, _ = os.Stdout.WriteString("locked\n")
		select {}
	}
	testinput.Uncached(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "lock")
	other := exec.Command(self, "-test.run=^TestProcesses$", "-test.timeout=2m")
	other.Env = append(os.Environ(), variable+"="+path)
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "locked\n" {
		t.Fatalf("the other process printed %q, %v", line, err)
	}
	if _, ours, err := Try(path); err != nil || ours {
		t.Errorf("while another process has the lock: %t, %v, want false", ours, err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait() // it was killed
	unlock, ours, err := Try(path)
	if err != nil || !ours {
		t.Fatalf("after the other process has ended: %t, %v, want true", ours, err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
}

// TestWait: a waiting caller gets the lock when its holder unlocks, and a context ends the
// wait.
func TestWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Wait(t.Context(), path, func() { t.Error("a free lock was awaited") })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("planted")
	if _, err := Wait(ctx, path, func() { cancel(gone) }); !errors.Is(err, gone) {
		t.Errorf("a canceled wait: %v, want %v", err, gone)
	}
	again, err := Wait(t.Context(), path, func() {
		if err := unlock(); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}
