package tokenstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/vedette-io/vedette/internal/oscompat"
)

// Credential is what `vedette login` stores for a portal. All of its texts may be secrets.
type Credential struct {
	Kind    string    `json:"kind"` // one of the constants below
	Token   string    `json:"token,omitempty"`
	Expires time.Time `json:"expires,omitzero"`

	// Of a provider.
	Refresh  string   `json:"refresh,omitempty"`
	Issuer   string   `json:"issuer,omitempty"`
	Client   string   `json:"client,omitempty"`
	Scopes   []string `json:"scopes,omitempty"`
	TokenURL string   `json:"tokenURL,omitempty"`

	// Of a kubeconfig, whose token is read each time.
	Kubeconfig string `json:"kubeconfig,omitempty"`
	Context    string `json:"context,omitempty"`

	// Cluster is the portal's name of the cluster that issued the token; empty if the portal can tell.
	Cluster string `json:"cluster,omitempty"`
}

// Kinds of keys.
const (
	Pasted     = "token"
	Provider   = "oidc"
	Kubeconfig = "kubeconfig"
)

// String hides the secrets of a key that is printed by mistake.
func (k Credential) String() string { return "key of kind " + k.Kind }

// GoString is String.
func (k Credential) GoString() string { return k.String() }

// Store are the keys in the file of the user, by the addresses of portals.
type Store struct {
	Path string // "": the user has no folder
	all  map[string]Credential
}

// path returns the file of the user; "" if the system names no folder.
func path() string {
	folder, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "vedette", "logins.json")
}

// Open reads the keys. A missing file has none.
//
// Errors: others may read the file; it is broken.
func Open() (*Store, error) {
	k := &Store{Path: path(), all: map[string]Credential{}}
	if k.Path == "" {
		return k, nil
	}
	info, err := os.Stat(k.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return k, nil
	case err != nil:
		return nil, fmt.Errorf("the logins cannot be read: %w", err)
	case oscompat.SharedBits(info) != 0:
		return nil, fmt.Errorf("others may read the logins in %s: run `chmod 600 %[1]s`, and log in again if others use this machine", k.Path)
	}
	text, err := os.ReadFile(k.Path)
	if err != nil {
		return nil, fmt.Errorf("the logins cannot be read: %w", err)
	}
	if json.Unmarshal(text, &k.all) != nil { // its error may quote a secret
		return nil, fmt.Errorf("the logins in %s cannot be read: remove the file, and log in again", k.Path)
	}
	if k.all == nil {
		k.all = map[string]Credential{}
	}
	return k, nil
}

// Get returns the key for a portal.
func (k *Store) Get(server string) (Credential, bool) {
	found, ok := k.all[server]
	return found, ok
}

// Put stores the key for a portal; nil removes it. Keys that others have stored since stay.
func (k *Store) Put(server string, with *Credential) error {
	if k.Path == "" {
		return errors.New("the login cannot be stored: the system names no folder for settings; set HOME or XDG_CONFIG_HOME")
	}
	now, err := Open()
	if err != nil {
		return err
	}
	if with == nil {
		delete(now.all, server)
	} else {
		now.all[server] = *with
	}
	text, err := json.MarshalIndent(now.all, "", "  ")
	if err != nil {
		return err
	}
	if err := writePrivate(k.Path, append(text, '\n')); err != nil {
		return fmt.Errorf("the login cannot be stored: %w", err)
	}
	k.all = now.all
	return nil
}

// writePrivate replaces a file that only the user may read.
func writePrivate(path string, text []byte) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, ".logins-") // with the mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
