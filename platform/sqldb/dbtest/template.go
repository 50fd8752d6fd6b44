package dbtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// initialize fills the data folder of a server. The result of the command is kept in the
// cache folder of the user, because it is the same each time and costs a second of CPU time.
func initialize(name, server, data string, command *exec.Cmd) error {
	kept, err := template(name, server, data, command)
	if err != nil {
		return run(command)
	}
	if _, err := os.Stat(kept); err == nil {
		return copyFolder(data, kept)
	}
	if err := run(command); err != nil {
		return err
	}
	// Other processes may do the same at this time; the first one wins.
	part, err := os.MkdirTemp(filepath.Dir(kept), "part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	if err := os.CopyFS(filepath.Join(part, "data"), os.DirFS(data)); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(part, "data"), kept); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// template returns the folder for the result of a command of a version of a server.
func template(name, server, data string, command *exec.Cmd) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	version, err := exec.Command(server, "--version").Output()
	if err != nil {
		return "", err
	}
	settings := strings.ReplaceAll(strings.Join(command.Args, " "), data, "")
	dir := filepath.Join(cache, "vedette", "dbtest")
	return filepath.Join(dir, fmt.Sprintf("%s-%x", name, sha256.Sum256([]byte(string(version)+settings)))), os.MkdirAll(dir, 0o700)
}

func run(command *exec.Cmd) error {
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// copyFolder copies a data folder, for the owner of the folder around it.
func copyFolder(data, from string) error {
	if err := os.CopyFS(data, os.DirFS(from)); err != nil {
		return err
	}
	if err := os.Chmod(data, 0o700); err != nil {
		return err
	}
	return filepath.WalkDir(data, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return ownLike(path, filepath.Dir(data))
	})
}
