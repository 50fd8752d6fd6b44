package submit

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxKey is the maximum length of a key, in bytes.
const MaxKey = 256

const (
	// hashLetters are the letters of hashes in names, without vowels, so that they form no
	// words.
	hashLetters = "bcdfghjklmnpqrstvwxz2456789"
	// hashLength makes it improbable that two keys give the same name: 27^10 is about 2 *
	// 10^14.
	hashLength = 10
	// maxBase is the maximum length of a prefix. Many operators use the name of a job as a
	// label, which has at most 63 characters.
	maxBase = 63 - hashLength
)

// RandomKey returns a unique key.
func RandomKey() string { return "random-" + rand.Text() }

// checkKey returns an error for a key that cannot be stored.
func checkKey(key string) error {
	switch {
	case len(key) > MaxKey:
		return fmt.Errorf("the key of the request has %d bytes; at most %d are allowed", len(key), MaxKey)
	case !utf8.ValidString(key) || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("the key of the request %.80q has a control character or is not UTF-8", key)
	}
	return nil
}

// nameOf returns the name for a key: prefix and ten letters of a hash. Submitter and
// namespace are part of the hash, so equal keys of two people give different names.
func nameOf(prefix, user, namespace, key string) string {
	text, err := json.Marshal([]string{user, namespace, key})
	if err != nil {
		text = []byte(user + "\x00" + namespace + "\x00" + key) // impossible for strings
	}
	sum := sha256.Sum256(text)
	name := []byte(strings.ToValidUTF8(prefix[:min(len(prefix), maxBase)], ""))
	for _, b := range sum[:hashLength] {
		name = append(name, hashLetters[int(b)%len(hashLetters)])
	}
	return string(name)
}
