package informer

import (
	"bytes"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/wire"
)

// TestMemo: several indexes decode a record once. A record that was in the same memory before
// is never taken for it.
func TestMemo(t *testing.T) {
	var m memo
	body := bytes.Repeat([]byte(" "), 40)
	record := func(name, uid string, version wire.Version) *wire.Record {
		copy(body, fmt.Sprintf(`{"metadata":{"name":%q}}`, name))
		return &wire.Record{Key: wire.Key{Name: name}, UID: uid, Version: version, Encoding: wire.JSON, Body: body}
	}
	get := func(rec *wire.Record) *corev1.ConfigMap {
		obj, ok := remembered[corev1.ConfigMap](&m, rec)
		if !ok || obj.Name != rec.Name {
			t.Fatalf("got %+v, want the object %v", obj, rec.Key)
		}
		return obj
	}
	a := record("a", "1", 1)
	if once := get(a); get(a) != once {
		t.Error("the record was decoded twice, want once")
	}
	get(record("b", "2", 1))          // another object
	get(record("c", "2", 1))          // the same UID and version, another name
	first := get(record("c", "2", 2)) // another revision
	if get(record("c", "3", 2)) == first {
		t.Error("got the decoded object of another UID, want a new one")
	}
	before := get(record("c", "3", 2))
	other := record("c", "3", 2)
	body[len(body)-1] = '\n'
	if get(other) == before {
		t.Error("got the decoded object of other content at the same version, want a new one")
	}
}
