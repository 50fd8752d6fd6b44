package localtoken

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/vedette-io/vedette/internal/oscompat"
)

// Limits of a token, in bytes.
const (
	minToken = 20 // shorter tokens can be guessed
	maxToken = 256
)

// ErrNotKept means that the user has no file and none can be created, as on a read-only file system.
var ErrNotKept = errors.New("the local token cannot be kept in a file")

// New returns a token that is in no file.
func New() string { return rand.Text() }

// Path returns the file of the user; "" if the system names no folder for settings.
func Path() string {
	folder, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "vedette", "local-token")
}

// Read returns the token of the user; "" without a file.
//
// Errors: the file or its folder is not safe; the file cannot be read.
func Read() (string, error) {
	path := Path()
	if path == "" {
		return "", nil
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the local token cannot be read: %w", err)
	}
	defer file.Close()
	if err := safe(file); err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxToken+2))
	if err != nil {
		return "", fmt.Errorf("the local token cannot be read: %w", err)
	}
	token := strings.TrimSuffix(string(text), "\n")
	if len(token) < minToken || len(token) > maxToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s has no local token: remove the file, and the next portal writes a new one", path)
	}
	return token, nil
}

// safe returns an error if somebody else may read or replace an open file.
func safe(file *os.File) error {
	path := file.Name()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("the local token cannot be read: %w", err)
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("the local token cannot be read: %w", err)
	}
	const written fs.FileMode = 0o022
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file: remove it, and the next portal writes a local token", path)
	case oscompat.OwnedByOther(info) || oscompat.OwnedByOther(folder):
		return fmt.Errorf("the local token in %s belongs to another user: remove the file, and the next portal writes a new one", path)
	case oscompat.SharedBits(info) != 0:
		return fmt.Errorf("others may read the local token in %s: remove the file, and the next portal writes a new one", path)
	case oscompat.SharedBits(folder)&written != 0:
		return fmt.Errorf("others may write to the folder of the local token: run `chmod 700 %s`", filepath.Dir(path))
	}
	return nil
}

// Keep returns the token of the user. Without a file it creates one.
//
// Errors: those of Read; ErrNotKept.
func Keep() (string, error) {
	if token, err := Read(); token != "" || err != nil {
		return token, err
	}
	if Path() == "" {
		return "", fmt.Errorf("%w: the system names no folder for settings; set HOME or XDG_CONFIG_HOME", ErrNotKept)
	}
	if err := create(Path(), New()); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	return Read() // another process may have created the file first
}

// create writes a file that only the user may read. It keeps an existing file.
func create(path, token string) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, ".local-token-") // with the mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(token + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		// A link does not replace the file of a process that was faster, and nobody sees a part.
		if err = os.Link(f.Name(), path); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	return errors.Join(err, os.Remove(f.Name()))
}
