package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/big"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

// rangesOf returns all ranges of a division.
func rangesOf(n int) (all []UIDRange) {
	for i := range n {
		all = append(all, UIDRange{Index: i, Count: n})
	}
	return all
}

// serverSelects reports what a server with KEP-5866 does with a selector in the form of
// UIDRange.Selector. Package differential of conformance compares with Kubernetes itself.
func serverSelects(t *rapid.T, selector, uid string) bool {
	t.Helper()
	var start, end big.Int
	if _, err := fmt.Sscanf(strings.NewReplacer("(", " ", ",", " ", ")", " ", "'", "").Replace(selector), "shardRange object.metadata.uid %v %v", &start, &end); err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	if _, err := io.WriteString(h, uid); err != nil {
		t.Fatal(err)
	}
	hash := new(big.Int).SetUint64(h.Sum64())
	return start.Cmp(hash) <= 0 && hash.Cmp(&end) < 0
}

// TestUIDRangesModel compares ranges with the selector of Kubernetes: each object is in
// exactly one range of a division, in the same one as on the server, and in all ranges that
// include this one.
func TestUIDRangesModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		uid := rapid.StringN(0, 40, -1).Draw(t, "uid")
		n := 1 << rapid.IntRange(1, 8).Draw(t, "bits")
		found := UIDRange{Index: -1}
		for _, r := range rangesOf(n) {
			if err := r.Check(); err != nil {
				t.Fatal(err)
			}
			if got, want := r.Contains(uid), serverSelects(t, r.Selector(), uid); got != want {
				t.Fatalf("range %s contains %q: %v, on the server %v", r, uid, got, want)
			}
			if r.Contains(uid) {
				if found.Index >= 0 {
					t.Fatalf("%q is in %s and in %s", uid, found, r)
				}
				found = r
			}
		}
		if found.Index < 0 {
			t.Fatalf("%q is in no range of %d", uid, n)
		}
		for m := 1; m <= MaxUIDRanges; m *= 2 {
			for _, r := range rangesOf(m) {
				if r.Includes(found) && !r.Contains(uid) {
					t.Fatalf("range %s includes %s, but lacks %q", r, found, uid)
				}
				if m <= n && r.Contains(uid) && !r.Includes(found) {
					t.Fatalf("range %s does not include %s", r, found)
				}
			}
		}
	})
}

func TestInvalidUIDRanges(t *testing.T) {
	for _, r := range []UIDRange{{0, 3}, {0, 512}, {4, 4}, {-1, 4}, {1, 0}, {1, 1}, {0, -1}} {
		if r.Check() == nil {
			t.Errorf("%+v is accepted", r)
		}
	}
	for _, r := range []UIDRange{{}, {0, 1}, {0, 2}, {255, 256}} {
		if err := r.Check(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// encodeShard encodes a list whose metadata names the selector of a server with KEP-5866. The
// types of Kubernetes have that field since 1.36.
func encodeShard(t *testing.T, enc Encoding, pods *corev1.PodList, selector string) []byte {
	t.Helper()
	if enc == Protobuf {
		field := func(number byte, value []byte) []byte {
			return append(binary.AppendUvarint([]byte{number<<3 | 2}, uint64(len(value))), value...)
		}
		meta, err := pods.ListMeta.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := pods.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		items := raw[len(field(1, meta)):]
		unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "PodList"}}
		unknown.Raw = append(field(1, append(meta, field(5, field(1, []byte(selector)))...)), items...)
		body, err := unknown.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return append([]byte("k8s\x00"), body...)
	}
	var list unstructured.Unstructured
	if err := json.Unmarshal(encode(t, JSON, pods), &list.Object); err != nil {
		t.Fatal(err)
	}
	if err := unstructured.SetNestedField(list.Object, selector, "metadata", "shardInfo", "selector"); err != nil {
		t.Fatal(err)
	}
	return encode(t, enc, &list)
}

// TestListOfUIDRange reads a list in each encoding, from a server that does not select, from
// one that does, and from one that selects something else.
func TestListOfUIDRange(t *testing.T) {
	mine := UIDRange{Index: 2, Count: 4}
	for _, enc := range allEncodings {
		pods := testPods(40)
		pods.Items[0].UID = "" // it is in one range, too
		want := 0
		for i := range pods.Items {
			if mine.Contains(string(pods.Items[i].UID)) {
				want++
			}
		}
		body := encode(t, enc, pods)
		read := func(uids UIDRange) (n int, l *ListReader, err error) {
			l = NewListReader(bytes.NewReader(body), enc, Options{UIDs: uids})
			for {
				rec, err := l.Next()
				if err != nil {
					return n, l, err
				}
				if !uids.Contains(rec.UID) {
					t.Fatalf("%s: %s is not in the range", enc, rec.Key)
				}
				n++
			}
		}
		n, l, err := read(mine)
		if err != io.EOF || n != want || l.Skipped() != int64(40-want) || l.Meta().Version != 5000 {
			t.Errorf("%s: %d objects, %d skipped, %+v, %v; want %d", enc, n, l.Skipped(), l.Meta(), err, want)
		}
		body = encodeShard(t, enc, pods, mine.Selector())
		if _, l, err = read(mine); err != io.EOF || l.Meta().ShardSelector != mine.Selector() {
			t.Errorf("%s: the server selects: %+v, %v", enc, l.Meta(), err)
		}
		for _, other := range []UIDRange{{}, {Index: 1, Count: 4}, {Index: 2, Count: 8}} {
			if _, _, err = read(other); err == nil || !strings.Contains(err.Error(), "selected a part") {
				t.Errorf("%s: the server selects %s instead of %q: %v", enc, mine, other, err)
			}
		}
	}
}

// TestWatchOfUIDRange reads a watch with objects inside and outside of a range.
func TestWatchOfUIDRange(t *testing.T) {
	mine := UIDRange{Index: 1, Count: 2}
	for _, enc := range allEncodings {
		var body []byte
		want := 0
		for i := range 20 {
			pod := testPod(i)
			pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
			if mine.Contains(string(pod.UID)) {
				want++
			}
			body = append(body, frame(t, enc, "MODIFIED", &pod)...)
		}
		w := NewWatchReader(bytes.NewReader(body), enc, Options{UIDs: mine})
		n := 0
		for {
			ev, err := w.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if !mine.Contains(ev.Record.UID) {
				t.Fatalf("%s: %s is not in the range", enc, ev.Record.Key)
			}
			n++
		}
		if n != want || w.Skipped() != int64(20-want) {
			t.Errorf("%s: %d events, %d skipped, want %d", enc, n, w.Skipped(), want)
		}
	}
}

// watchOf returns the events of n pods of a cluster.
func watchOf(t testing.TB, enc Encoding, n int) []byte {
	var stream []byte
	for i := range n {
		stream = append(stream, frame(t, enc, "MODIFIED", clusterPod(i))...)
	}
	return stream
}

// readWatchOf reads the events of a watch that are in a range, and returns how many they are.
func readWatchOf(t testing.TB, stream []byte, enc Encoding, r UIDRange) (n int) {
	w := NewWatchReader(bytes.NewReader(stream), enc, Options{APIVersion: "v1", Kind: "Pod", UIDs: r})
	for ; ; n++ {
		if _, err := w.Next(); err == io.EOF {
			return n
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestSkippedAllocations checks that an object that is not in the range costs no memory of its own.
func TestSkippedAllocations(t *testing.T) {
	if poison {
		return // the race detector allocates too
	}
	const n = 2000
	for _, enc := range allEncodings {
		stream := watchOf(t, enc, n)
		var read int
		readWatchOf(t, stream, enc, UIDRange{Index: 1, Count: 256})
		allocs, size := costOf(1, func(int) { read = readWatchOf(t, stream, enc, UIDRange{Index: 1, Count: 256}) })
		t.Logf("%v: %d of %d objects read; %.0f allocations, %.0f bytes for each", enc, read, n, allocs/n, size/n)
		// The chunks of the stream come from a pool. The reader itself allocates a few objects.
		if allocs/n > 0.1 || size/n > 1000 || read > n/50 {
			t.Errorf("%v: got %.2f allocations and %.0f bytes for each of %d objects, of which %d were read", enc, allocs/n, size/n, n, read)
		}
	}
}

// BenchmarkSkipped compares the cost of reading an event with the cost of skipping it.
func BenchmarkSkipped(b *testing.B) {
	const n = 2000
	for _, enc := range allEncodings {
		stream := watchOf(b, enc, n)
		for name, r := range map[string]UIDRange{"read": {}, "skipped": {Index: 1, Count: 256}} {
			b.Run(fmt.Sprint(enc, "/", name), func(b *testing.B) {
				b.SetBytes(int64(len(stream) / n))
				for range b.N/n + 1 {
					readWatchOf(b, stream, enc, r)
				}
			})
		}
	}
}
