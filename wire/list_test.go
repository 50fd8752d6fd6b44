package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var podOptions = Options{APIVersion: "v1", Kind: "Pod"}

func TestList(t *testing.T) {
	for _, enc := range allEncodings {
		for _, n := range []int{0, 1, 2, 5, 100} {
			t.Run(fmt.Sprintf("%v/%d", enc, n), func(t *testing.T) {
				body := encode(t, enc, testPods(n))
				items, meta := readList(t, bytes.NewReader(body), enc, podOptions)
				if want := (ListMeta{Version: 5000, Continue: "next", Remaining: 7}); meta != want {
					t.Errorf("got metadata %+v, want %+v", meta, want)
				}
				if last := items[len(items)-1]; last.err != io.EOF.Error() || len(items) != n+1 {
					t.Fatalf("got %d items, the last with %q", len(items), last.err)
				}
				for i, it := range items[:n] {
					checkPod(t, it.rec, testPod(i))
				}
			})
		}
	}
}

// checkPod compares a record with its pod.
func checkPod(t *testing.T, rec Record, want corev1.Pod) {
	t.Helper()
	key := Key{Namespace: want.Namespace, Name: want.Name}
	if rec.Key != key || rec.UID != string(want.UID) || rec.Version.String() != want.ResourceVersion {
		t.Errorf("got record %v %v %v, want %v", rec.Key, rec.UID, rec.Version, key)
	}
	if got := maps.Collect(rec.Labels()); !maps.Equal(got, want.Labels) {
		t.Errorf("got labels %q, want %q", got, want.Labels)
	}
	if rec.Encoding == JSON && !json.Valid(rec.Body) {
		t.Errorf("%v is not JSON: %s", key, rec.Body)
	}
	got, err := Codec[corev1.Pod]{}.Decode(rec)
	if err != nil {
		t.Fatal(err)
	}
	want.ManagedFields = nil
	want.TypeMeta = got.TypeMeta
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("%v (-want +got):\n%s", key, diff)
	}
}

func TestManagedFieldsAreKeptOnDemand(t *testing.T) {
	for _, enc := range allEncodings {
		body := encode(t, enc, testPods(8))
		opts := podOptions
		opts.ManagedFields = KeepManagedFields
		items, _ := readList(t, bytes.NewReader(body), enc, opts)
		for i, it := range items[:8] {
			got, err := Codec[corev1.Pod]{}.Decode(it.rec)
			if err != nil || len(got.ManagedFields) != managed(i) {
				t.Errorf("%v: got %d entries, want %d; %v", enc, len(got.ManagedFields), managed(i), err)
			}
			if !bytes.Contains(body, it.rec.Body) {
				t.Errorf("%v: the record differs from the sent bytes", enc)
			}
		}
	}
}

// TestManagedFieldsAnywhere checks that managedFields are removed from JSON at any
// position.
func TestManagedFieldsAnywhere(t *testing.T) {
	const mf = `"managedFields":[{"manager":"x","fieldsV1":{"a":"]}"}}]`
	for _, c := range []struct{ metadata, want string }{
		{`{` + mf + `,"name":"x"}`, `{"name":"x"}`},
		{`{"name":"x",` + mf + `}`, `{"name":"x"}`},
		{`{"name":"x",` + mf + `,"uid":"u"}`, `{"name":"x","uid":"u"}`},
		{"{ \n" + mf + " , \"name\" : \"x\" }", `{"name":"x"}`},
		{"{\"name\":\"x\" ,\n " + mf + "\n}", `{"name":"x"}`},
		{`{` + mf + `,` + mf + `,"name":"x"}`, `{"name":"x"}`},
		{`{` + mf + `,"name":"x",` + mf + `}`, `{"name":"x"}`},
		{`{"name":"x",` + mf + `,` + mf + `}`, `{"name":"x"}`},
		{`{"name":"x","man\u0061gedFields":[1]}`, `{"name":"x"}`},
		{`{"name":"x","managedFields":null}`, `{"name":"x"}`},
	} {
		for _, around := range []string{`{"metadata":%s}`, `{"kind":"Pod","metadata":%s,"spec":{"managedFields":[1]}}`} {
			body := `{"kind":"PodList","apiVersion":"v1","items":[` + fmt.Sprintf(around, c.metadata) + `]}`
			items, _ := readList(t, strings.NewReader(body), JSON, podOptions)
			var got, want any
			if err := json.Unmarshal(items[0].rec.Body, &got); err != nil {
				t.Fatalf("%s: got %v: %s (%s)", body, err, items[0].rec.Body, items[0].err)
			}
			if err := json.Unmarshal(fmt.Appendf(nil, around, c.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.metadata, diff)
			}
		}
	}
}

func TestListOfCustomResources(t *testing.T) {
	list := unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "JobList", "metadata": map[string]any{"resourceVersion": "9"}}}
	for i := range 3 {
		list.Items = append(list.Items, unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Job",
			"metadata": map[string]any{"name": fmt.Sprint("job-", i), "resourceVersion": fmt.Sprint(i + 1), "managedFields": []any{map[string]any{"manager": "m"}}},
			"spec":     map[string]any{"big": int64(9007199254740993), "fraction": 1.5, "none": nil, "deep": []any{map[string]any{"x": []any{}}}},
		}})
	}
	body, err := list.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	items, meta := readList(t, bytes.NewReader(body), JSON, Options{APIVersion: "example.com/v1", Kind: "Job"})
	if meta.Version != 9 || len(items) != 4 {
		t.Fatalf("got %+v, %d items", meta, len(items))
	}
	for i, it := range items[:3] {
		got, err := Codec[unstructured.Unstructured]{}.Decode(it.rec)
		if err != nil {
			t.Fatal(err)
		}
		unstructured.RemoveNestedField(list.Items[i].Object, "metadata", "managedFields")
		if diff := cmp.Diff(list.Items[i].Object, got.Object); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestListOfMetadata(t *testing.T) {
	for _, enc := range allEncodings {
		list := &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}}
		list.ResourceVersion = "8"
		list.Items = []metav1.PartialObjectMetadata{{ObjectMeta: testPod(3).ObjectMeta}}
		items, _ := readList(t, bytes.NewReader(encode(t, enc, list)), enc, Options{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"})
		got, err := Codec[metav1.PartialObjectMetadata]{}.Decode(items[0].rec)
		if err != nil || got.Name != "pod-3" || got.ManagedFields != nil {
			t.Errorf("%v: got %+v, %v", enc, got, err)
		}
	}
}

// TestListOfAnotherType checks that a list of another type is rejected.
func TestListOfAnotherType(t *testing.T) {
	for _, c := range []struct {
		body string
		opts Options
		ok   bool
	}{
		{`{"kind":"PodList","apiVersion":"v1","items":[]}`, podOptions, true},
		{`{"kind":"ConfigMapList","apiVersion":"v1","items":[]}`, podOptions, false},
		{`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}`, podOptions, false},
		{`{"kind":"Status","apiVersion":"v1"}`, podOptions, false},
		{`{"kind":"Status","apiVersion":"v1"}`, Options{}, false},
		{`{"items":[]}`, podOptions, false},
		{`{"kind":"Jobs","apiVersion":"example.com/v1","items":[]}`, Options{APIVersion: "example.com/v1", Kind: "Job"}, true},
		{`{"items":[],"kind":"Jobs","apiVersion":"example.com/v1"}`, Options{APIVersion: "example.com/v1", Kind: "Job"}, true},
		{`{"kind":"Jobs","apiVersion":"example.com/v1"}`, Options{APIVersion: "example.com/v1", Kind: "Job"}, false},
		{`{"kind":"Job","apiVersion":"example.com/v1","items":[]}`, Options{APIVersion: "example.com/v1", Kind: "Job"}, false},
		{`{"kind":"Jobs","apiVersion":"rbac.k8s.io/v1","items":[]}`, Options{APIVersion: "rbac.k8s.io/v1", Kind: "Job"}, false},
		{`{"kind":"List","apiVersion":"v1","items":[]}`, podOptions, true},
		{`{"kind":"List","apiVersion":"v1"}`, podOptions, false},
		{`{"kind":"AllJobsList","apiVersion":"example.com/v1","items":[]}`, Options{APIVersion: "example.com/v1", Kind: "Job"}, true},
		{`{"kind":"AllJobsList","apiVersion":"example.com/v2","items":[]}`, Options{APIVersion: "example.com/v1", Kind: "Job"}, false},
		{`{"kind":"OtherList","apiVersion":"rbac.k8s.io/v1","items":[]}`, Options{APIVersion: "rbac.k8s.io/v1", Kind: "Job"}, false},
		{`{"kind":"Anything","items":[]}`, Options{}, true},
	} {
		items, _ := readList(t, strings.NewReader(c.body), JSON, c.opts)
		if got := items[len(items)-1].err; (got == "EOF") != c.ok {
			t.Errorf("%s as %v: got %s", c.body, c.opts, got)
		}
	}
}

// TestUnusableItems checks that unusable items are skipped and reported, and that the
// list continues after them.
func TestUnusableItems(t *testing.T) {
	for _, c := range []struct{ object, want string }{
		{`{"metadata":{}}`, "no metadata.name"},
		{`{}`, "no metadata.name"},
		{`{"metadata":null}`, "no metadata.name"},
		{`{"metadata":[]}`, "metadata is not an object"},
		{`{"metadata":{"name":7}}`, "metadata.name is not a string"},
		{`{"metadata":{"name":"x","resourceVersion":"0x7"}}`, "not a decimal integer"},
		{`{"metadata":{"name":"x","resourceVersion":7}}`, "metadata.resourceVersion is not a string"},
		{`{"kind":"Node","apiVersion":"v1","metadata":{"name":"x"}}`, `a "Node" of "v1"`},
		{`{"kind":"Pod","apiVersion":"v2","metadata":{"name":"x"}}`, `a "Pod" of "v2"`},
		{`{"kind":3,"metadata":{"name":"x"}}`, "kind is not a string"},
		{`{"metadata":{"name":"x"},"metadata":{"name":"y"}}`, "metadata twice"},
		{`"text"`, "not a JSON object"},
		{`null`, "not a JSON object"},
		{`[{}]`, "not a JSON object"},
		{`-1.5e3`, "not a JSON object"},
	} {
		body := `{"kind":"PodList","apiVersion":"v1","items":[` + c.object + `,{"metadata":{"name":"next"}}]}`
		l := NewListReader(strings.NewReader(body), JSON, podOptions)
		_, err := l.Next()
		var invalid *InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.object, err, c.want)
			continue
		}
		if want := int64(strings.Index(body, c.object)); invalid.Offset != want {
			t.Errorf("%s: got offset %d, want %d", c.object, invalid.Offset, want)
		}
		if rec, err := l.Next(); err != nil || rec.Name != "next" {
			t.Errorf("%s: got next item %v, %v", c.object, rec.Key, err)
		}
	}
}

// TestDamagedJSON checks the offset of the damage, which § marks.
func TestDamagedJSON(t *testing.T) {
	const head = `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"x"},"spec":`
	for _, body := range []string{
		`§[]`, `§x`, `§"kind"`, `{§kind}`, `{"kind"§ "x"}`, `{"kind":"x"§ "y"}`, `{"kind":§}`, `{"kind":"PodList",§}`,
		head + `"a§` + "\n" + `"}]}`, head + `{"a":1§]}]}`, head + `[1 2§}]}`, head + `tRue,"x":"§` + "\n" + `"}]}`, head + `+1§` + "\x01" + `}]}`, head + `1}]}§{`, head + `1}],"items":[§` + `}`, `{"items":§7}`, `{"items":§{}}`,
	} {
		at := int64(strings.Index(body, "§"))
		text := strings.Replace(body, "§", "", 1)
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			l := NewListReader(r, JSON, podOptions)
			var err error
			for err == nil || isInvalid(err) {
				_, err = l.Next()
			}
			var damage *SyntaxError
			if !errors.As(err, &damage) || damage.Offset != at && damage.Offset != at+1 {
				t.Errorf("%s: got %v, want damage at %d", text, err, at)
			}
		}
	}
}

// TestCutLists truncates a list at every byte.
func TestCutLists(t *testing.T) {
	for _, enc := range allEncodings {
		body := bytes.TrimSpace(encode(t, enc, testPods(3)))
		for n := range len(body) {
			items, meta := readList(t, bytes.NewReader(body[:n]), enc, podOptions)
			last := items[len(items)-1].err
			if enc == Protobuf && wholeEnvelope(body, n) {
				continue // only empty fields follow the list
			}
			if last != io.ErrUnexpectedEOF.Error() || meta != (ListMeta{}) {
				t.Fatalf("%v truncated at %d of %d: got %s, %+v", enc, n, len(body), last, meta)
			}
		}
	}
}

// wholeEnvelope reports whether the list message of a protobuf body ends at or before n,
// and n is between two fields of its envelope.
func wholeEnvelope(body []byte, n int) bool {
	items, _ := readList(&testing.B{}, bytes.NewReader(body[:n]), Protobuf, podOptions)
	rest := len(body) - n
	return rest <= 4 && items[len(items)-1].err == "EOF"
}

// TestRecordsComeAsSoonAsTheirBytes fails if a reader needs more bytes than those of a
// record to return it.
func TestRecordsComeAsSoonAsTheirBytes(t *testing.T) {
	for _, enc := range allEncodings {
		body := encode(t, enc, testPods(5))
		whole := podOptions
		whole.ManagedFields = KeepManagedFields
		items, _ := readList(t, bytes.NewReader(body), enc, whole)
		at := 0
		for i := range 5 {
			// end of the i-th item
			tail := items[i].rec.Body[len(items[i].rec.Body)-30:]
			at += bytes.Index(body[at:], tail) + len(tail)
			l := NewListReader(io.MultiReader(bytes.NewReader(body[:at]), failing{t}), enc, podOptions)
			for range i + 1 {
				if _, err := l.Next(); err != nil {
					t.Fatalf("%v: got %v", enc, err)
				}
			}
		}
	}
}

type failing struct{ t *testing.T }

func (f failing) Read([]byte) (int, error) {
	f.t.Error("the reader read beyond the record")
	return 0, io.EOF
}

func TestErrorsOfTheReader(t *testing.T) {
	broken := errors.New("broken")
	for _, enc := range allEncodings {
		body := encode(t, enc, testPods(3))
		r := io.MultiReader(bytes.NewReader(body[:len(body)/2]), iotest.ErrReader(broken))
		l := NewListReader(r, enc, podOptions)
		var err error
		for err == nil {
			_, err = l.Next()
		}
		if !errors.Is(err, broken) {
			t.Errorf("%v: got %v", enc, err)
		}
		l = NewListReader(stuck{}, enc, podOptions)
		if _, err := l.Next(); !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("%v: got %v", enc, err)
		}
	}
	if _, err := NewListReader(nil, 9, Options{}).Next(); err == nil {
		t.Error("got no error for a list in an unknown encoding")
	}
	if _, err := NewWatchReader(nil, 9, Options{}).Next(); err == nil {
		t.Error("got no error for a watch in an unknown encoding")
	}
}

// stuck returns neither bytes nor an error.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestLabelsEndEarly(t *testing.T) {
	for _, enc := range allEncodings {
		items, _ := readList(t, bytes.NewReader(encode(t, enc, testPods(2))), enc, podOptions)
		rec := items[1].rec
		n := 0
		for range rec.Labels() {
			n++
			break
		}
		if v, ok := rec.Label("app"); n != 1 || v != "app-1" || !ok {
			t.Errorf("%v: got %d, %q, %v", enc, n, v, ok)
		}
		if _, ok := rec.Label("none"); ok {
			t.Errorf("%v: got a label that does not exist", enc)
		}
	}
	for _, body := range []string{`{}`, `{"metadata":{}}`, `{"metadata":{"labels":null}}`, `{"metadata":null}`, ``, `{"metadata":{"labels":{"a":1}}}`} {
		got := maps.Collect(Record{Encoding: JSON, Body: []byte(body)}.Labels())
		if len(got) > 0 && !slices.Contains([]string{`{"metadata":{"labels":{"a":1}}}`}, body) {
			t.Errorf("%s: got %q", body, got)
		}
	}
}

// TestRemoveSpans checks that the cuts are removed, and that the larger end is not moved.
func TestRemoveSpans(t *testing.T) {
	for _, c := range []struct {
		cuts  []span
		want  string
		start bool // the result begins where the input began
	}{
		{[]span{{10, 12}}, "23456789abcdefghij", false},
		{[]span{{11, 12}}, "023456789abcdefghij", false},
		{[]span{{11, 12}, {13, 15}}, "0256789abcdefghij", false},
		{[]span{{28, 30}}, "0123456789abcdefgh", true},
		{[]span{{27, 28}}, "0123456789abcdefgij"[:17] + "ij", true},
		{[]span{{24, 25}, {26, 28}}, "0123456789abcdfij", true},
	} {
		b := []byte("0123456789abcdefghij")
		got := removeSpans(b, 10, c.cuts)
		if want := c.want; string(got) != want {
			t.Errorf("%v: got %s, want %s", c.cuts, got, want)
		}
		if start, end := &got[0] == &b[0], &got[len(got)-1] == &b[len(b)-1]; start != c.start || end == c.start {
			t.Errorf("%v: the larger part was moved", c.cuts)
		}
	}
}
