package wire

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/internal/jsontext"
)

// Key names an object within its collection. Namespace is empty for
// cluster-scoped resources. Cluster is empty unless objects of several clusters
// are kept together: the readers of this package never set it.
type Key struct {
	Cluster   string
	Namespace string
	Name      string
}

// String returns "namespace/name", or "name" where there is no namespace, and
// "cluster:" before it where there is a cluster.
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

// Compare orders keys by cluster, then by namespace, then by name. It returns
// -1, 0 or +1.
func (k Key) Compare(o Key) int {
	return cmp.Or(
		strings.Compare(k.Cluster, o.Cluster),
		strings.Compare(k.Namespace, o.Namespace),
		strings.Compare(k.Name, o.Name),
	)
}

// Version is a resourceVersion. Within one resource type versions are ordered
// integers (KEP-5504, stable in Kubernetes 1.35); across types nothing may be
// concluded from them. Zero means "no version".
type Version uint64

// ParseVersion reads a resourceVersion as the API server writes it: a decimal
// integer without leading zeros. "" and "0" give zero, "no version". Anything
// else, or a number beyond 64 bits, is an error.
func ParseVersion(s string) (Version, error) {
	if s == "" || s == "0" {
		return 0, nil
	}
	if s[0] == '0' || s[0] == '+' {
		return 0, fmt.Errorf("resourceVersion %.40q is not a decimal integer: Kubernetes 1.35+ and its conformant API servers send one (KEP-5504)", s)
	}
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("resourceVersion %.40q is not a decimal integer of 64 bits: Kubernetes 1.35+ and its conformant API servers send one (KEP-5504)", s)
	}
	return Version(v), nil
}

// parseVersion is ParseVersion without a string where there is no error.
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

// String returns the version as the API takes it: decimal, "" for zero.
func (v Version) String() string {
	if v == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(v), 10)
}

// Record is one object as the server sent it: what the engine needs to know
// of it, and its bytes. A Record is a value; its strings are its own, its Body
// aliases memory that the reader which made it does not write again before the
// Record is released, so a Record that is not stays valid for as long as it is
// held. Holding Body keeps the buffer around it alive (64 KiB, or the record's own
// size if that is larger): who keeps records for long copies Body.
type Record struct {
	Key
	// UID tells an object from its namesake that was created later. Empty
	// where the API has none.
	UID string
	// Version is metadata.resourceVersion of this revision.
	Version Version
	// Encoding says how Body is encoded.
	Encoding Encoding
	// Body is the object: for JSON its text, for protobuf the message itself
	// without the "k8s\0" envelope, for CBOR the map without tags before it.
	// metadata.managedFields is left out unless Options.ManagedFields says
	// otherwise.
	Body []byte

	held *chunk // of which Body is a part
}

// Release gives the memory of Body back to the readers of this process, and
// clears Body. It is never necessary, but it saves a reader of much the larger
// part of what it allocates. Who calls it is the only one who still has the
// record, or a copy of it. Any goroutine may; on a record that no reader made it
// only clears Body.
func (r *Record) Release() {
	r.Body = nil
	r.held.release()
	r.held = nil
}
