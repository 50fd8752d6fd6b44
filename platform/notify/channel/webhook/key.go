package webhook

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// key signs messages.
type key struct {
	version string // "v1" or "v1a"
	sign    func(content []byte) []byte
}

// parseKey parses a key: whsec_ and 24 to 64 bytes in base64, or whsk_ and an ed25519 key
// (its seed of 32 bytes, or seed and public key).
//
// Errors: the mistake, without the key.
func parseKey(text string) (key, error) {
	text = strings.TrimSpace(text)
	if encoded, ok := strings.CutPrefix(text, "whsec_"); ok {
		secret, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return key{}, errors.New("the part after whsec_ is not base64")
		}
		if len(secret) < 24 || len(secret) > 64 {
			return key{}, fmt.Errorf("a key that begins with whsec_ must have 24 to 64 bytes, and this one has %d", len(secret))
		}
		return key{"v1", func(content []byte) []byte {
			mac := hmac.New(sha256.New, secret)
			mac.Write(content)
			return mac.Sum(nil)
		}}, nil
	}
	if encoded, ok := strings.CutPrefix(text, "whsk_"); ok {
		secret, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return key{}, errors.New("the part after whsk_ is not base64")
		}
		if len(secret) != ed25519.SeedSize && len(secret) != ed25519.PrivateKeySize {
			return key{}, fmt.Errorf("a key that begins with whsk_ must have 32 or 64 bytes, and this one has %d", len(secret))
		}
		private := ed25519.NewKeyFromSeed(secret[:ed25519.SeedSize])
		if len(secret) == ed25519.PrivateKeySize && !private.Equal(ed25519.PrivateKey(secret)) {
			return key{}, errors.New("the two halves of the key that begins with whsk_ do not belong together")
		}
		return key{"v1a", func(content []byte) []byte { return ed25519.Sign(private, content) }}, nil
	}
	if strings.HasPrefix(text, "whpk_") {
		return key{}, errors.New("a key that begins with whpk_ is public; signatures need the private key, which begins with whsk_")
	}
	return key{}, errors.New("a key must begin with whsec_ (HMAC-SHA256) or whsk_ (ed25519)")
}

// signatures returns the value of webhook-signature.
func signatures(keys []key, id string, at time.Time, body []byte) string {
	content := append([]byte(id+"."+strconv.FormatInt(at.Unix(), 10)+"."), body...)
	var all []string
	for _, k := range keys {
		all = append(all, k.version+","+base64.StdEncoding.EncodeToString(k.sign(content)))
	}
	return strings.Join(all, " ")
}

const maxID = 255 // bytes; common servers and databases of receivers accept this

// idOf returns the key of a message as a webhook-id. Different keys have different ids.
func idOf(key string) string {
	var b strings.Builder
	for i := range len(key) {
		switch c := key[i]; {
		case c <= ' ', c >= 0x7f, c == '.', c == '%', c == '"', c == ',', c == '\\':
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	if b.Len() > maxID {
		sum := sha256.Sum256([]byte(key))
		return "sha256:" + hex.EncodeToString(sum[:])
	}
	return b.String()
}
