package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"github.com/vedette-io/vedette/internal/testinput"
)

// readings returns readers that return the bytes at once and one by one.
func readings(b []byte) map[string]io.Reader {
	return map[string]io.Reader{"at once": bytes.NewReader(b), "one by one": iotest.OneByteReader(bytes.NewReader(b))}
}

// nestedObject returns an object with the given nesting depth.
func nestedObject(enc Encoding, name string, depth int) []byte {
	if enc == CBOR {
		return fmt.Appendf(nil, "\xa2\x48metadata\xa1\x44name%c%s\x44spec%s\x00", 0x40+len(name), name, strings.Repeat("\x81", depth))
	}
	return fmt.Appendf(nil, `{"metadata":{"name":%q},"spec":%s%s}`, name, strings.Repeat("[", depth), strings.Repeat("]", depth))
}

func listOf(enc Encoding, items ...[]byte) []byte {
	if enc == CBOR {
		return slices.Concat([]byte("\xa2\x48metadata\xa1\x4fresourceVersion\x419\x45items"), []byte{0x80 + byte(len(items))}, bytes.Join(items, nil))
	}
	return slices.Concat([]byte(`{"metadata":{"resourceVersion":"9"},"items":[`), bytes.Join(items, []byte(",")), []byte("]}"))
}

// TestAnyDepth checks that the nesting depth of an object does not affect the stream. The
// object is kept, and its decoder reports the error.
func TestAnyDepth(t *testing.T) {
	for _, enc := range []Encoding{JSON, CBOR} {
		for _, depth := range []int{63, 64, 65, 1100, 200_000} {
			deep, next := nestedObject(enc, "deep", depth), nestedObject(enc, "next", 1)
			for how, r := range readings(listOf(enc, deep, next)) {
				items, meta := readList(t, r, enc, Options{})
				if len(items) != 3 || items[0].rec.Name != "deep" || !bytes.Equal(items[0].rec.Body, deep) || items[1].rec.Name != "next" || meta.Version != 9 {
					t.Fatalf("%v, depth %d, %s: got %d items, %.80q, %+v", enc, depth, how, len(items), items[0].err, meta)
				}
				obj, err := Codec[unstructured.Unstructured]{}.Decode(items[0].rec)
				want := depth > 10_000
				if enc == CBOR { // apimachinery 0.33 takes a depth of 64
					var object map[string]any
					want = depth > treeDepth && direct.Unmarshal(deep, &object) != nil
				}
				if (err != nil) != want || want && !strings.Contains(err.Error(), "decode deep at") {
					t.Errorf("%v, depth %d: got nil object = %v, %v", enc, depth, obj == nil, err)
				}
			}
			for how, r := range readings(slices.Concat(rawFrame(t, enc, "MODIFIED", deep), rawFrame(t, enc, "ADDED", next))) {
				items := readWatch(t, r, enc, Options{})
				if len(items) != 3 || items[0].rec.Name != "deep" || items[1].rec.Name != "next" {
					t.Errorf("%v, depth %d, watch %s: got %d items, %.80q", enc, depth, how, len(items), items[0].err)
				}
			}
		}
	}
}

// TestBracketsOnly checks that endless nesting costs memory only within the limits, and
// no stack.
func TestBracketsOnly(t *testing.T) {
	limit := testinput.Size(t, 1<<18, 1<<20)
	for name, c := range map[string]struct {
		enc           Encoding
		before, again string
	}{
		"JSON arrays": {JSON, `{"items":[{"x":`, "["}, "JSON objects": {JSON, `{"items":[{"x":`, `{"":`}, "JSON brackets after a mistake": {JSON, `{"items":[{x`, `[`},
		"CBOR arrays": {CBOR, "\xa1\x45items\x81\xa1\x41x", "\x82"}, "CBOR open arrays": {CBOR, "\xa1\x45items\x81\xa1\x41x", "\x9f"},
		"CBOR maps": {CBOR, "\xa1\x45items\x81\xa1\x41x", "\xbf\x41x"}, "CBOR maps as keys": {CBOR, "\xa1\x45items\x81\xa1\x41x", "\xa2"},
	} {
		n := allocated(func() {
			r := io.MultiReader(strings.NewReader(c.before), strings.NewReader(strings.Repeat(c.again, 12*limit/len(c.again))))
			_, err := NewListReader(r, c.enc, Options{MaxRecord: limit}).Next()
			var large *TooLargeError
			if !errors.As(err, &large) {
				t.Errorf("%s: got %v", name, err)
			}
		})
		if n > uint64(12*limit+16*limit) { // the bytes that are read, and everything else
			t.Errorf("%s: got %d allocated bytes", name, n)
		}
	}
}

// TestTooLargeObjects checks that an object that exceeds the limit is skipped and
// reported, with the parts of its key that could be read, and uses no more memory than
// other objects.
func TestTooLargeObjects(t *testing.T) {
	const limit = 16 << 10
	opts := podOptions
	opts.MaxRecord = limit
	for _, enc := range allEncodings {
		for _, size := range []int{limit, 3 * limit, 7 * limit} {
			list := testPods(3)
			list.Items[1].Spec.NodeName = strings.Repeat("y", size)
			large := list.Items[1]
			want := InvalidError{Key: Key{Namespace: "ns-1", Name: "pod-1"}, UID: "uid-1", Version: 1001}
			for how, r := range readings(encode(t, enc, list)) {
				items, meta := readList(t, r, enc, opts)
				if len(items) != 4 || items[0].rec.Name != "pod-0" || items[2].rec.Name != "pod-2" || meta.Version != 5000 {
					t.Fatalf("%v %s: got %d items: %+v", enc, how, len(items), items[len(items)-1].err)
				}
				invalid := items[1].invalid
				if !strings.Contains(invalid.Reason, "more than 16384 bytes") || invalid.Offset == 0 {
					t.Errorf("%v %s: got %v", enc, how, &invalid)
				}
				if invalid.Offset, invalid.Reason = 0, ""; invalid != want {
					t.Errorf("%v %s: got %+v", enc, how, invalid)
				}
			}
			body := slices.Concat(frame(t, enc, "ADDED", typed(list.Items[0])), frame(t, enc, "DELETED", typed(large)), frame(t, enc, "MODIFIED", typed(list.Items[2])))
			for how, r := range readings(body) {
				w := NewWatchReader(r, enc, opts)
				items := drain(t, func() (item, error) {
					ev, err := w.Next()
					return item{rec: copied(ev.Record)}, err
				})
				if len(items) != 4 || items[1].invalid.Event != Deleted || items[1].invalid.Key != want.Key || items[1].invalid.Version != 1001 || items[2].rec.Name != "pod-2" {
					t.Errorf("%v %s: got %+v", enc, how, items)
				}
				if got := cap(windowOf(w.src).buf); got > 2*limit+fullChunk {
					t.Errorf("%v: got a buffer of %d bytes", enc, got)
				}
			}
		}
	}
}

// TestNameAfterTheLimit checks that the key of a large object is found at any position
// and with any sizes of reads.
func TestNameAfterTheLimit(t *testing.T) {
	const limit = 1 << 10
	for before := limit - 100; before < limit+100; before++ {
		object := fmt.Sprintf(`{"spec":"%s","metadata":{"namespace":"s","n\u0061me":"late","uid":"u","resourceVersion":"7"},"status":%d}`, strings.Repeat("y", before), limit)
		body := listOf(JSON, []byte(object), []byte(`{"metadata":{"name":"next"}}`))
		for how, r := range readings(body) {
			items, _ := readList(t, r, JSON, Options{MaxRecord: limit})
			if len(object) > limit != (items[0].err != "") {
				t.Fatalf("%d bytes, %s: got error %q", len(object), how, items[0].err)
			}
			invalid := items[0].invalid
			if len(object) > limit && (invalid.Key != Key{Namespace: "s", Name: "late"} || invalid.UID != "u" || invalid.Version != 7) {
				t.Fatalf("%d bytes, %s: got %+v", len(object), how, invalid)
			}
			if len(items) != 3 || items[1].rec.Name != "next" {
				t.Fatalf("%d bytes, %s: got %d items", len(object), how, len(items))
			}
		}
	}
}

// TestNoObjectIsEndless checks that an object of many times the limit counts as damage.
func TestNoObjectIsEndless(t *testing.T) {
	const limit = 16 << 10
	for _, enc := range allEncodings {
		list := testPods(1)
		list.Items[0].Spec.NodeName = strings.Repeat("y", maxPassed*limit+2*fullChunk) // it is noticed with a chunk
		for how, r := range readings(encode(t, enc, list)) {
			items, _ := readList(t, r, enc, Options{MaxRecord: limit})
			if len(items) != 1 || !strings.Contains(items[0].err, "raise MaxRecord") || items[0].invalid != (InvalidError{}) {
				t.Errorf("%v %s: got %+v", enc, how, items)
			}
		}
	}
}

// TestDamagedItems checks that a mistake within a JSON object whose strings and brackets
// are intact, or within a protobuf object, makes only that object unusable.
func TestDamagedItems(t *testing.T) {
	for _, spec := range []string{
		`tRue`, `nul`, `+1`, `01`, `1.`, `1e`, `-a`, `"\u12x4"`, `"\x\"]}"`, `[1 2]`, `[1,]`, `[,1]`, `{1:2}`, `{"a" 1}`, `{"a":}`, `{"a":1,}`, `{"a":1 "b":"}"}`, `:`, ``, `"a" "b"`, `tru` + "\n" + `e`,
	} {
		object := `{"metadata":{"name":"x","namespace":"s"},"spec":` + spec + `,"status":[{"]":"["}]}`
		for how, r := range readings(listOf(JSON, []byte(object), nestedObject(JSON, "next", 1))) {
			items, _ := readList(t, r, JSON, Options{})
			if len(items) != 3 || items[0].invalid.Key != (Key{Namespace: "s", Name: "x"}) || items[0].invalid.Offset != 45 || items[1].rec.Name != "next" {
				t.Errorf("%s, %s: got %+v", object, how, items)
			}
		}
		body := `{"type":"DELETED","object":` + object + `}{"type":"ADDED","object":{"metadata":{"name":"next"}}}`
		items := readWatch(t, strings.NewReader(body), JSON, Options{})
		if len(items) != 3 || items[0].invalid.Event != Deleted || items[0].invalid.Key.Name != "x" || items[1].rec.Name != "next" {
			t.Errorf("%s: got %+v", body, items)
		}
	}
	for damage, at := range map[string]int{"\x1a\xff": 0, "\xff": 0, "\x0a\x7f": 0, "\x0b": 0} {
		body := "k8s\x00" + lengthField(2, lengthField(2, lengthField(1, lengthField(1, "x"), lengthField(3, "s")), damage), lengthField(2, lengthField(1, lengthField(1, "next"))))
		items, _ := readList(t, strings.NewReader(body), Protobuf, Options{})
		if len(items) != 3 || items[0].invalid.Key != (Key{Namespace: "s", Name: "x"}) || items[1].rec.Name != "next" {
			t.Errorf("%x %d: got %+v", damage, at, items)
		}
	}
}

// TestKeysAreCertain checks that an incomplete key is not reported, because it would
// identify another object.
func TestKeysAreCertain(t *testing.T) {
	for object, want := range map[string]string{
		`{"metadata":{"name":"x","namespace":7}}`:                          "",
		`{"metadata":{"name":7,"namespace":"s"}}`:                          "",
		`{"metadata":{"name":"x" "namespace":"s"}}`:                        "",
		`{"metadata":{"name":"x","labels":nul}}`:                           "",
		`{"metadata":{"name":"x","namespace":"s","labels":nul}}`:           "s/x",
		`{"metadata":{"name":"x","namespace":"s"},"kind":7}`:               "s/x",
		`{"metadata":{"name":"x"},"spec":nul}`:                             "x",
		`{"metadata":{"name":"x","namespace":null},"spec":nul}`:            "x",
		`{"metadata":{"name":"x","resourceVersion":"x","namespace":"s"}}`:  "s/x",
		`{"metadata":{"name":"x","resourceVersion":"0x7"},"status":[1,2]}`: "x",
	} {
		items, _ := readList(t, bytes.NewReader(listOf(JSON, []byte(object))), JSON, Options{})
		if got := items[0].invalid.Key.String(); got != want || items[0].err == "" || len(items) != 2 {
			t.Errorf("%s: got %q, want %q: %s", object, got, want, items[0].err)
		}
	}
	name, space := lengthField(1, "x"), lengthField(3, "s")
	for object, want := range map[string]string{
		lengthField(1, name, "\xff"): "", lengthField(1, name, space, "\xff"): "s/x", lengthField(1, name, lengthField(5, "u"), "\xff"): "x", lengthField(1, name) + "\xff": "x",
	} {
		items, _ := readList(t, strings.NewReader("k8s\x00"+lengthField(2, lengthField(2, object))), Protobuf, Options{})
		if got := items[0].invalid.Key.String(); got != want || items[0].err == "" || len(items) != 2 {
			t.Errorf("%x: got %q, want %q: %s", object, got, want, items[0].err)
		}
	}
}

// TestDecodersAcceptRecords checks that no record of a reader crashes its decoder.
func TestDecodersAcceptRecords(t *testing.T) {
	for _, odd := range []string{
		`{"metadata":{"name":"x","labels":{"a":"` + "\xff\xfe" + `"}}}`, `{"metadata":{"name":"x"},"metadata2":{},"spec":{"a":1,"a":2}}`,
		`{"metadata":{"name":"x"},"spec":1e999999}`, `{"metadata":{"name":"x"},"spec":` + strings.Repeat("9", 5000) + `}`,
		`{"metadata":{"name":"x","labels":[],"annotations":{"a":{}},"ownerReferences":7,"creationTimestamp":"never"}}`,
	} {
		items, _ := readList(t, bytes.NewReader(listOf(JSON, []byte(odd), nestedObject(JSON, "next", 1))), JSON, Options{})
		if len(items) != 3 || items[1].rec.Name != "next" {
			t.Errorf("%.80q: got %+v", odd, items[0].err)
		}
		_, _ = Codec[corev1.Pod]{}.Decode(items[0].rec)
		_, _ = Codec[unstructured.Unstructured]{}.Decode(items[0].rec)
		for range items[0].rec.Labels() {
		}
		if json.Valid(items[0].rec.Body) != json.Valid([]byte(odd)) {
			t.Errorf("%.80q: got body %.80q", odd, items[0].rec.Body)
		}
	}
	deep := ""
	for range maxDepth + 2 {
		deep = lengthField(1, deep)
	}
	deep += lengthField(900, strings.Repeat("\x00", 2*freeDepth))
	if err := decodeGenerated([]byte(deep), new(rbacv1.Role)); !errors.Is(err, errDeep) {
		t.Errorf("nested messages: got %v", err)
	}
	flat := lengthField(1, lengthField(1, "x")) + lengthField(900, strings.Repeat("\x0a\x01", freeDepth))
	if err := decodeGenerated([]byte(flat), new(rbacv1.Role)); err != nil {
		t.Errorf("a large message: got %v", err)
	}
}

// TestDamageBeyondTheLimit checks that a member of a list that exceeds the limit ends the
// list with the same error, whether or not its damage has arrived.
func TestDamageBeyondTheLimit(t *testing.T) {
	const limit = 1 << 10
	for name, member := range map[string]string{
		"a missing comma":             `{"a":"` + strings.Repeat("x", 2*limit) + `" "b":1}`,
		"a bad escape in a string":    `"\z` + strings.Repeat("x", 2*limit) + `"`,
		"no damage, but a long value": `"` + strings.Repeat("x", 2*limit) + `"`,
	} {
		for way, r := range readings([]byte(`{"m":` + member + `,"items":[]}`)) {
			_, err := NewListReader(r, JSON, Options{MaxRecord: limit}).Next()
			var large *TooLargeError
			if !errors.As(err, &large) || large.Offset != 1 {
				t.Errorf("%s, %s: got %v", name, way, err)
			}
		}
	}
}
