package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

func TestSharedText(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 2*internMax).Draw(t, "text")
		for range 4 {
			s := sharedText(slices.Clone(b))
			again := slices.Clone(b)
			if len(again) > 0 {
				i := rapid.IntRange(0, len(b)-1).Draw(t, "at")
				again[i]++ // another text, possibly with the same hash
				if got := sharedText(again); got != string(again) {
					t.Fatalf("got %[2]q, want %[1]q", again, got)
				}
			}
			if s != string(b) {
				t.Fatalf("got %[2]q, want %[1]q", b, s)
			}
		}
	})
}

// TestTextsOfOneHash checks texts that differ only in bytes that the hash ignores.
func TestTextsOfOneHash(t *testing.T) {
	a := []byte(strings.Repeat("x", 100))
	b := slices.Clone(a)
	b[15] = 'y'
	h1, m1 := hashText(a)
	if h2, m2 := hashText(b); h1 != h2 || m1 != m2 {
		t.Fatal("the texts have different hashes")
	}
	for range 4 {
		for _, text := range [][]byte{a, a, b, b} {
			if got := sharedText(text); got != string(text) {
				t.Errorf("got %[2]q, want %[1]q", text, got)
			}
			if got := boxed(text); got != string(text) {
				t.Errorf("got %[2]q in an interface, want %[1]q", text, got)
			}
		}
	}
}

// TestTextsAreShared checks that a string is shared from its third occurrence on, unless
// it is long.
func TestTextsAreShared(t *testing.T) {
	for text, want := range map[string]bool{
		"ab": true, "value-of-a-variable": true, strings.Repeat("x", internMax): true, strings.Repeat("x", internMax+1): false,
	} {
		sharedText([]byte(text))
		second, third := sharedText([]byte(text)), sharedText([]byte(text))
		if got := unsafe.StringData(second) == unsafe.StringData(third); got != want {
			t.Errorf("%.20q of %d bytes: got shared = %v", text, len(text), got)
		}
	}
}

// TestInternedMemoryIsBounded checks that a million strings that occur twice use no more
// memory than the table has slots.
func TestInternedMemoryIsBounded(t *testing.T) {
	for i := range testinput.Size(t, 8<<internBits, 1<<17) {
		for range 2 {
			sharedText(fmt.Appendf(nil, "text-%0100d", i))
			boxed(fmt.Appendf(nil, "text-%0100d", i))
		}
	}
	bytes := 0
	for i := range sharedTexts {
		if p := sharedTexts[i].known.Load(); p != nil {
			bytes += len(stringAt(p))
		}
		if known := boxes[i].known.Load(); known != nil {
			bytes += len(known.text)
		}
	}
	if bytes > 2*internMax<<internBits {
		t.Errorf("got %d bytes", bytes)
	}
}

// TestInternersConcurrently is for the race detector.
func TestInternersConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 20_000 {
				want := fmt.Sprintf("text-%d", i%3000)
				if got := sharedText([]byte(want)); got != want {
					t.Errorf("got %[2]q, want %[1]q", want, got)
				}
				if got := boxed([]byte(want)); got != want {
					t.Errorf("got %[2]q, want %[1]q", want, got)
				}
				var q, p resource.Quantity
				want = fmt.Sprintf("%dMi", i%300)
				if err := unmarshalQuantity(&q, []byte(lengthField(1, want))); err != nil {
					t.Error(err)
				}
				if p = resource.MustParse(want); !reflect.DeepEqual(q, p) {
					t.Errorf("got %[2]v, want %[1]v", p, q)
				}
			}
		})
	}
	wg.Wait()
}

// TestQuantitiesAreCopies checks that changing a quantity of one object does not change
// another object, and that quantities with pointers are not cached.
func TestQuantitiesAreCopies(t *testing.T) {
	for _, text := range []string{"250m", "1", "512Mi", "1.5", "1e3", "123456789012345678901234567890", "0.1234567890123"} {
		body := []byte(lengthField(1, lengthField(1, "cpu"), lengthField(2, lengthField(1, text))))
		var all []*corev1.ResourceRequirements
		for range 4 {
			r := new(corev1.ResourceRequirements)
			if err := decodePlanned(body, r, private); err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		for i, r := range all {
			q := r.Limits["cpu"]
			if want := resource.MustParse(text); q.Cmp(want) != 0 || q.String() != want.String() {
				t.Errorf("occurrence %d of %s: got %s", i, text, q.String())
			}
			q.Add(resource.MustParse("7"))
			q.Neg()
			r.Limits["cpu"] = q
		}
	}
}
