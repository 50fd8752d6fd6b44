package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// copyTree makes the copy equal to the clone: its tracked files and those that git does not
// ignore. A file with equal content is not touched, so its time stays. Files that git
// ignores, such as installed modules of npm, stay in the copy.
func copyTree(ctx context.Context, clone, tree string) error {
	if err := os.MkdirAll(tree, 0o755); err != nil {
		return err
	}
	if err := linkHistory(ctx, clone, tree); err != nil {
		return err
	}
	names, err := listFiles(ctx, clone, "-co")
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, name := range names {
		_, err := os.Lstat(filepath.Join(clone, name))
		keep[name] = err == nil // git also lists files that were deleted without its knowledge
	}
	// Files that the clone does not have go first: a folder may take their place.
	old, err := listFiles(ctx, tree, "-co")
	if err != nil {
		return err
	}
	for _, name := range old {
		if keep[name] {
			continue
		}
		if err := os.RemoveAll(filepath.Join(tree, name)); err != nil {
			return err
		}
		removeEmpty(tree, filepath.Dir(name))
	}
	for _, name := range names {
		if !keep[name] {
			continue
		}
		if err := copyFile(filepath.Join(clone, name), filepath.Join(tree, name)); err != nil {
			return err
		}
	}
	return nil
}

// linkHistory lets git in the copy see the history and the index of the clone.
func linkHistory(ctx context.Context, clone, tree string) error {
	git, err := output(ctx, clone, "git", "rev-parse", "--absolute-git-dir")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(tree, ".git"), []byte("gitdir: "+git+"\n"), 0o644)
}

// listFiles returns the files that git lists with a flag, and that it does not ignore.
func listFiles(ctx context.Context, dir, which string) ([]string, error) {
	// In the copy, .git is a link, and git would take the folder of the clone as its tree.
	out, err := output(ctx, dir, "git", "--work-tree=.", "ls-files", which, "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range strings.SplitSeq(out, "\x00") {
		if name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// copyFile copies a file unless the copy has the same content and mode.
func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return copyLink(from, to)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is neither a file nor a link", from)
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o111 != 0 {
		mode = 0o755
	}
	if have, err := os.Lstat(to); err == nil && have.Mode() == mode && have.Size() == info.Size() {
		if old, err := os.ReadFile(to); err == nil && bytes.Equal(old, data) {
			return nil
		}
	} else if err == nil && !have.Mode().IsRegular() {
		if err := os.RemoveAll(to); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(to, data, mode); err != nil {
		return err
	}
	if err := os.Chmod(to, mode); err != nil {
		return err
	}
	// The go command does not store the result of a test that read a file younger than two
	// seconds, because somebody might still be writing it. Here nobody does.
	past := time.Now().Add(-10 * time.Second)
	return os.Chtimes(to, past, past)
}

func copyLink(from, to string) error {
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	if have, err := os.Readlink(to); err == nil && have == target {
		return nil
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.Symlink(target, to)
}

// removeEmpty removes a folder of the copy and those above it while they are empty.
func removeEmpty(tree, dir string) {
	for dir != "." && os.Remove(filepath.Join(tree, dir)) == nil {
		dir = filepath.Dir(dir)
	}
}
