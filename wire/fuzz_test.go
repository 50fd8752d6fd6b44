package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"github.com/vedette-io/vedette/internal/testinput"
)

// fuzzMax is the limit of a record in fuzzing. It is small, so that inputs exceed it.
const fuzzMax = 1 << 10

var fuzzOptions = Options{APIVersion: "v1", Kind: "Pod", MaxRecord: fuzzMax}

// chunks returns data in reads of random sizes, most of them small.
func chunks(data []byte, seed uint64) io.Reader {
	chance := rand.New(rand.NewPCG(seed, 0))
	return readerFunc(func(p []byte) (int, error) {
		n := min(len(p), len(data), 1+chance.IntN(1+chance.IntN(64)))
		if len(data) == 0 {
			return 0, io.EOF
		}
		copy(p, data[:n])
		data = data[n:]
		return n, nil
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// fuzz runs one target. Any chunking must give the same items, without a panic or a hang.
func fuzz(f *testing.F, seeds [][]byte, read func(testing.TB, io.Reader) ([]item, *window), check func(*testing.T, []byte, []item)) {
	for _, s := range seeds {
		f.Add(s, uint64(1))
		f.Add(s[:len(s)/2], uint64(2))
		damaged := bytes.Clone(s)
		damaged[len(damaged)/3] ^= 0x15
		f.Add(damaged, uint64(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		whole, w := read(t, bytes.NewReader(data))
		for name, r := range map[string]io.Reader{"random": chunks(data, seed), "single bytes": iotest.OneByteReader(bytes.NewReader(data))} {
			parts, w := read(t, r)
			if !slices.EqualFunc(whole, parts, sameItem) {
				t.Errorf("different items for whole data and chunks (%s):\n%+v\n%+v", name, whole, parts)
			}
			if cap(w.buf) > 2*fuzzMax+fullChunk {
				t.Errorf("got a buffer of %d bytes", cap(w.buf))
			}
		}
		if cap(w.buf) > 2*fuzzMax+fullChunk {
			t.Errorf("got a buffer of %d bytes", cap(w.buf))
		}
		check(t, data, whole)
	})
}

func sameItem(a, b item) bool {
	return a.rec.Key == b.rec.Key && a.rec.UID == b.rec.UID && a.rec.Version == b.rec.Version &&
		bytes.Equal(a.rec.Body, b.rec.Body) && a.event == b.event && a.end == b.end && a.err == b.err && a.invalid == b.invalid
}

func fuzzList(enc Encoding) func(testing.TB, io.Reader) ([]item, *window) {
	return func(t testing.TB, r io.Reader) ([]item, *window) {
		l := NewListReader(r, enc, fuzzOptions)
		items := drain(t, func() (item, error) {
			rec, err := l.Next()
			return item{rec: copied(rec)}, err
		})
		return items, windowOf(l.src)
	}
}

func fuzzWatch(enc Encoding) func(testing.TB, io.Reader) ([]item, *window) {
	return func(t testing.TB, r io.Reader) ([]item, *window) {
		w := NewWatchReader(r, enc, fuzzOptions)
		items := drain(t, func() (item, error) {
			ev, err := w.Next()
			return item{rec: copied(ev.Record), event: ev.Type, end: ev.InitialEventsEnd}, err
		})
		return items, windowOf(w.src)
	}
}

func drain(t testing.TB, next func() (item, error)) (items []item) {
	for {
		it, err := next()
		it = it.failed(err)
		items = append(items, it)
		if err != nil && !isInvalid(err) {
			return items
		}
		if len(items) > 1<<20 {
			t.Fatal("the reader does not end")
		}
	}
}

// checkRecords checks the properties of every record.
func checkRecords(t *testing.T, _ []byte, items []item) {
	for _, it := range items {
		if it.err != "" || it.rec.Body == nil {
			continue
		}
		if it.rec.Name == "" {
			t.Error("got a record without a name")
		}
		if it.rec.Encoding == JSON && !json.Valid(it.rec.Body) {
			t.Errorf("got a record that is not JSON: %q", it.rec.Body)
		}
		if _, err := direct.Diagnose(it.rec.Body); it.rec.Encoding == CBOR && err != nil && utf8.Valid(it.rec.Body) {
			t.Errorf("got a record that is not CBOR: %v: %x", err, it.rec.Body)
		}
		for range it.rec.Labels() {
		}
	}
}

func listSeeds(f *testing.F, enc Encoding) [][]byte {
	large := testPods(3)
	large.Items[1].Annotations["large"] = strings.Repeat("x", 2*fuzzMax)
	return [][]byte{encode(f, enc, testPods(0)), encode(f, enc, testPods(4)), encode(f, enc, large)}
}

// watchSeeds returns seeds, including an object that is too large.
func watchSeeds(f *testing.F, enc Encoding) [][]byte {
	large := testPod(1)
	large.Annotations["large"] = strings.Repeat("x", 2*fuzzMax)
	return [][]byte{stream(f, enc), append(frame(f, enc, "DELETED", typed(large)), stream(f, enc)...)}
}

func FuzzListProtobuf(f *testing.F) {
	fuzz(f, listSeeds(f, Protobuf), fuzzList(Protobuf), checkRecords)
}

func FuzzListJSON(f *testing.F) {
	seeds := append(listSeeds(f, JSON),
		[]byte(`{"items":[{"metadata":{"managedFields":[1],"managedFields":[2],"name":"x"}}]}`),
		[]byte(`{"items":null,"metadata":{"resourceVersion":"7","remainingItemCount":1e3}} `),
		[]byte(`{"items":[{"metadata":{"name":"x","annotations":A{"note":"y"}}}]}`),
		[]byte(strings.Repeat(" ", 2*fuzzMax)+`{d`),
		[]byte(`{"items":[`+strings.Repeat("\n", 2*fuzzMax)+`{"metadata":{"name":"x"}}`+strings.Repeat("\t", 2*fuzzMax)+`]}`))
	fuzz(f, seeds, fuzzList(JSON), func(t *testing.T, data []byte, items []item) {
		checkRecords(t, data, items)
		// A list that is read to its end is JSON, unless one of its objects is not.
		// (encoding/json accepts larger values and limits nesting, so the reverse does
		// not hold.)
		odd := slices.ContainsFunc(items, func(it item) bool {
			// Only the first of several faults of an object is reported.
			return strings.Contains(it.invalid.Reason, "damaged") || strings.HasSuffix(it.invalid.Reason, " is not a string") || strings.HasSuffix(it.invalid.Reason, " is not an object") || strings.Contains(it.invalid.Reason, " is not a JSON object")
		})
		if items[len(items)-1].err == io.EOF.Error() && !odd && bytes.Count(data, []byte("[")) < 10_000 && !json.Valid(data) {
			t.Errorf("accepted, but not JSON: %q", data)
		}
	})
}

func FuzzWatchProtobuf(f *testing.F) {
	fuzz(f, watchSeeds(f, Protobuf), fuzzWatch(Protobuf), checkRecords)
}

func FuzzWatchJSON(f *testing.F) {
	fuzz(f, watchSeeds(f, JSON), fuzzWatch(JSON), checkRecords)
}

func FuzzListCBOR(f *testing.F) {
	r := testinput.Rand(f)
	seeds := append(listSeeds(f, CBOR), odd(r, fromJSON(f, string(encode(f, JSON, testPods(2))))))
	fuzz(f, seeds, fuzzList(CBOR), checkRecords)
}

func FuzzWatchCBOR(f *testing.F) {
	fuzz(f, watchSeeds(f, CBOR), fuzzWatch(CBOR), checkRecords)
}

// fuzzPaths contain every kind of step and value.
var fuzzPaths = []string{
	"metadata.name", "metadata.creationTimestamp", "metadata.generation", "metadata.labels.app", "metadata.labels[*]",
	"metadata.ownerReferences[*].controller", "spec.volumes[*].configMap.name", "spec.containers[*].resources.limits[*]",
	"spec.containers[*].ports[*].containerPort", "spec.containers[*].livenessProbe.httpGet.port",
	"spec.securityContext.supplementalGroups[*]", `status.conditions[?(@.type=="Ready")].status`,
}

// FuzzFields reads fields of unvalidated bodies, without a panic or a hang, and with no
// more bytes than the body can contain.
func FuzzFields(f *testing.F) {
	var fields []*Field
	for _, path := range fuzzPaths {
		typed, err := FieldOf[corev1.Pod](path)
		if err != nil {
			f.Fatal(err)
		}
		loose, err := FieldOf[unstructured.Unstructured](path)
		if err != nil {
			f.Fatal(err)
		}
		fields = append(fields, typed, loose)
	}
	pod := testPod(1)
	for _, seed := range [][]byte{encode(f, JSON, typed(pod)), mustMarshal(f, &pod), mustCBOR(f, &pod), []byte(`"a\u0062\ud83e\udd16\ud83e\n"`), []byte(`"\\\\\""`)} {
		f.Add(seed)
		f.Add(seed[:len(seed)/2])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, enc := range allEncodings {
			for _, field := range fields {
				text := 0
				field.Each(Record{Encoding: enc, Body: body}, func(v []byte) bool {
					text += len(v)
					return true
				})
				// A time of two bytes has a text of up to thirty bytes, and half a
				// surrogate pair one of three.
				if text > 40*len(body) {
					t.Fatalf("%s in %v: got %d bytes from %d", field.Path(), enc, text, len(body))
				}
			}
		}
		var want string
		if json.Unmarshal(body, &want) != nil || !utf8.Valid(body) || body[0] == 'n' {
			return
		}
		any, _ := FieldOf[unstructured.Unstructured]("x")
		got := any.Append([]string{""}, Record{Encoding: JSON, Body: slices.Concat([]byte(`{"x":`), body, []byte("}"))})
		if got[len(got)-1] != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	})
}
