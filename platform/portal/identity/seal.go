package identity

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// minKey is the minimum size of a key file, in bytes.
const minKey = 32

// sealer encrypts cookies and makes CSRF tokens.
type sealer struct {
	aead cipher.AEAD
	mac  []byte
}

// newSealer returns a sealer with the key from a file, or with a random key if path is empty.
func newSealer(path string) (*sealer, error) {
	secret := make([]byte, minKey)
	if path == "" {
		_, _ = rand.Read(secret) // it never fails
	} else {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("the session key: %w", err)
		}
		if len(text) < minKey {
			return nil, fmt.Errorf("the session key in %s has %d bytes, want at least %d: `openssl rand -out FILE 32` makes one", path, len(text), minKey)
		}
		secret = text
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "vedette session", 32)
	if err != nil {
		return nil, err
	}
	mac, err := hkdf.Key(sha256.New, secret, nil, "vedette csrf", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &sealer{aead: aead, mac: mac}, err
}

// seal encrypts a value for a purpose. A value that was sealed for another purpose cannot be
// opened.
func (s *sealer) seal(purpose string, value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, text, []byte(purpose))), nil
}

// errSeal does not contain a cause, which would help only attackers.
var errSeal = errors.New("it was not sealed here")

// open decrypts a value that seal has encrypted.
func (s *sealer) open(purpose, sealed string, value any) error {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return errSeal
	}
	text, err := s.aead.Open(nil, nil, raw, []byte(purpose))
	if err != nil {
		return errSeal
	}
	return json.Unmarshal(text, value)
}

// tag returns a message authentication code for a subject.
func (s *sealer) tag(subject string) string {
	mac := hmac.New(sha256.New, s.mac)
	mac.Write([]byte(subject))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// tagged reports in constant time whether a text is the tag of a subject.
func (s *sealer) tagged(subject, tag string) bool {
	return hmac.Equal([]byte(s.tag(subject)), []byte(tag))
}

// randomText returns an unguessable text.
func randomText() string { return rand.Text() }
