package identity

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// Limits of a token file.
const (
	maxTokenFile = 4 << 20
	minToken     = 20 // characters; shorter tokens can be guessed
	tokenRecheck = 2 * time.Second
)

// namedToken is an entry of the file.
type namedToken struct {
	Name   string   `yaml:"name"`
	Groups []string `yaml:"groups"`
	// Names are further names that mark a job as the person's own.
	Names  []string `yaml:"names"`
	Token  string   `yaml:"token"`
	SHA256 string   `yaml:"sha256"`

	hash [sha256.Size]byte
}

func (t *namedToken) person() Person {
	return Person{Name: t.Name, Groups: t.Groups, Names: append([]string{t.Name}, t.Names...), SignIn: api.SignInToken}
}

// print returns a fingerprint that identifies the token in a session without revealing it.
func (t *namedToken) print() string {
	sum := sha256.Sum256(t.hash[:])
	return hex.EncodeToString(sum[:12])
}

// tokenFile has the tokens of a file. It reloads the file when it changes.
type tokenFile struct {
	path string
	log  *slog.Logger
	now  func() time.Time

	mu      sync.Mutex
	checked time.Time
	seen    os.FileInfo
	tokens  []namedToken
}

// newTokenFile reads a file.
func newTokenFile(path string, log *slog.Logger) (*tokenFile, error) {
	f := &tokenFile{path: path, log: log, now: time.Now}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the token file: %w", err)
	}
	if f.tokens, err = readTokens(path); err != nil {
		return nil, err
	}
	f.seen, f.checked = info, f.now()
	return f, nil
}

// readTokens reads and checks a file. Its errors contain no token.
func readTokens(path string) ([]namedToken, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the token file: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxTokenFile+1))
	if err != nil {
		return nil, fmt.Errorf("the token file: %w", err)
	}
	if len(text) > maxTokenFile {
		return nil, fmt.Errorf("the token file %s has more than %d bytes", path, maxTokenFile)
	}
	var doc struct {
		Tokens []namedToken `yaml:"tokens"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("%s is not a token file: it must be YAML with the list tokens, each with name, groups, and sha256 or token", path) // the error of the parser may quote a token
	}
	names := map[string]bool{}
	for n := range doc.Tokens {
		t := &doc.Tokens[n]
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("%s: token %d: %w", path, n+1, err)
		}
		if names[t.Name] {
			return nil, fmt.Errorf("%s: token %d: another token has its name", path, n+1)
		}
		names[t.Name] = true
	}
	return doc.Tokens, nil
}

// check validates the entry and sets its hash.
func (t *namedToken) check() error {
	switch {
	case !usable(t.Name):
		return errors.New("it has no name, or one with control characters")
	case strings.HasPrefix(t.Name, qualifier) || slices.ContainsFunc(t.Groups, func(g string) bool { return strings.HasPrefix(g, qualifier) }):
		return fmt.Errorf("a name or a group begins with %s, which is for people whom a cluster has identified", qualifier)
	case (t.Token == "") == (t.SHA256 == ""):
		return errors.New("it needs either token or sha256")
	case t.Token != "" && len(t.Token) < minToken:
		return fmt.Errorf("it has fewer than %d characters, so it can be guessed: `openssl rand -hex 20` makes one", minToken)
	case t.Token != "":
		t.hash = sha256.Sum256([]byte(t.Token))
		t.Token = ""
		return nil
	}
	sum, err := hex.DecodeString(t.SHA256)
	if err != nil || len(sum) != sha256.Size {
		return errors.New("its sha256 is not 64 hexadecimal digits: `printf %s TOKEN | sha256sum` prints them")
	}
	copy(t.hash[:], sum)
	return nil
}

// current returns the tokens. It reloads a changed file. If the file cannot be read, the last
// tokens stay valid and an error is logged. If the file does not exist, no token is valid.
func (f *tokenFile) current() []namedToken {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if now.Sub(f.checked) < tokenRecheck {
		return f.tokens
	}
	f.checked = now
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if f.seen != nil {
			f.log.Error("the token file does not exist, so no token is accepted", "file", f.path)
		}
		f.seen, f.tokens = nil, nil
		return nil
	case err == nil && f.seen != nil && os.SameFile(info, f.seen) && info.ModTime().Equal(f.seen.ModTime()) && info.Size() == f.seen.Size():
		return f.tokens
	}
	var tokens []namedToken
	if err == nil {
		tokens, err = readTokens(f.path)
	}
	if err != nil {
		f.log.Error("the token file cannot be read, so the previous tokens stay valid", "file", f.path, "err", err)
		return f.tokens
	}
	f.seen, f.tokens = info, tokens
	f.log.Info("the token file has changed", "file", f.path, "tokens", len(tokens))
	return tokens
}

// find returns the entry of a token. It compares all entries in constant time.
func (f *tokenFile) find(token string) (namedToken, bool) {
	hash := sha256.Sum256([]byte(token))
	found := -1
	tokens := f.current()
	for n := range tokens {
		if subtle.ConstantTimeCompare(hash[:], tokens[n].hash[:]) == 1 {
			found = n
		}
	}
	if found < 0 {
		return namedToken{}, false
	}
	return tokens[found], true
}

// printed returns the entry with the fingerprint in a session.
func (f *tokenFile) printed(name, print string) (namedToken, bool) {
	for _, t := range f.current() {
		if t.Name == name && subtle.ConstantTimeCompare([]byte(t.print()), []byte(print)) == 1 {
			return t, true
		}
	}
	return namedToken{}, false
}
