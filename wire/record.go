package wire

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/internal/jsontext"
)

// Key identifies an object of one type. Namespace is empty for cluster-scoped types.
// Cluster is empty unless objects of several clusters are stored together; the readers of
// this package never set it.
type Key struct {
	Cluster   string
	Namespace string
	Name      string
}

// String returns "namespace/name", or "name" without a namespace, preceded by "cluster:"
// if there is a cluster.
func (k Key) String() string {
	s := k.Name
	if k.Namespace != "" {
		s = k.Namespace + "/" + s
	}
	if k.Cluster != "" {
		s = k.Cluster + ":" + s
	}
	return s
}

// ParseKey parses "namespace/name" or "name", as String writes a key without a cluster.
//
// Errors: an empty namespace or name; more than one slash.
func ParseKey(s string) (Key, error) {
	namespace, name, found := strings.Cut(s, "/")
	if !found {
		namespace, name = "", s
	}
	if name == "" || found && namespace == "" || strings.Contains(name, "/") {
		return Key{}, fmt.Errorf("the key %.80q is neither \"namespace/name\" nor \"name\"", s)
	}
	return Key{Namespace: namespace, Name: name}, nil
}

// Compare orders keys by cluster, then by namespace, then by name. It returns
// -1, 0 or +1.
func (k Key) Compare(o Key) int {
	return cmp.Or(
		strings.Compare(k.Cluster, o.Cluster),
		strings.Compare(k.Namespace, o.Namespace),
		strings.Compare(k.Name, o.Name),
	)
}

// Version is a resourceVersion. Within one type versions are ordered integers (KEP-5504,
// stable in Kubernetes 1.35); versions of different types cannot be compared. Zero means
// "no version".
//
// A server before 1.35 or a proxy of several clusters may send versions in another form than
// integers of 63 bits, such as base64. A reader then returns a number that stands for the text: see
// Opaque.
type Version uint64

// opaqueBit marks versions that stand for a text.
const opaqueBit Version = 1 << 63

// maxOpaque is the maximum length of an opaque version.
const maxOpaque = 1024

// Opaque reports whether the version stands for a text instead of an integer. Two such versions
// are equal if their texts are; their order means nothing, and String does not return the
// text.
func (v Version) Opaque() bool { return v&opaqueBit != 0 }

// opaqueVersion returns the version that stands for a text.
func opaqueVersion(text []byte) Version {
	h := fnv.New64a()
	_, _ = h.Write(text) // never fails
	return Version(h.Sum64()) | opaqueBit
}

// ParseVersion parses a resourceVersion as the API server writes it: a decimal integer
// without leading zeros. "" and "0" are zero, "no version". Any other text, or a number
// of more than 64 bits, is an error.
func ParseVersion(s string) (Version, error) {
	if s == "" || s == "0" {
		return 0, nil
	}
	if s[0] == '0' || s[0] == '+' {
		return 0, fmt.Errorf("resourceVersion %.40q is not a decimal integer: Kubernetes 1.35 and later requires one (KEP-5504)", s)
	}
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("resourceVersion %.40q is not a decimal integer of 64 bits: Kubernetes 1.35 and later requires one (KEP-5504)", s)
	}
	return Version(v), nil
}

// parseVersion is ParseVersion without the allocation of a string.
func parseVersion(b []byte) (Version, error) {
	v := Version(0)
	const safe = 19 // digits that cannot overflow
	if len(b) == 0 || len(b) > safe || b[0] == '0' {
		return ParseVersion(string(b))
	}
	for _, c := range b {
		if !jsontext.IsDigit(c) {
			return ParseVersion(string(b))
		}
		v = v*10 + Version(c-'0')
	}
	return v, nil
}

// version returns a version that a server sent: that of ParseVersion, or if Opaque is set also
// that of any other printable text.
func (o *Options) version(b []byte) (Version, error) {
	v, err := parseVersion(b)
	switch {
	case !o.Opaque, err == nil && !v.Opaque():
		return v, err
	case err != nil && (len(b) > maxOpaque || !bytes.ContainsFunc(b, func(r rune) bool { return r < '0' || r > '9' }) || bytes.ContainsFunc(b, func(r rune) bool { return r <= ' ' || r > '~' })):
		return 0, err // digits only, or not printable: damage rather than another form of versions
	}
	return opaqueVersion(b), nil
}

// String returns the version in the form of the API: decimal, or "" for zero.
func (v Version) String() string {
	if v == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(v), 10)
}

// Record is one object as the server sent it: its identity and its bytes. A Record is a
// value, and its strings are its own. Its Body aliases memory that the reader does not
// overwrite before the Record is released, so an unreleased Record stays valid. A Body
// keeps its buffer in memory (64 KiB, or the size of the record if that is larger): copy
// it to keep a record for long.
type Record struct {
	Key
	// UID distinguishes an object from a later one of the same name. It is empty if the
	// API has none.
	UID string
	// Version is metadata.resourceVersion of this revision.
	Version Version
	// Encoding is the encoding of Body.
	Encoding Encoding
	// Body is the object: for JSON its text, for protobuf the message without the
	// "k8s\0" envelope, for CBOR the map without preceding tags. It does not contain
	// metadata.managedFields unless Options.ManagedFields is KeepManagedFields.
	Body []byte

	held *chunk // the chunk that contains Body
}

// Release returns the memory of Body to the readers of this process, and clears Body. It
// is optional, but avoids most allocations of a reader. The caller must hold the only
// copy of the record. Any goroutine may call it. For a record that does not come from a
// reader, it only clears Body.
func (r *Record) Release() {
	r.Body = nil
	r.held.release()
	r.held = nil
}
