package wire

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
)

// TestSameContent checks that two encodings of one object are the same, and that any other
// value, member or type makes a difference.
func TestSameContent(t *testing.T) {
	const event = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"x":"1","y":"2"}},"spec":{"n":1}}`
	for _, c := range []struct {
		name, a, b string
		same       bool
	}{
		{"the same text", event, event, true},
		{"an event and an item of a list", event, `{"metadata":{"name":"a","labels":{"x":"1","y":"2"}},"spec":{"n":1}}`, true},
		{"the type in the other order", event, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"x":"1","y":"2"}},"spec":{"n":1}}`, false},
		{"another value", event, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"x":"1","y":"2"}},"spec":{"n":2}}`, false},
		{"another value of an item", event, `{"metadata":{"name":"a","labels":{"x":"1","y":"3"}},"spec":{"n":1}}`, false},
		{"another served version", `{"apiVersion":"example.com/v1","kind":"W","x":1}`, `{"apiVersion":"example.com/v2","kind":"W","x":1}`, false},
		{"a new member", event, event[:len(event)-1] + `,"status":{}}`, false},
		{"no object", `[]`, `{}`, false},
	} {
		a, b := Record{Encoding: JSON, Body: []byte(c.a)}, Record{Encoding: JSON, Body: []byte(c.b)}
		if SameContent(&a, &b) != c.same || SameContent(&b, &a) != c.same {
			t.Errorf("%s: want the same: %v", c.name, c.same)
		}
		p := Record{Encoding: Protobuf, Body: a.Body}
		if SameContent(&a, &p) {
			t.Errorf("%s: JSON and protobuf are the same", c.name)
		}
	}
}

// TestSameCBOR checks that CBOR is compared without the order of members, also with JSON.
func TestSameCBOR(t *testing.T) {
	object := map[string]any{"apiVersion": "example.com/v1", "kind": "W", "spec": map[string]any{"n": int64(1), "list": []any{"a", int64(2), 2.5}, "none": nil}}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	first := Record{Encoding: JSON, Body: text}
	for seed := range uint64(20) {
		body := shuffled(t, rand.New(rand.NewPCG(1, seed)), object)
		rec := Record{Encoding: CBOR, Body: body}
		if !SameContent(&first, &rec) || !SameContent(&rec, &first) {
			t.Fatalf("%x is not the same as %s", body, text)
		}
		other := maps.Clone(object)
		other["spec"] = map[string]any{"n": int64(2), "list": []any{"a", int64(2), 2.5}, "none": nil}
		if o := (Record{Encoding: CBOR, Body: shuffled(t, rand.New(rand.NewPCG(2, seed)), other)}); SameContent(&rec, &o) || SameContent(&first, &o) {
			t.Fatalf("%x is the same as %s", o.Body, text)
		}
	}
}

// shuffled encodes a value as CBOR, with the members of its maps in a random order.
func shuffled(t *testing.T, r *rand.Rand, value any) []byte {
	object, ok := value.(map[string]any)
	if !ok {
		b, err := direct.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	names := slices.Sorted(maps.Keys(object))
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	out := []byte{0xa0 | byte(len(names))}
	for _, name := range names {
		out = append(append(out, shuffled(t, r, name)...), shuffled(t, r, object[name])...)
	}
	return out
}
