package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// qualifier begins the names that count in one cluster only.
const qualifier = "cluster:"

// maxID is the maximum size of a qualified name. Tables keep that much, and two names must not
// become equal there.
const maxID = 240

// Qualified returns the text for a name or a group that a cluster has assigned:
// "cluster:prod:anna". A name that counts in all clusters, with an empty cluster, stays as it is.
// The end of a long text is replaced by its hash.
func Qualified(cluster, name string) string {
	text := name
	if cluster != "" && name != "" {
		text = qualifier + strings.NewReplacer("%", "%25", ":", "%3A").Replace(cluster) + ":" + name
	}
	if len(text) <= maxID {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	hash := "~" + hex.EncodeToString(sum[:16])
	at := maxID - len(hash)
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at] + hash
}
