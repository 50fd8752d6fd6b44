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
)

// readings are the ways in which bytes may arrive.
func readings(b []byte) map[string]io.Reader {
	return map[string]io.Reader{"at once": bytes.NewReader(b), "one by one": iotest.OneByteReader(bytes.NewReader(b))}
}

// nestedObject is an object that nests so deep.
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

// TestAnyDepth: how deep an object nests is no matter of the stream. The object is
// kept, and decoding it tells what is wrong with it.
func TestAnyDepth(t *testing.T) {
	for _, enc := range []Encoding{JSON, CBOR} {
		for _, depth := range []int{63, 64, 65, 1100, 200_000} {
			deep, next := nestedObject(enc, "deep", depth), nestedObject(enc, "next", 1)
			for how, r := range readings(listOf(enc, deep, next)) {
				items, meta := readList(t, r, enc, Options{})
				if len(items) != 3 || items[0].rec.Name != "deep" || !bytes.Equal(items[0].rec.Body, deep) || items[1].rec.Name != "next" || meta.Version != 9 {
					t.Fatalf("%v, %d deep, %s: %d items, %.80q, %+v", enc, depth, how, len(items), items[0].err, meta)
				}
				obj, err := Codec[unstructured.Unstructured]{}.Decode(items[0].rec)
				if want := depth > 10_000; (err != nil) != want || want && !strings.Contains(err.Error(), "decode deep at") {
					t.Errorf("%v, %d deep: decoded to %v, %v", enc, depth, obj == nil, err)
				}
			}
			for how, r := range readings(slices.Concat(rawFrame(t, enc, "MODIFIED", deep), rawFrame(t, enc, "ADDED", next))) {
				items := readWatch(t, r, enc, Options{})
				if len(items) != 3 || items[0].rec.Name != "deep" || items[1].rec.Name != "next" {
					t.Errorf("%v, %d deep, watched %s: %d items, %.80q", enc, depth, how, len(items), items[0].err)
				}
			}
		}
	}
}

// TestBracketsOnly: nesting without end costs memory within the limits, and no stack.
func TestBracketsOnly(t *testing.T) {
	const limit = 1 << 20
	for name, c := range map[string]struct {
		enc           Encoding
		before, again string
	}{
		"JSON arrays": {JSON, `{"items":[{"x":`, "["}, "JSON objects": {JSON, `{"items":[{"x":`, `{"":`}, "JSON objects within a mistake": {JSON, `{"items":[{x`, `[`},
		"CBOR arrays": {CBOR, "\xa1\x45items\x81\xa1\x41x", "\x82"}, "CBOR open arrays": {CBOR, "\xa1\x45items\x81\xa1\x41x", "\x9f"},
		"CBOR maps": {CBOR, "\xa1\x45items\x81\xa1\x41x", "\xbf\x41x"}, "CBOR maps as keys": {CBOR, "\xa1\x45items\x81\xa1\x41x", "\xa2"},
	} {
		n := allocated(func() {
			r := io.MultiReader(strings.NewReader(c.before), strings.NewReader(strings.Repeat(c.again, 12*limit/len(c.again))))
			_, err := NewListReader(r, c.enc, Options{MaxRecord: limit}).Next()
			var large *TooLargeError
			if !errors.As(err, &large) {
				t.Errorf("%s: %v", name, err)
			}
		})
		if n > 12*limit+16*limit { // what is read, and the rest
			t.Errorf("%s: %d bytes allocated", name, n)
		}
	}
}

// TestTooLargeObjects: an object that exceeds the limit is passed over and told,
// with as much of its name as could be read, and holds no more memory than others.
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
					t.Fatalf("%v %s: %d items: %+v", enc, how, len(items), items[len(items)-1].err)
				}
				told := items[1].told
				if !strings.Contains(told.Reason, "more than 16384 bytes") || told.Offset == 0 {
					t.Errorf("%v %s: %v", enc, how, &told)
				}
				if told.Offset, told.Reason = 0, ""; told != want {
					t.Errorf("%v %s: %+v", enc, how, told)
				}
			}
			body := slices.Concat(frame(t, enc, "ADDED", typed(list.Items[0])), frame(t, enc, "DELETED", typed(large)), frame(t, enc, "MODIFIED", typed(list.Items[2])))
			for how, r := range readings(body) {
				w := NewWatchReader(r, enc, opts)
				items := drain(t, func() (item, error) {
					ev, err := w.Next()
					return item{rec: copied(ev.Record)}, err
				})
				if len(items) != 4 || items[1].told.Event != Deleted || items[1].told.Key != want.Key || items[1].told.Version != 1001 || items[2].rec.Name != "pod-2" {
					t.Errorf("%v %s: %+v", enc, how, items)
				}
				if got := cap(windowOf(w.src).buf); got > 2*limit+fullChunk {
					t.Errorf("%v: a buffer of %d bytes", enc, got)
				}
			}
		}
	}
}

// TestNameBehindTheLimit: what names a large object is found wherever it stands,
// whatever the sizes of the reads.
func TestNameBehindTheLimit(t *testing.T) {
	const limit = 1 << 10
	for before := limit - 100; before < limit+100; before++ {
		object := fmt.Sprintf(`{"spec":"%s","metadata":{"namespace":"s","n\u0061me":"late","uid":"u","resourceVersion":"7"},"status":%d}`, strings.Repeat("y", before), limit)
		body := listOf(JSON, []byte(object), []byte(`{"metadata":{"name":"next"}}`))
		for how, r := range readings(body) {
			items, _ := readList(t, r, JSON, Options{MaxRecord: limit})
			if len(object) > limit != (items[0].err != "") {
				t.Fatalf("%d bytes, %s: %s", len(object), how, items[0].err)
			}
			told := items[0].told
			if len(object) > limit && (told.Key != Key{Namespace: "s", Name: "late"} || told.UID != "u" || told.Version != 7) {
				t.Fatalf("%d bytes, %s: %+v", len(object), how, told)
			}
			if len(items) != 3 || items[1].rec.Name != "next" {
				t.Fatalf("%d bytes, %s: %d items", len(object), how, len(items))
			}
		}
	}
}

// TestNoObjectIsEndless: what exceeds the limit many times over is damage.
func TestNoObjectIsEndless(t *testing.T) {
	const limit = 16 << 10
	for _, enc := range allEncodings {
		list := testPods(1)
		list.Items[0].Spec.NodeName = strings.Repeat("y", (maxPassed+1)*limit)
		for how, r := range readings(encode(t, enc, list)) {
			items, _ := readList(t, r, enc, Options{MaxRecord: limit})
			if len(items) != 1 || !strings.Contains(items[0].err, "raise MaxRecord") || items[0].told != (InvalidError{}) {
				t.Errorf("%v %s: %+v", enc, how, items)
			}
		}
	}
}

// TestDamagedItems: a mistake within an object of JSON whose strings and brackets
// are sound, or within one of protobuf, costs that object only.
func TestDamagedItems(t *testing.T) {
	for _, spec := range []string{
		`tRue`, `nul`, `+1`, `01`, `1.`, `1e`, `-a`, `"\u12x4"`, `"\x\"]}"`, `[1 2]`, `[1,]`, `[,1]`, `{1:2}`, `{"a" 1}`, `{"a":}`, `{"a":1,}`, `{"a":1 "b":"}"}`, `:`, ``, `"a" "b"`, `tru` + "\n" + `e`,
	} {
		object := `{"metadata":{"name":"x","namespace":"s"},"spec":` + spec + `,"status":[{"]":"["}]}`
		for how, r := range readings(listOf(JSON, []byte(object), nestedObject(JSON, "next", 1))) {
			items, _ := readList(t, r, JSON, Options{})
			if len(items) != 3 || items[0].told.Key != (Key{Namespace: "s", Name: "x"}) || items[0].told.Offset != 45 || items[1].rec.Name != "next" {
				t.Errorf("%s, %s: %+v", object, how, items)
			}
		}
		body := `{"type":"DELETED","object":` + object + `}{"type":"ADDED","object":{"metadata":{"name":"next"}}}`
		items := readWatch(t, strings.NewReader(body), JSON, Options{})
		if len(items) != 3 || items[0].told.Event != Deleted || items[0].told.Key.Name != "x" || items[1].rec.Name != "next" {
			t.Errorf("%s: %+v", body, items)
		}
	}
	for damage, at := range map[string]int{"\x1a\xff": 0, "\xff": 0, "\x0a\x7f": 0, "\x0b": 0} {
		body := "k8s\x00" + lengthField(2, lengthField(2, lengthField(1, lengthField(1, "x"), lengthField(3, "s")), damage), lengthField(2, lengthField(1, lengthField(1, "next"))))
		items, _ := readList(t, strings.NewReader(body), Protobuf, Options{})
		if len(items) != 3 || items[0].told.Key != (Key{Namespace: "s", Name: "x"}) || items[1].rec.Name != "next" {
			t.Errorf("%x %d: %+v", damage, at, items)
		}
	}
}

// TestKeysAreCertain: half of a key names another object, so it is not told.
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
		if got := items[0].told.Key.String(); got != want || items[0].err == "" || len(items) != 2 {
			t.Errorf("%s: %q, want %q: %s", object, got, want, items[0].err)
		}
	}
	name, space := lengthField(1, "x"), lengthField(3, "s")
	for object, want := range map[string]string{
		lengthField(1, name, "\xff"): "", lengthField(1, name, space, "\xff"): "s/x", lengthField(1, name, lengthField(5, "u"), "\xff"): "x", lengthField(1, name) + "\xff": "x",
	} {
		items, _ := readList(t, strings.NewReader("k8s\x00"+lengthField(2, lengthField(2, object))), Protobuf, Options{})
		if got := items[0].told.Key.String(); got != want || items[0].err == "" || len(items) != 2 {
			t.Errorf("%x: %q, want %q: %s", object, got, want, items[0].err)
		}
	}
}

// TestDecodersTakeWhatIsKept: no object that a reader returns harms what decodes it.
func TestDecodersTakeWhatIsKept(t *testing.T) {
	for _, odd := range []string{
		`{"metadata":{"name":"x","labels":{"a":"` + "\xff\xfe" + `"}}}`, `{"metadata":{"name":"x"},"metadata2":{},"spec":{"a":1,"a":2}}`,
		`{"metadata":{"name":"x"},"spec":1e999999}`, `{"metadata":{"name":"x"},"spec":` + strings.Repeat("9", 5000) + `}`,
		`{"metadata":{"name":"x","labels":[],"annotations":{"a":{}},"ownerReferences":7,"creationTimestamp":"never"}}`,
	} {
		items, _ := readList(t, bytes.NewReader(listOf(JSON, []byte(odd), nestedObject(JSON, "next", 1))), JSON, Options{})
		if len(items) != 3 || items[1].rec.Name != "next" {
			t.Errorf("%.80q: %+v", odd, items[0].err)
		}
		_, _ = Codec[corev1.Pod]{}.Decode(items[0].rec)
		_, _ = Codec[unstructured.Unstructured]{}.Decode(items[0].rec)
		for range items[0].rec.Labels() {
		}
		if json.Valid(items[0].rec.Body) != json.Valid([]byte(odd)) {
			t.Errorf("%.80q became %.80q", odd, items[0].rec.Body)
		}
	}
	deep := ""
	for range maxDepth + 2 {
		deep = lengthField(1, deep)
	}
	deep += lengthField(900, strings.Repeat("\x00", 2*freeDepth))
	if err := decodeGenerated([]byte(deep), new(rbacv1.Role)); !errors.Is(err, errDeep) {
		t.Errorf("nested messages: %v", err)
	}
	flat := lengthField(1, lengthField(1, "x")) + lengthField(900, strings.Repeat("\x0a\x01", freeDepth))
	if err := decodeGenerated([]byte(flat), new(rbacv1.Role)); err != nil {
		t.Errorf("a large message: %v", err)
	}
}

// TestDamageBeyondTheLimit: a member of a list that exceeds the limit ends the list with
// the same error, whether its damage has arrived or not.
func TestDamageBeyondTheLimit(t *testing.T) {
	const limit = 1 << 10
	for name, member := range map[string]string{
		"a missing comma":            `{"a":"` + strings.Repeat("x", 2*limit) + `" "b":1}`,
		"a bad escape in a string":   `"\z` + strings.Repeat("x", 2*limit) + `"`,
		"nothing, just a long value": `"` + strings.Repeat("x", 2*limit) + `"`,
	} {
		for way, r := range readings([]byte(`{"m":` + member + `,"items":[]}`)) {
			_, err := NewListReader(r, JSON, Options{MaxRecord: limit}).Next()
			var large *TooLargeError
			if !errors.As(err, &large) || large.Offset != 1 {
				t.Errorf("%s, %s: %v", name, way, err)
			}
		}
	}
}
