package jetstream

import (
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/platform/send/stream"
)

// SubjectOf returns the subject of an event: the prefix, and the name of the cluster, the
// namespace, the type and the new state. In each token, characters with a meaning in
// subjects become "_"; an empty token is "_". The event has the original values.
func SubjectOf(prefix string, e *stream.Event) string {
	o := &e.Data.Object
	kind := o.Resource
	if o.Group != "" {
		kind += "." + o.Group
	}
	cluster := e.Data.Cluster.Name
	if cluster == "" {
		cluster = e.Data.Cluster.UID
	}
	return strings.Join([]string{prefix, token(cluster), token(o.Namespace), token(kind), token(e.Data.To)}, ".")
}

// maxToken limits a token in bytes, because NATS limits the length of subjects.
const maxToken = 128

// token returns a text as a token of a subject.
func token(text string) string {
	if text == "" {
		return "_"
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(".*>", r) {
			return '_'
		}
		return r
	}, text[:min(len(text), maxToken)])
}

// headerValue returns a text as CloudEvents puts it into headers: with percent-encoding for
// everything but visible ASCII characters, and for quotes and percent signs.
func headerValue(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '%' }) {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
