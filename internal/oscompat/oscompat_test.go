package oscompat

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestErrors asks the operating system for each error.
func TestErrors(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = new(net.Dialer).DialContext(patience.Context(t, "the refusal of a closed port"), "tcp", address)
	if !ConnectionRefused(err) || ConnectionReset(err) || PipeClosed(err) || TooManyFiles(err) {
		t.Errorf("dial a closed port: %v is not only ConnectionRefused", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = w.WriteString("x")
	if err = errors.Join(fmt.Errorf("print: %w", err), w.Close()); !PipeClosed(err) || ConnectionRefused(err) {
		t.Errorf("write to a closed pipe: %v is not only PipeClosed", err)
	}
	if err := reading(t); !ConnectionReset(err) || PipeClosed(err) {
		t.Errorf("read from a connection that the peer has reset: %v is not only ConnectionReset", err)
	}
	if ConnectionRefused(nil) || ConnectionReset(io.EOF) || PipeClosed(io.ErrClosedPipe) || TooManyFiles(nil) {
		t.Error("errors of other kinds match")
	}
}

// reading returns the error of a read after the peer has reset the connection.
func reading(t *testing.T) error {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	// Closing with a linger time of 0 resets the connection.
	if err := errors.Join(server.(*net.TCPConn).SetLinger(0), server.Close()); err != nil {
		t.Fatal(err)
	}
	_, err = client.Read(make([]byte, 1))
	return err
}

func TestCheckWritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("as before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, file} {
		if err := CheckWritable(path); err != nil {
			t.Errorf("%s: got %v, want it writable", path, err)
		}
	}
	if err := CheckWritable(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that does not exist: %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "as before" {
		t.Errorf("CheckWritable has changed the file: %q, %v", text, err)
	}
	if err := os.Chmod(file, 0o400); err != nil {
		t.Fatal(err)
	}
	// Root may write every file on Unix. On Windows the bit is the read-only attribute.
	if err := CheckWritable(file); os.Getuid() != 0 && !errors.Is(err, os.ErrPermission) {
		t.Errorf("a file that is read-only: %v, want a permission error", err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("CheckWritable has left %v, %v", all, err)
	}
}

func TestSharedBits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]os.FileMode{0o600: 0, 0o640: 0o040, 0o604: 0o004} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS == "windows" {
			want = 0
		}
		if got := SharedBits(info); got != want {
			t.Errorf("mode %v: got %v, want %v", mode, got, want)
		}
	}
}

func TestCPUTime(t *testing.T) {
	before := CPUTime()
	patience.Until(t, "the CPU time grows", func() string {
		for range 10_000 { // some milliseconds of computing, because Until sleeps between its checks
			if CPUTime() != before {
				return ""
			}
		}
		return fmt.Sprintf("it stays at %v while the process computes", before)
	})
}

func TestTerminate(t *testing.T) {
	if os.Getenv("VEDETTE_TEST_WAITS") != "" {
		_, _ = os.Stdout.WriteString("ready\n")
		select {}
	}
	testinput.Uncached(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "-test.run=^TestTerminate$", "-test.timeout=2m")
	c.Env = append(os.Environ(), "VEDETTE_TEST_WAITS=1")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	if err := Terminate(c.Process); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("the process has ended with success, want an end by Terminate")
	}
	if err := Terminate(c.Process); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("a process that has ended: %v, want %v", err, os.ErrProcessDone)
	}
}
