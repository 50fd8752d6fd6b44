package swap

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folder is a set of files that is added to the cache as a whole.
type folder struct {
	name  string            // prefix of its name in the cache
	files map[string]string // paths in the folder -> files to copy
	texts map[string][]byte // paths in the folder -> contents to write
}

// put writes the folder below root, unless it exists, and returns its path.
//
// Errors: those of the file system.
func (f *folder) put(root string) (string, error) {
	sum, err := f.hash()
	if err != nil {
		return "", err
	}
	target := filepath.Join(root, f.name+"-"+sum)
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", fmt.Errorf("create the cache folder: %w", err)
	}
	made, err := os.MkdirTemp(root, ".new-*")
	if err != nil {
		return "", fmt.Errorf("create a folder in the cache: %w", err)
	}
	defer os.RemoveAll(made)
	if err := f.write(made); err != nil {
		return "", fmt.Errorf("fill the cache: %w", err)
	}
	if err := os.Chmod(made, 0o755); err != nil {
		return "", fmt.Errorf("fill the cache: %w", err)
	}
	err = os.Rename(made, target)
	if _, there := os.Stat(target); err != nil && there == nil {
		return target, nil // another run has created it
	}
	return target, err
}

// hash returns a name that depends on the contents.
func (f *folder) hash() (string, error) {
	h := sha256.New()
	for _, path := range slices.Sorted(keys(f.files, f.texts)) {
		data, ok := f.texts[path]
		if !ok {
			var err error
			if data, err = os.ReadFile(f.files[path]); err != nil {
				return "", err
			}
		}
		fmt.Fprintf(h, "%s %d\n", path, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))[:16], nil
}

// keys returns the paths of both maps. A text replaces a file of the same path.
func keys(files map[string]string, texts map[string][]byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		for path := range files {
			if _, both := texts[path]; !both && !yield(path) {
				return
			}
		}
		for path := range texts {
			if !yield(path) {
				return
			}
		}
	}
}

func (f *folder) write(dir string) error {
	for path := range keys(f.files, f.texts) {
		data, ok := f.texts[path]
		if !ok {
			var err error
			if data, err = os.ReadFile(f.files[path]); err != nil {
				return err
			}
		}
		target := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// addTree adds the files of a folder and all folders below it, without tests.
//
// Errors: those of the file system.
func (f *folder) addTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata" && path != dir:
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		f.files[filepath.ToSlash(rel)] = path
		return nil
	})
}

// DefaultCache returns the folder of the copies, in the user's cache folder.
//
// Errors: the user has no cache folder.
func DefaultCache() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", errors.New("the user has no cache folder: set it with --cache")
	}
	return filepath.Join(base, "vedette", "swap"), nil
}
