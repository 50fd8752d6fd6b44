package tunnel

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// headSize is how much of a list listHead reads to find the kind, which servers write
// first.
const headSize = 1024

// listHead reads the kind of a JSON list from its first bytes while they pass: the
// items of a list of built-in objects do not tell their kind.
type listHead struct {
	io.ReadCloser
	found func(schema.GroupVersionKind)
	head  []byte
	done  bool
}

// Read implements io.Reader.
func (l *listHead) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if !l.done {
		l.head = append(l.head, p[:min(n, headSize)]...)
		kind, ok := kindOf(l.head)
		if ok {
			l.found(kind)
		}
		if l.done = ok || len(l.head) >= headSize || err != nil; l.done {
			l.head = nil
		}
	}
	return n, err
}

// kindOf returns the kind of the items of a JSON list that begins with head.
func kindOf(head []byte) (schema.GroupVersionKind, bool) {
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return schema.GroupVersionKind{}, false
	}
	apiVersion, kind := "", ""
	for apiVersion == "" || kind == "" {
		key, err := d.Token()
		if err != nil {
			return schema.GroupVersionKind{}, false
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return schema.GroupVersionKind{}, false
		}
		text, _ := value.(string)
		switch key {
		case "apiVersion":
			apiVersion = text
		case "kind":
			kind = text
		}
	}
	item, isList := strings.CutSuffix(kind, "List")
	return schema.FromAPIVersionAndKind(apiVersion, item), isList && item != ""
}
