package portal

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// streamOf returns a stream that begins at a position, with changes at positions, in events of
// a few changes.
func streamOf(random *rand.Rand, from int64, positions []int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "event: beat\ndata: {\"now\":\"2026-11-22T10:00:00Z\",\"position\":%d,\"lag\":0.1}\n\n", from)
	for len(positions) > 0 {
		n := min(len(positions), 1+random.IntN(60))
		var changes []string
		for _, p := range positions[:n] {
			changes = append(changes, fmt.Sprintf(`{"position":%d,"kind":"new","job":{"id":7,"name":%q}}`, p, strings.Repeat("x", random.IntN(3000))))
		}
		fmt.Fprintf(&b, "event: changes\nid: %d\ndata: {\"changes\":[%s]}\n\n", positions[n-1], strings.Join(changes, ","))
		positions = positions[n:]
	}
	return b.String()
}

// followed returns a client that has read a stream to its end.
func followed(t *testing.T, random *rand.Rand, stream string) *follower {
	t.Helper()
	loads := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/jobs") {
			loads++
			return
		}
		rest := stream
		for len(rest) > 0 {
			n := min(len(rest), 1+random.IntN(5000))
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Error(err)
				return
			}
			if random.IntN(4) == 0 {
				w.(http.Flusher).Flush()
			}
			rest = rest[n:]
		}
	}))
	defer s.Close()
	f := newFollower(s.URL, false)
	if err := f.connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer f.close()
	f.run(t.Context(), make(chan struct{}, 1))
	if f.loads != loads || f.loads != f.resets {
		t.Errorf("%d loads, %d counted, after %d resets", loads, f.loads, f.resets)
	}
	return f
}

// TestFollower: a client counts each change however the stream is split into parts, and its
// hash detects a lost or reordered change.
func TestFollower(t *testing.T) {
	random := testinput.Rand(t)
	for range 30 {
		from, position := int64(random.IntN(1_000_000)), int64(0)
		var positions []int64
		for position = from; len(positions) < 200; {
			position += 1 + int64(random.IntN(3))
			positions = append(positions, position)
		}
		sums := sumsOf(positions, from)
		f := followed(t, random, streamOf(random, from, positions))
		if f.from != from || f.changes != len(positions) || f.sum != sums[len(positions)] || f.wrong+f.again > 0 {
			t.Fatalf("from %d: %d changes of %d, %d wrong, %d again", f.from, f.changes, len(positions), f.wrong, f.again)
		}
		lost := append(append([]int64(nil), positions[:77]...), positions[78:]...)
		if f := followed(t, random, streamOf(random, from, lost)); f.sum == sums[f.changes] {
			t.Fatal("a lost change was not detected")
		}
		positions[100], positions[101] = positions[101], positions[100]
		if f := followed(t, random, streamOf(random, from, positions)); f.wrong != 1 || f.sum == sums[f.changes] {
			t.Fatal("reordered changes were not detected")
		}
	}
}

// TestFollowerLoadsAgain: a client reloads the list after a reset.
func TestFollowerLoadsAgain(t *testing.T) {
	random := testinput.Rand(t)
	stream := streamOf(random, 5, []int64{6, 7}) + "event: reset\ndata: {\"reason\":\"behind\",\"position\":90}\n\n" + strings.TrimPrefix(streamOf(random, 90, []int64{91, 92}), "event: beat")
	if f := followed(t, random, stream); f.resets != 1 || f.changes != 4 || f.last != 92 {
		t.Errorf("%d resets, %d changes up to %d", f.resets, f.changes, f.last)
	}
}
