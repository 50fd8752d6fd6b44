package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/internal/yamlfile"
)

const (
	maxFile   = yamlfile.MaxSize // bytes
	maxSecret = 64 << 10         // bytes
)

// vault reads the files of a configuration, and keeps hashes of their contents, so that
// changes are noticed. It belongs to one goroutine.
type vault struct {
	dir       string // the start of relative paths
	lookupEnv func(string) (string, bool)
	sealed    bool                // secrets are not read, and are empty
	seen      map[string][32]byte // hash of the content of each file, or of its error
	limits    map[string]int64    // maximum sizes of the files, in bytes
	warnings  []string
	secrets   []string // all secrets that were read; no error may show them
}

func newVault(file string, o *Options) *vault {
	return &vault{dir: filepath.Dir(file), lookupEnv: o.lookupEnv, sealed: o.WithoutSecrets, seen: map[string][32]byte{}, limits: map[string]int64{}}
}

// fromEnv returns the secret in an environment variable.
func (v *vault) fromEnv(name string) (Secret, error) {
	if v.sealed {
		return Secret{}, nil
	}
	text, ok := v.lookupEnv(name)
	if text = strings.TrimRight(text, "\r\n"); !ok || text == "" {
		if strings.ToUpper(name) != name { // the name may be the secret itself
			name = "in env"
		}
		return Secret{}, fmt.Errorf("the environment variable %s is not set, or empty", name)
	}
	return v.keep(text)
}

// fromFile returns the secret in a file, without trailing line breaks.
func (v *vault) fromFile(name string) (Secret, error) {
	if v.sealed {
		return Secret{}, nil
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(v.dir, path)
	}
	content, err := v.read(path, maxSecret)
	if err != nil && path != name && !strings.HasPrefix(name, ".") { // the name may be the secret itself
		return Secret{}, fmt.Errorf("the file in file cannot be read: %w; write its whole path to see the path here", reason(err))
	}
	if err != nil {
		return Secret{}, fmt.Errorf("the file %s cannot be read: %w", path, reason(err))
	}
	text := strings.TrimRight(string(content), "\r\n")
	if text == "" {
		return Secret{}, fmt.Errorf("the file %s is empty", path)
	}
	v.checkRights(path)
	return v.keep(text)
}

func (v *vault) keep(text string) (Secret, error) {
	if len(text) > maxSecret {
		return Secret{}, fmt.Errorf("it has more than %d bytes", maxSecret)
	}
	v.secrets = append(v.secrets, text)
	return NewSecret(text), nil
}

// checkRights warns about a file that everybody may read. It ignores files that Kubernetes
// mounts: they have such permissions by default, and only the container sees them.
func (v *vault) checkRights(path string) {
	if _, err := os.Lstat(filepath.Join(filepath.Dir(path), "..data")); err == nil {
		return
	}
	if info, err := os.Stat(path); err == nil && oscompat.SharedBits(info)&0o004 != 0 {
		v.warnings = append(v.warnings, fmt.Sprintf("everybody on this machine may read the secret in %s; run: chmod o= %s", path, path))
	}
}

// read returns the content of a regular file, and stores its hash.
func (v *vault) read(path string, limit int64) ([]byte, error) {
	content, err := readFile(path, limit)
	v.seen[path], v.limits[path] = fingerprint(content, err), limit
	return content, err
}

// current returns the hashes of the current contents, to compare them with seen.
func (v *vault) current() map[string][32]byte {
	now := make(map[string][32]byte, len(v.seen))
	for path := range v.seen {
		now[path] = fingerprint(readFile(path, v.limits[path]))
	}
	return now
}

// fingerprint returns a hash of the content of a file, or of the read error.
func fingerprint(content []byte, err error) [32]byte {
	if err != nil {
		return sha256.Sum256([]byte("\x00" + err.Error()))
	}
	return sha256.Sum256(content)
}

// readFile returns the content of a regular file. Pipes and devices are refused because
// they could block.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("it has more than %d bytes", limit)
	}
	return content, nil
}

// reason returns the cause of an error without the path, which the caller adds.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
