package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"pgregory.net/rapid"
	kjson "sigs.k8s.io/json"

	"github.com/vedette-io/vedette/internal/testinput"
)

// compareUnstructured decodes body with this package and with the library of the
// encoding. It fails unless both return the same object, or the same error.
func compareUnstructured(t testing.TB, enc Encoding, body []byte) {
	t.Helper()
	var want unstructured.Unstructured
	var wantErr error
	if enc == JSON {
		wantErr = kjson.UnmarshalCaseSensitivePreserveInts(body, &want.Object)
	} else {
		wantErr = direct.Unmarshal(body, &want.Object)
	}
	for range 3 { // strings are shared from the third occurrence on
		scratch := slices.Clone(body)
		var got unstructured.Unstructured
		err := decodeUnstructured(enc, scratch, &got)
		clear(scratch)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%q: got %v, want %v", body, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(got.Object, want.Object) {
			t.Errorf("%q: got %#v, want %#v", body, got.Object, want.Object)
		}
	}
}

// fast reports whether body is decoded without the library.
func fast(enc Encoding, body string) bool {
	t := &tree{b: []byte(body)}
	decode := t.cbor
	if enc == JSON {
		decode = t.json
	}
	v, ok := decode()
	_, object := v.(map[string]any)
	return ok && object
}

func TestUnstructuredJSON(t *testing.T) {
	deepest := strings.Repeat(`{"a":[`, treeDepth/2) + strings.Repeat(`]}`, treeDepth/2)
	for body, want := range map[string]bool{
		`{}`: true, ` { } `: true, `{"a":{}}`: true, `{"a":[]}`: true, `{"a":null,"b":true,"c":false}`: true,
		`{"a":1,"a":2}`: true, `{"a":{"b":1},"a":null}`: true, `{"":""}`: true, `{"A":1,"a":2}`: true,
		`{"a":[1,-1,0,-0,1.5,-0.0,1e3,1E-3,9223372036854775807,-9223372036854775808,9223372036854775808,123456789012345678,1234567890123456789,100000000000000000000]}`: true,
		`{"a":1e400}`: false, `{"a":-1e400}`: false, `{"a":1e-400}`: true,
		`{"a":"\u0041\n\t\"\\\/\b\f\r","\u0062":"☃ 🤖 \ud83e\udd16"}`:                         true,
		`{"a":"\ud83e","b":"\udd16x","c":"\ud83e\ud83e\udd16","d":"\ud83eA","e":"\ud83e\n"}`: true,
		"{\"a\":\"\xff\"}": false, "{\"\xc3\x28\":1}": false, "{\"a\":\"\xed\xa0\x80\"}": false, "\xef\xbb\xbf{}": false,
		`{"a":"` + strings.Repeat("x", 1000) + `"}`: true,
		"{\"a\":\"\t\"}": false, `{"a":"\x"}`: false, `{"a":"\u12g4"}`: false, `{"a":"\'"}`: false,
		`{"a":01}`: false, `{"a":+1}`: false, `{"a":1.}`: false, `{"a":.5}`: false, `{"a":-}`: false, `{"a":1e}`: false,
		`{"a":tru}`: false, `{"a":nul}`: false, `{"a":NaN}`: false,
		`{"a":1,}`: false, `{,}`: false, `{"a"}`: false, `{"a":}`: false, `{"a" 1}`: false, `{a:1}`: false, `{"a":[1,]}`: false, `{"a":[1 2]}`: false,
		`{"a":1]`: false, `{"a":[1}`: false, `{"a":1`: false, `{"a":"`: false, `{`: false, `{"a":1} x`: false, `{}{}`: false, `{"a":[`: false,
		`[]`: false, `null`: false, `"a"`: false, `1`: false, ``: false, ` `: false,
		deepest: true, `{"x":{"y":` + deepest + `}}`: false,
		strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat(`}`, 10_001): false,
	} {
		compareUnstructured(t, JSON, []byte(body))
		if got := fast(JSON, body); got != want {
			t.Errorf("%.80q: got fast = %v, want %v", body, got, want)
		}
	}
}

func TestUnstructuredCBOR(t *testing.T) {
	text := func(s string) string { return string(mustCBOR(t, s)) }
	for name, c := range map[string]struct {
		body string
		want bool
	}{
		"nothing": {"", false}, "an empty map": {"\xa0", true}, "an array": {"\x80", false}, "null": {"\xf6", false},
		"all kinds":                {"\xa8" + text("a") + "\xf5" + text("b") + "\xf4" + text("c") + "\xf6" + text("d") + "\x18\x64" + text("e") + "\x38\x63" + text("f") + "\x80" + text("g") + "\xa0" + text("h") + "\xfb\x3f\xf8\x00\x00\x00\x00\x00\x00", true},
		"the greatest integer":     {"\xa1aa\x1b\x7f\xff\xff\xff\xff\xff\xff\xff", true},
		"a greater integer":        {"\xa1aa\x1b\x80\x00\x00\x00\x00\x00\x00\x00", false},
		"the least integer":        {"\xa1aa\x3b\x7f\xff\xff\xff\xff\xff\xff\xff", true},
		"a lesser integer":         {"\xa1aa\x3b\x80\x00\x00\x00\x00\x00\x00\x00", false},
		"a key twice":              {"\xa2aa\x01aa\x02", false},
		"a key as text and bytes":  {"\xa2aa\x01\x41a\x02", false},
		"a number as a key":        {"\xa1\x01\x01", false},
		"text that is not UTF-8":   {"\xa1aaa\xff", false},
		"bytes that are not UTF-8": {"\xa1aa\x41\xff", false},
		"an infinite number":       {"\xa1aa\xfb\x7f\xf0\x00\x00\x00\x00\x00\x00", false},
		"not a number":             {"\xa1aa\xfb\x7f\xf8\x00\x00\x00\x00\x00\x00", false},
		"floats of 16 and 32":      {"\xa5aa\xf9\x3e\x00ab\xfa\x3f\xc0\x00\x00ac\xf9\x00\x01ad\xf9\x80\x00ae\xf9\x7b\xff", true},
		"an infinite float16":      {"\xa1aa\xf9\x7c\x00", false}, "a float32 that is not a number": {"\xa1aa\xfa\x7f\xc0\x00\x00", false},
		"undefined":              {"\xa1aa\xf7", false},
		"the self-described tag": {"\xd9\xd9\xf7\xa0", true}, "the self-described tag twice": {"\xd9\xd9\xf7\xd9\xd9\xf7\xa0", false},
		"bytes to be in base64": {"\xa2aa\xd6\x44abc\xffab\xd6\x40", true}, "text to be in base64": {"\xa1aa\xd6\x63abc", false}, "bytes to be in base16": {"\xa1aa\xd7\x43abc", false},
		"truncated bytes in base64": {"\xa1aa\xd6\x44abc", false}, "a tag without a value": {"\xa1aa\xd6", false}, "a tag of a tag": {"\xa1aa\xd6\xd6\x41a", false},
		"an array of indefinite length": {"\xa1aa\x9f\x01\xff", false},
		"a map of 2^64":                 {"\xbb\xff\xff\xff\xff\xff\xff\xff\xff", false},
		"an array of 2^62":              {"\xa1aa\x9b\x40\x00\x00\x00\x00\x00\x00\x00", false},
		"text of 2^62":                  {"\xa1aa\x7b\x40\x00\x00\x00\x00\x00\x00\x00", false},
		"data after the object":         {"\xa0\xa0", false},
		"a missing value":               {"\xa1aa", false},
		"the maximum depth":             {strings.Repeat("\xa1aa", treeDepth) + "\x80", true},
		"deeper":                        {strings.Repeat("\xa1aa", treeDepth+1) + "\x80", false},
	} {
		if err := direct.Unmarshal([]byte(c.body), new(map[string]any)); err == nil || !strings.Contains(err.Error(), "max nested level") { // 64 in apimachinery 0.33
			compareUnstructured(t, CBOR, []byte(c.body))
		}
		if got := fast(CBOR, c.body); got != c.want {
			t.Errorf("%s: got fast = %v, want %v", name, got, c.want)
		}
	}
}

// anyValue draws any JSON value.
func anyValue(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kind := rapid.IntRange(0, 7).Draw(t, "kind")
		if depth == 0 && kind < 3 {
			kind += 4
		}
		switch kind {
		case 0, 1:
			return rapid.MapOfN(rapid.OneOf(rapid.SampledFrom(mapKeys), rapid.String()), anyValue(depth-1), 0, 12).Draw(t, "map")
		case 2:
			return rapid.SliceOfN(anyValue(depth-1), 0, 12).Draw(t, "slice")
		case 3:
			return rapid.Bool().Draw(t, "bool")
		case 4:
			return rapid.Int64().Draw(t, "int")
		case 5:
			return rapid.Float64Range(-1e300, 1e300).Draw(t, "float")
		case 6:
			return rapid.OneOf(rapid.SampledFrom(texts), rapid.String()).Draw(t, "text")
		}
		return nil
	})
}

func TestUnstructuredAgainstLibraries(t *testing.T) {
	testinput.Check(t, func(rt *rapid.T) {
		object := rapid.MapOfN(rapid.String(), anyValue(4), 0, 20).Draw(rt, "object")
		text, err := json.Marshal(object)
		if err != nil {
			rt.Fatal(err)
		}
		binary, err := direct.Marshal(object)
		if err != nil {
			rt.Fatal(err)
		}
		if !fast(JSON, string(text)) || !fast(CBOR, string(binary)) {
			rt.Errorf("%s was not decoded without the library", text)
		}
		compareUnstructured(t, JSON, text)
		compareUnstructured(t, CBOR, binary)
		at := rapid.IntRange(0, len(text)-1).Draw(rt, "at")
		compareUnstructured(t, JSON, text[:at])
		text[at] = rapid.Byte().Draw(rt, "byte")
		compareUnstructured(t, JSON, text)
		at %= len(binary)
		compareUnstructured(t, CBOR, binary[:at])
		binary[at] = rapid.Byte().Draw(rt, "byte")
		compareUnstructured(t, CBOR, binary)
	})
}

// TestTreesForget checks that a reused tree does not keep values of earlier objects.
func TestTreesForget(t *testing.T) {
	tr := &tree{b: []byte(`{"a":{"b":["c"]},"d":1}`)}
	if _, ok := tr.json(); !ok {
		t.Fatal("got no object")
	}
	tr.release()
	if tr.b != nil || slices.ContainsFunc(tr.waiting[:cap(tr.waiting)], func(m member) bool { return m != member{} }) {
		t.Errorf("the tree holds %+v", tr.waiting[:cap(tr.waiting)])
	}
}

// TestUnstructuredShareNothing checks that two objects from the same bytes share no map
// and no slice.
func TestUnstructuredShareNothing(t *testing.T) {
	r := testinput.Rand(t)
	object := fromJSON(t, string(encode(t, JSON, typed(testPod(3))))).(map[string]any)
	for enc, body := range map[Encoding][]byte{JSON: encode(t, JSON, typed(testPod(3))), CBOR: mustCBOR(t, object)} {
		owners := map[uintptr]int{}
		var kept []any
		for i := range 4 {
			u := new(unstructured.Unstructured)
			if err := decodeUnstructured(enc, body, u); err != nil || !reflect.DeepEqual(u.Object, object) {
				t.Fatal(err)
			}
			kept = append(kept, u)
			eachMutable(reflect.ValueOf(u.Object), func(at uintptr) {
				if owner, taken := owners[at]; taken && owner != i {
					t.Errorf("%v: two objects share memory", enc)
				}
				owners[at] = i
			})
		}
		keys := slices.Sorted(maps.Keys(object))
		delete(kept[0].(*unstructured.Unstructured).Object, keys[r.IntN(len(keys))])
		if !reflect.DeepEqual(kept[1].(*unstructured.Unstructured).Object, object) {
			t.Errorf("%v: a change is visible in another object", enc)
		}
	}
}
