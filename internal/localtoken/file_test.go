package localtoken

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// folder makes a folder of the test the user's folder for settings.
func folder(t *testing.T) string {
	t.Helper()
	at := t.TempDir()
	t.Setenv("HOME", at)
	t.Setenv("XDG_CONFIG_HOME", at)
	t.Setenv("AppData", at)
	return filepath.Dir(Path())
}

// TestKeep: all processes of a user get one token, in a file that only the user can read.
func TestKeep(t *testing.T) {
	at := folder(t)
	if token, err := Read(); token != "" || err != nil {
		t.Fatalf("without a file: got %q and error %v, want none", token, err)
	}
	tokens := make([]string, 8)
	var work sync.WaitGroup
	for n := range tokens {
		work.Go(func() {
			var err error
			if tokens[n], err = Keep(); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	for _, token := range tokens {
		if len(token) < minToken || token != tokens[0] {
			t.Errorf("got tokens %d bytes long, equal: %t; want one token", len(token), token == tokens[0])
		}
	}
	if token, err := Read(); token != tokens[0] || err != nil {
		t.Errorf("Read differs from Keep, error %v", err)
	}
	names, err := os.ReadDir(at)
	if err != nil || len(names) != 1 {
		t.Errorf("the folder has %v, error %v; want the file alone", names, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]os.FileMode{at: 0o700, Path(): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v and error %v, want the mode %v", path, info, err, want)
		}
	}
}

// TestRefused: a file that others may read or write is refused, and the error does not quote it.
func TestRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // access control lists protect the file
	}
	const token = "correct-horse-battery-staple"
	for _, c := range []struct {
		name, text   string
		file, folder os.FileMode
		want         string
	}{
		{"readable by the group", token, 0o640, 0o700, "others may read"},
		{"readable by all", token, 0o604, 0o700, "others may read"},
		{"a folder of the group", token, 0o600, 0o770, "chmod 700"},
		{"empty", "", 0o600, 0o700, "has no local token"},
		{"short", "staple", 0o600, 0o700, "has no local token"},
		{"two lines", token + "\n" + token, 0o600, 0o700, "has no local token"},
		{"long", strings.Repeat("staple", 100), 0o600, 0o700, "has no local token"},
		{"private", token + "\n", 0o600, 0o755, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := folder(t)
			if err := errors.Join(os.MkdirAll(at, 0o700), os.WriteFile(Path(), []byte(c.text), 0o600), os.Chmod(Path(), c.file), os.Chmod(at, c.folder)); err != nil {
				t.Fatal(err)
			}
			got, err := Keep()
			if c.want == "" {
				if got != token || err != nil {
					t.Errorf("got error %v, want the token", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "staple") || errors.Is(err, ErrNotKept) || got != "" {
				t.Errorf("got error %v, want %q without the token", err, c.want)
			}
		})
	}
	t.Run("a folder", func(t *testing.T) {
		folder(t)
		if err := os.MkdirAll(Path(), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := Keep(); err == nil || !strings.Contains(err.Error(), "is not a file") {
			t.Errorf("got error %v, want that it is not a file", err)
		}
	})
}

// TestNotKept: without a folder that can be written, the error is ErrNotKept.
func TestNotKept(t *testing.T) {
	at := folder(t)
	if err := os.WriteFile(at, nil, 0o600); err != nil { // a file instead of the folder
		t.Fatal(err)
	}
	if _, err := Keep(); err == nil {
		t.Error("a folder that is a file: no error")
	}
	if runtime.GOOS != "windows" {
		t.Setenv("HOME", "")
		t.Setenv("XDG_CONFIG_HOME", "")
		if _, err := Keep(); !errors.Is(err, ErrNotKept) {
			t.Errorf("without a folder for settings: got error %v, want ErrNotKept", err)
		}
	}
}
