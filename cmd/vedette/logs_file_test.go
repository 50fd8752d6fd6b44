package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/platform/logs"
)

// TestLogsOfColors: the colors of a program and its progress bar are shown where colors are on,
// kept in a file, and escaped in a pipe. Other sequences are escaped everywhere.
func TestLogsOfColors(t *testing.T) {
	const line = " 10%\r\x1b[32m100%\x1b[0m\x1b[2J"
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, color, want string
		to                *os.File
	}{
		{"file", "", " 10%\r\x1b[32m100%\x1b[0m\\x1b[2J\n", file},
		{"colors", "always", "\x1b[0;32m100%\x1b[0m\\x1b[2J\n", file},
		{"without colors", "never", ` 10%\r\x1b[32m100%\x1b[0m\x1b[2J` + "\n", file},
		{"pipe", "", ` 10%\r\x1b[32m100%\x1b[0m\x1b[2J` + "\n", write},
	} {
		p, err := newLogPrinter(console.New(c.to, os.Stderr, c.color), logFormat{color: c.color})
		if err == nil {
			err = p.line(logs.Line{Pod: "a", Container: "main", Attempt: 1, Text: line})
		}
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 200)
		var n int
		if c.to == write {
			n, err = read.Read(got)
		} else if n, err = file.ReadAt(got, 0); n > 0 {
			err = file.Truncate(0)
			_, _ = file.Seek(0, 0)
		}
		if err != nil || string(got[:n]) != c.want {
			t.Errorf("%s: got %q, error %v; want %q", c.name, got[:n], err, c.want)
		}
	}
	if err := write.Close(); err != nil {
		t.Error(err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
}
