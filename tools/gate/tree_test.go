package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// clone makes a repository with files.
func clone(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "first"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func modified(t *testing.T, name string) time.Time {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// TestCopyTree: the copy has the files of the clone. A file with equal content keeps its
// time, also after a checkout that wrote it again, and also from another clone.
func TestCopyTree(t *testing.T) {
	from := clone(t, map[string]string{"a/kept": "1", "a/changed": "1", "gone/deep/file": "1", ".gitignore": "ignored\n", "becomes": "a file"})
	tree := filepath.Join(t.TempDir(), "tree")
	if err := copyTree(t.Context(), from, tree); err != nil {
		t.Fatal(err)
	}
	kept, changed := modified(t, filepath.Join(tree, "a/kept")), modified(t, filepath.Join(tree, "a/changed"))

	write(t, filepath.Join(tree, "ignored"), "stays")
	write(t, filepath.Join(tree, "left-by-a-test"), "goes")
	other := clone(t, map[string]string{"a/kept": "1", "a/changed": "2", ".gitignore": "ignored\n", "becomes/a-folder": "1"})
	write(t, filepath.Join(other, "not-committed"), "1")
	if err := os.Remove(filepath.Join(other, "a/kept")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(other, "a/kept"), "1")
	if err := os.Symlink("a/kept", filepath.Join(other, "link")); err != nil {
		t.Fatal(err)
	}
	if err := copyTree(t.Context(), other, tree); err != nil {
		t.Fatal(err)
	}
	if now := modified(t, filepath.Join(tree, "a/kept")); !now.Equal(kept) {
		t.Errorf("the unchanged file has the time %v, had %v", now, kept)
	}
	if now := modified(t, filepath.Join(tree, "a/changed")); now.Equal(changed) {
		t.Error("the changed file has its old time, although its size is the same")
	}
	for name, want := range map[string]string{"a/changed": "2", "not-committed": "1", "ignored": "stays", "becomes/a-folder": "1", "link": "1"} {
		if text, err := os.ReadFile(filepath.Join(tree, name)); err != nil || string(text) != want {
			t.Errorf("%s: %q %v, want %q", name, text, err, want)
		}
	}
	for _, name := range []string{"gone", "left-by-a-test"} {
		if _, err := os.Lstat(filepath.Join(tree, name)); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
}

// TestCopyTreeHistory: git in the copy sees the history of the clone.
func TestCopyTreeHistory(t *testing.T) {
	from := clone(t, map[string]string{"a": "1"})
	tree := filepath.Join(t.TempDir(), "tree")
	if err := copyTree(t.Context(), from, tree); err != nil {
		t.Fatal(err)
	}
	subject, err := output(t.Context(), tree, "git", "log", "-1", "--format=%s")
	if err != nil || subject != "first" {
		t.Errorf("git log in the copy: %q %v", subject, err)
	}
	status, err := output(t.Context(), tree, "git", "status", "--porcelain")
	if err != nil || status != "" {
		t.Errorf("git status in the copy: %q %v", status, err)
	}
}
