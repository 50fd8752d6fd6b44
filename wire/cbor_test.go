package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/vedette-io/vedette/internal/testinput"
)

// fromJSON decodes JSON as the API server does.
func fromJSON(t testing.TB, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// oddHead returns a head that may be longer than necessary.
func oddHead(r *rand.Rand, major byte, arg uint64) []byte {
	least := 0
	for _, limit := range []uint64{23, 0xff, 0xffff, 0xffffffff} {
		if arg > limit {
			least++
		}
	}
	switch max(least, r.IntN(5)) {
	case 0:
		return []byte{major<<5 | byte(arg)}
	case 1:
		return []byte{major<<5 | 24, byte(arg)}
	case 2:
		return binary.BigEndian.AppendUint16([]byte{major<<5 | 25}, uint16(arg))
	case 3:
		return binary.BigEndian.AppendUint32([]byte{major<<5 | 26}, uint32(arg))
	}
	return binary.BigEndian.AppendUint64([]byte{major<<5 | 27}, arg)
}

// odd encodes a JSON value in a random one of the possible CBOR forms.
func odd(r *rand.Rand, v any) []byte {
	var b []byte
	for range r.IntN(5) / 3 {
		b = append(b, 0xd9, 0xd9, 0xf7)
	}
	switch v := v.(type) {
	case nil:
		b = append(b, 0xf6)
	case bool:
		b = append(b, map[bool]byte{false: 0xf4, true: 0xf5}[v])
	case int64:
		if v < 0 {
			return append(b, oddHead(r, cborNegative, uint64(-1-v))...)
		}
		b = append(b, oddHead(r, cborUnsigned, uint64(v))...)
	case float64:
		b = binary.BigEndian.AppendUint64(append(b, 0xfb), math.Float64bits(v))
	case string:
		b = append(b, oddString(r, v)...)
	case []any:
		b, open := oddOpen(r, b, cborArray, len(v))
		for _, e := range v {
			b = append(b, odd(r, e)...)
		}
		return closed(b, open)
	case map[string]any:
		b, open := oddOpen(r, b, cborMap, len(v))
		keys := slices.Sorted(maps.Keys(v))
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for _, k := range keys {
			b = append(append(b, oddString(r, k)...), odd(r, v[k])...)
		}
		return closed(b, open)
	}
	return b
}

func oddOpen(r *rand.Rand, b []byte, major byte, n int) (begun []byte, open bool) {
	if r.IntN(3) == 0 {
		return append(b, major<<5|cborIndefinite), true
	}
	return append(b, oddHead(r, major, uint64(n))...), false
}

func closed(b []byte, open bool) []byte {
	if open {
		b = append(b, 0xff)
	}
	return b
}

func oddString(r *rand.Rand, s string) []byte {
	major := byte(cborBytes + r.IntN(2))
	if r.IntN(4) > 0 {
		return append(oddHead(r, major, uint64(len(s))), s...)
	}
	b := []byte{major<<5 | cborIndefinite}
	for _, c := range strings.SplitAfter(s, "-") {
		b = append(append(b, oddHead(r, major, uint64(len(c)))...), c...)
	}
	return append(b, 0xff)
}

// TestAnyCBOR checks that the records of a list do not depend on the form of its CBOR.
func TestAnyCBOR(t *testing.T) {
	labels, err := FieldOf[unstructured.Unstructured]("metadata.labels[*]")
	if err != nil {
		t.Fatal(err)
	}
	r := testinput.Rand(t)
	for range testinput.Cases(t, 100) {
		list := fromJSON(t, string(encode(t, JSON, testPods(r.IntN(4))))).(map[string]any)
		items, _ := list["items"].([]any)
		for _, item := range items {
			// The number of members takes one, two or three bytes.
			meta := item.(map[string]any)["metadata"].(map[string]any)
			for i := range []int{0, 3, 15, 20, 250, 300}[r.IntN(6)] {
				meta[fmt.Sprint("x", i)] = nil
			}
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{APIVersion: "v1", Kind: "Pod", ManagedFields: ManagedFields(r.IntN(2))}
		body := odd(r, list)
		want, wantMeta := readList(t, bytes.NewReader(text), JSON, opts)
		got, gotMeta := readList(t, chunks(body, r.Uint64()), CBOR, opts)
		if len(got) != len(want) || gotMeta != wantMeta {
			t.Fatalf("got %d items and %+v, want %d and %+v\n%x", len(got), gotMeta, len(want), wantMeta, body)
		}
		for i := range got {
			g, w := got[i].rec, want[i].rec
			if g.Key != w.Key || g.UID != w.UID || g.Version != w.Version || got[i].err != want[i].err {
				t.Fatalf("got %+v %s, want %+v %s", g, got[i].err, w, want[i].err)
			}
			if w.Body == nil {
				continue
			}
			if !maps.Equal(maps.Collect(g.Labels()), maps.Collect(w.Labels())) {
				t.Fatalf("got labels %q, want %q", maps.Collect(g.Labels()), maps.Collect(w.Labels()))
			}
			if a, b := labels.Append(nil, g), labels.Append(nil, w); !sameValues(a, b, CBOR) {
				t.Fatalf("got values %q, want %q", a, b)
			}
			gotObject, err := Codec[unstructured.Unstructured]{}.Decode(g)
			wantObject, _ := Codec[unstructured.Unstructured]{}.Decode(w)
			if diff := cmp.Diff(wantObject, gotObject); diff != "" || err != nil {
				t.Fatalf("%v (-want +got):\n%s\n%x", err, diff, g.Body)
			}
		}
	}
}

// TestFramesAreTheServers checks that rawFrame writes the same bytes as the API server.
func TestFramesAreTheServers(t *testing.T) {
	object := encode(t, CBOR, typed(testPod(1)))
	want := mustCBOR(t, metav1.WatchEvent{Type: "ADDED", Object: runtime.RawExtension{Raw: object}})
	if got := rawFrame(t, CBOR, "ADDED", object); string(got) != "\xd9\xd9\xf7"+string(want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

// TestUnusableCBOR checks that an unusable item is reported, and that the next item is
// read.
func TestUnusableCBOR(t *testing.T) {
	for _, c := range []struct{ object, want string }{
		{"a0", "no metadata.name"},
		{"a1486d65746164617461f6", "no metadata.name"},
		{"a1486d6574616461746180", "metadata is not a map"},
		{"a1486d65746164617461a2446e616d654178446e616d65f6", "no metadata.name"}, // the last counts
		{"a1486d65746164617461a1446e616d6507", "metadata.name is not a string"},
		{"a1486d65746164617461a1446e616d65d64178", "metadata.name is not a string"}, // base64 in JSON
		{"a1486d65746164617461a1446e616d65d74178", "metadata.name is not a string"},
		{"a1486d65746164617461a1446e616d65d54178", "metadata.name is not a string"},
		{"a2486d65746164617461a0486d65746164617461a0", "metadata twice"},
		{"a1446b696e64820102", "kind is not a string"},
		{"a14b616e6e6f746174696f6e7301", "no metadata.name"},
		{"a1486d65746164617461a14b616e6e6f746174696f6e7301", "annotations is not a map"},
		{"4178", "not a map"},
		{"f6", "not a map"},
		{"9f01ff", "not a map"},
		{"3903e7", "not a map"},
		{"a14178f7", "found 0xf7, want a value"},
		{"a24178e0486d65746164617461a1446e616d654179", "unusable object y at"},
		{"a14178f820", "found 0xf8, want a value"},
		{"a14178a10000", "found 0x00, want a string"},
		{"a14178bfc18220a02082f60001ff", "found 0xc1, want a string"},
		{"a182010280", "found 0x82, want a string"},
	} {
		object, err := hex.DecodeString(c.object)
		if err != nil {
			t.Fatal(err)
		}
		next := mustCBOR(t, map[string]any{"metadata": map[string]any{"name": "next"}})
		body := slices.Concat([]byte("\xa3\x44kind\x47PodList\x4aapiVersion\x42v1\x45items\x82"), object, next)
		l := NewListReader(bytes.NewReader(body), CBOR, podOptions)
		_, err = l.Next()
		var invalid *InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.object, err, c.want)
			continue
		}
		if want := int64(bytes.Index(body, object)); invalid.Offset != want {
			t.Errorf("%s: got offset %d, want %d", c.object, invalid.Offset, want)
		}
		if rec, err := l.Next(); err != nil || rec.Name != "next" {
			t.Errorf("%s: got next item %v, %v", c.object, rec.Key, err)
		}
	}
	l := NewListReader(strings.NewReader("\xa1\x45items\x81\xd9\xd9\xf7\xa1\x48metadata\xa1\x44name\xd6\x60"), CBOR, Options{})
	if _, err := l.Next(); !isInvalid(err) || !strings.Contains(err.Error(), "is not a string") {
		t.Errorf("a tag of bytes before text: got %v", err)
	}
}

// TestDamagedCBOR checks the offset of the damage, which a slash marks.
func TestDamagedCBOR(t *testing.T) {
	const head = "a1 456974656d73 81 a1 4178" // {"items":[{"x":
	for _, c := range []string{
		"/01", "/80", "/4161", "/f6", "/ff", "/1c", "d9d9f7/01",
		"a1/01", "a1/f6", "a1/c04161", "a1/a0", "a1/ff", "a1456974656d73/a0", "a1456974656d73/07",
		"bf4161/ff", "a0/00", "a14178f6/f6", "a1456974656d7380/00",
		head + "/1f", head + "/3f", head + "/df", head + "/1d", head + "/fc", head + "/ff",
		head + "5f/6161", head + "5f/5f4161ffff", head + "7f/4161", head + "5f/00", head + "5f/f4", head + "9f/fe", head + "bf4161/ff", head + "c1/ff",
	} {
		before, after, _ := strings.Cut(strings.ReplaceAll(c, " ", ""), "/")
		body, err := hex.DecodeString(before + after)
		if err != nil {
			t.Fatal(err)
		}
		body = append(body, strings.Repeat("\x00", 20)...)
		for _, r := range []io.Reader{bytes.NewReader(body), iotest.OneByteReader(bytes.NewReader(body))} {
			l := NewListReader(r, CBOR, Options{})
			for err = nil; err == nil || isInvalid(err); {
				_, err = l.Next()
			}
			var damage *SyntaxError
			if !errors.As(err, &damage) || damage.Offset != int64(len(before)/2) {
				t.Errorf("%s: got %v, want damage at %d", c, err, len(before)/2)
			}
		}
	}
}

func TestDamagedCBORWatch(t *testing.T) {
	for _, c := range []struct {
		body string
		at   int64
	}{{"\x80", 0}, {"\xf6", 0}, {"\xd9\xd9\xf7\x01", 3}, {"\xff", 0}, {"\xa1\x44type\xff", 6}, {"\xa1\x00", 1}} {
		w := NewWatchReader(strings.NewReader(c.body), CBOR, Options{})
		_, err := w.Next()
		var damage *SyntaxError
		if !errors.As(err, &damage) || damage.Offset != c.at {
			t.Errorf("%x: got %v, want damage at %d", c.body, err, c.at)
		}
	}
	w := NewWatchReader(strings.NewReader("\xa1\x44type\x45ADDED\xa2\x44type\x07\x46object\xa1\x48metadata\xa1\x44name\x41x\xa2\x44type\x45ADDED\x46object\xf6"), CBOR, Options{})
	for _, want := range []string{"no object", "type is not a string", "not a map"} {
		if _, err := w.Next(); !isInvalid(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// older is the type of a program that lacks some fields of the server.
type older struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Workers int64                `json:"workers"`
		Ratio   float64              `json:"ratio"`
		Data    []byte               `json:"data"`
		Free    runtime.RawExtension `json:"free"`
	} `json:"spec"`
}

func TestCodecOfCBOR(t *testing.T) {
	body := mustCBOR(t, map[string]any{
		"metadata": map[string]any{"name": "x", "creationTimestamp": "2023-11-14T22:13:20Z"},
		"spec":     map[string]any{"workers": int64(9007199254740993), "Workers": int64(3), "ratio": 1.0, "new": true, "free": map[string]any{"a": int64(1)}, "data": []byte("abc")},
		"status":   map[string]any{},
	})
	rec := Record{Encoding: CBOR, Body: body}
	got, err := Codec[older]{}.Decode(rec)
	if err != nil || got.Name != "x" || got.Spec.Workers != 9007199254740993 || got.Spec.Ratio != 1 || string(got.Spec.Data) != "abc" ||
		string(got.Spec.Free.Raw) != `{"a":1}` || got.CreationTimestamp.Unix() != 1_700_000_000 {
		t.Errorf("got %+v, %v", got, err)
	}
	loose, err := Codec[unstructured.Unstructured]{}.Decode(rec)
	if w, _, _ := unstructured.NestedInt64(loose.Object, "spec", "workers"); err != nil || w != 9007199254740993 {
		t.Errorf("got %+v, %v", loose, err)
	}
	for name, body := range map[string]string{"cut": "\xa1", "an array": "\x80", "another type": "\xa1\x44spec\x07", "not a number": "\xa1\x44spec\xf9\x7e\x00", "nothing": ""} {
		if _, err := (Codec[older]{}).Decode(Record{Key: Key{Name: "x"}, Encoding: CBOR, Body: []byte(body)}); err == nil || !strings.Contains(err.Error(), "decode x") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := (Codec[unstructured.Unstructured]{}).Decode(Record{Encoding: CBOR, Body: []byte("\xa1")}); err == nil {
		t.Error("got no error for a truncated map")
	}
}

// strict is older without a free-form field.
type strict struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Workers int64   `json:"workers"`
		Parts   []part  `json:"parts"`
		Next    *strict `json:"next"`
	} `json:"spec"`
}

// TestCodecOfCBOR_WaysAgree checks that the direct decoding returns the same object as
// the decoding through JSON, and is not used if it cannot.
func TestCodecOfCBOR_WaysAgree(t *testing.T) {
	for text, want := range map[string]string{
		`{"metadata":{"name":"x","labels":{"a":"b"}},"spec":{"workers":7,"parts":[{"name":"p"}]}}`:                                                    "",
		`{"metadata":{"name":"x"},"spec":{"parts":[{"name":"p","new":1},{"name":"q"}],"new":{},"workers":8,"next":{"spec":{"workers":9}}},"new":[1]}`: "",
		`{"metadata":{"name":"x","managedFields":[{"manager":"m","fieldsV1":{"f:a":{}}}]},"spec":{"workers":7}}`:                                      "",
		`{"metadata":{"name":"x"},"spec":{"workers":"many"}}`:                                                                                         "cannot unmarshal",
	} {
		body := mustCBOR(t, fromJSON(t, text))
		got, err := Codec[strict]{}.Decode(Record{Encoding: CBOR, Body: body})
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", text, err, want)
			}
			continue
		}
		same, _ := Codec[strict]{}.Decode(Record{Encoding: JSON, Body: []byte(text)})
		if diff := cmp.Diff(same, got); diff != "" || err != nil {
			t.Errorf("%s: got %v (-json +cbor):\n%s", text, err, diff)
		}
	}
	known := fromJSON(t, `{"metadata":{"name":"x"},"spec":{"free":{"a":[1]}}}`)
	free, err := Codec[older]{}.Decode(Record{Encoding: CBOR, Body: mustCBOR(t, known)})
	if err != nil || string(free.Spec.Free.Raw) != `{"a":[1]}` {
		t.Errorf("a free-form field: got %q, %v", free.Spec.Free.Raw, err)
	}
	for _, c := range []struct {
		name string
		got  bool
		want bool
	}{
		{"Pod", hasFreeForm(reflect.TypeFor[corev1.Pod]()), false},
		{"strict", hasFreeForm(reflect.TypeFor[strict]()), false},
		{"older", hasFreeForm(reflect.TypeFor[older]()), true},
		{"ControllerRevision", hasFreeForm(reflect.TypeFor[appsv1.ControllerRevision]()), true},
		{"map of lists", hasFreeForm(reflect.TypeFor[map[string][]*metav1.FieldsV1]()), true},
	} {
		if c.got != c.want {
			t.Errorf("%s: got free-form fields: %v", c.name, c.got)
		}
	}
}

// TestCodecOfCBOR_Cost checks that the direct decoding is used.
func TestCodecOfCBOR_Cost(t *testing.T) {
	rec := largePod(t)[2]
	decode := func() {
		if _, err := (Codec[corev1.Pod]{}).Decode(rec); err != nil {
			t.Error(err)
		}
	}
	if n, most := testing.AllocsPerRun(20, decode), 150.0; n > most {
		t.Errorf("got %v allocations, want at most %v", n, most)
	}
}

// TestFieldsOfCBOR checks that values are the same as in JSON.
func TestFieldsOfCBOR(t *testing.T) {
	f, err := FieldOf[unstructured.Unstructured]("a[*]")
	if err != nil {
		t.Fatal(err)
	}
	for item, want := range map[string]string{
		"00": "0", "1903e8": "1000", "1bffffffffffffffff": "18446744073709551615", "20": "-1", "3903e7": "-1000",
		"3b7fffffffffffffff": "-9223372036854775808", "3bffffffffffffffff": "", "f4": "false", "f5": "true", "f6": "",
		"f90000": "0", "f98000": "-0", "f93c00": "1", "f93e00": "1.5", "f97bff": "65504", "f90001": "5.960464477539063e-8", "f90400": "0.00006103515625",
		"f9c400": "-4", "f97c00": "", "f97e00": "", "f9fc00": "", "fa47c35000": "100000", "fa7f7fffff": "3.4028234663852886e+38",
		"fb3ff199999999999a": "1.1", "fb7e37e43c8800759c": "1e+300", "fbc010666666666666": "-4.1", "fb444b1ae4d6e2ef50": "1e+21", "fb7ff0000000000000": "",
		"4178": "x", "6178": "x", "40": "", "5f41784179ff": "xy", "d9d9f76178": "x", "d8186178": "x",
		"d643010203": "AQID", "d54401fbff02": "Afv_Ag", "d7420afe": "0afe", "d66178": "x", "80": "", "a0": "", "c082f60f": "",
	} {
		b, err := hex.DecodeString("a1416182" + item + "617a")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(strings.Join(f.Append(nil, Record{Encoding: CBOR, Body: b}), " ")); got != strings.TrimSpace(want+" z") {
			t.Errorf("%s: got %q, want %q", item, got, want)
		}
		// If the API server's decoder accepts the value, JSON must have the same one.
		var v []any
		if direct.Unmarshal(b[3:], &v) == nil && item != "f98000" {
			text, _ := json.Marshal(map[string]any{"a": v})
			if got := strings.TrimSpace(strings.Join(f.Append(nil, Record{Encoding: JSON, Body: text}), " ")); got != strings.TrimSpace(want+" z") {
				t.Errorf("%s: got %q in JSON, want %q", item, got, want)
			}
		}
	}
	for text, want := range map[string][]string{"\xa1\x41a\x83\x41x": {"x"}, "\xa1\x41a\x9f\x41x\xfe": {"x"}, "\xa1\x41b\x5f": nil, "\xa1\x41a\xbf\x41k\x41x\x00": {"x"}, "\xa1\x41a\x5b": nil, "": nil, "\xbf": nil} {
		if got := f.Append(nil, Record{Encoding: CBOR, Body: []byte(text)}); !slices.Equal(got, want) {
			t.Errorf("%x: got %q, want %q", text, got, want)
		}
	}
	deep := "\xa1\x41a" + strings.Repeat("\x81", 100_000)
	if got := f.Append(nil, Record{Encoding: CBOR, Body: []byte(deep)}); got != nil {
		t.Errorf("a deeply nested value: got %q", got)
	}
	pods := Record{Encoding: CBOR, Body: mustCBOR(t, corev1.Pod{})}
	for range pods.Labels() {
		t.Error("got a label of an empty record")
	}
}

// TestConditionsOfCBOR checks that a filter finds its member at any position.
func TestConditionsOfCBOR(t *testing.T) {
	f, err := FieldOf[unstructured.Unstructured](`status.conditions[?(@.type=="Ready")].status`)
	if err != nil {
		t.Fatal(err)
	}
	v := fromJSON(t, `{"status":{"conditions":[{"status":"True","type":"Ready"},{"type":"Other","status":"no"},7,"Ready",{"type":7,"status":"no"},{"status":"no"},"Ready",{"type":"Ready","a":[{}],"status":"again"}]}}`)
	r := testinput.Rand(t)
	for range testinput.Cases(t, 100) {
		body := odd(r, v)
		if got := f.Append(nil, Record{Encoding: CBOR, Body: body}); !slices.Equal(got, []string{"True", "again"}) {
			t.Fatalf("got %q from %x", got, body)
		}
	}
}

// TestNumbersAreNotText checks that a filter does not treat a number as the length of a
// text.
func TestNumbersAreNotText(t *testing.T) {
	f, err := FieldOf[unstructured.Unstructured](`a[?(@.type=="ERead")].Ready`)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Append(nil, Record{Encoding: CBOR, Body: []byte("\xa1\x41a\x81\xa2\x44type\x05\x45Ready\x00")}); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestRemainingItemsOfCBOR(t *testing.T) {
	for item, want := range map[string]int64{"\x07": 7, "\x19\x01\x00": 256, "\x27": 0, "\x1b\xff\xff\xff\xff\xff\xff\xff\xff": 0, "\xf6": 0, "\x417": 0, "\x81\x07": 0} {
		body := "\xa1\x48metadata\xa1\x52remainingItemCount" + item
		if items, meta := readList(t, strings.NewReader(body), CBOR, Options{}); meta.Remaining != want || items[0].err != io.EOF.Error() {
			t.Errorf("%x: got %d, want %d; %s", item, meta.Remaining, want, items[0].err)
		}
	}
}

// TestLongListsOfCBOR checks that elements do not accumulate nesting depth.
func TestLongListsOfCBOR(t *testing.T) {
	f, err := FieldOf[unstructured.Unstructured](`a[?(@.x=="y")].x`)
	if err != nil {
		t.Fatal(err)
	}
	body := mustCBOR(t, map[string]any{"a": slices.Repeat([]any{map[string]any{"x": "y"}, map[string]any{"x": "z"}}, 2*maxDepth)})
	if got := f.Append(nil, Record{Encoding: CBOR, Body: body}); len(got) != 2*maxDepth {
		t.Errorf("got %d values", len(got))
	}
}
