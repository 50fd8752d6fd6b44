package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1 "k8s.io/api/core/v1"
)

// bookmark returns the object of a bookmark event.
func bookmark(version, end string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}}
	if end != "" {
		p.Annotations = map[string]string{initialEventsEnd: end, "other": "true"}
	}
	return typed(*p)
}

func expired() *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: "Failure", Code: 410, Reason: metav1.StatusReasonExpired,
		Message: "too old", Details: &metav1.StatusDetails{RetryAfterSeconds: 3},
	}
}

// stream returns a watch with events of all types.
func stream(t testing.TB, enc Encoding) []byte {
	var b []byte
	b = append(b, frame(t, enc, "ADDED", typed(testPod(1)))...)
	b = append(b, frame(t, enc, "BOOKMARK", bookmark("2000", ""))...)
	b = append(b, frame(t, enc, "BOOKMARK", bookmark("2001", "true"))...)
	b = append(b, frame(t, enc, "BOOKMARK", bookmark("2002", "yes"))...)
	b = append(b, frame(t, enc, "MODIFIED", typed(testPod(2)))...)
	b = append(b, frame(t, enc, "DELETED", typed(testPod(3)))...)
	return append(b, frame(t, enc, "ERROR", expired())...)
}

func TestWatch(t *testing.T) {
	for _, enc := range allEncodings {
		t.Run(enc.String(), func(t *testing.T) {
			w := NewWatchReader(bytes.NewReader(stream(t, enc)), enc, podOptions)
			next := func(want EventType) Event {
				t.Helper()
				ev, err := w.Next()
				if err != nil || ev.Type != want {
					t.Fatalf("got %v, %v; want %v", ev.Type, err, want)
				}
				return ev
			}
			checkPod(t, next(Added).Record, testPod(1))
			for _, want := range []struct {
				version Version
				end     bool
			}{{2000, false}, {2001, true}, {2002, false}} {
				if ev := next(Bookmark); ev.Record.Version != want.version || ev.InitialEventsEnd != want.end {
					t.Errorf("got bookmark %v %v, want %v", ev.Record.Version, ev.InitialEventsEnd, want)
				}
			}
			checkPod(t, next(Modified).Record, testPod(2))
			checkPod(t, next(Deleted).Record, testPod(3))
			if s := next(Error).Status; s.Code != 410 || s.Reason != metav1.StatusReasonExpired || s.Details.RetryAfterSeconds != 3 {
				t.Errorf("got status %+v", s)
			}
			for range 2 {
				if _, err := w.Next(); err != io.EOF {
					t.Errorf("at the end: got %v", err)
				}
			}
		})
	}
}

// TestWatch_InvalidEvents checks that an unusable event is reported, and that the next
// event is read.
func TestWatch_InvalidEvents(t *testing.T) {
	node := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "n", ResourceVersion: "7"}}
	nameless, odd := testPod(1), testPod(1)
	nameless.Name, odd.ResourceVersion = "", "abc"
	for _, enc := range allEncodings {
		for _, c := range []struct {
			name  string
			frame []byte
			want  string
		}{
			{"another kind", frame(t, enc, "MODIFIED", node), `a "Node" of "v1"`},
			{"bookmark of another kind", frame(t, enc, "BOOKMARK", node), `a "Node" of "v1"`},
			{"no name", frame(t, enc, "ADDED", typed(nameless)), "no metadata.name"},
			{"no integer", frame(t, enc, "DELETED", typed(odd)), "not a decimal integer"},
			{"bookmark without an integer", frame(t, enc, "BOOKMARK", bookmark("1.5", "")), "not a decimal integer"},
			{"unknown type", frame(t, enc, "RENAMED", typed(testPod(1))), `unknown event type "RENAMED"`},
			{"no type", frame(t, enc, "", typed(testPod(1))), "unknown event type"},
			{"error without a status", frame(t, enc, "ERROR", typed(testPod(1))), `with a "Pod"`},
			{"no object", rawFrame(t, enc, "ADDED", map[Encoding][]byte{JSON: []byte("null"), CBOR: {0xf6}}[enc]), "object"},
			{"an object of another encoding", rawFrame(t, enc, "ADDED", []byte("7")), "object"},
		} {
			t.Run(enc.String()+"/"+c.name, func(t *testing.T) {
				body := append(bytes.Clone(c.frame), frame(t, enc, "ADDED", typed(testPod(5)))...)
				w := NewWatchReader(bytes.NewReader(body), enc, podOptions)
				_, err := w.Next()
				var invalid *InvalidError
				if !errors.As(err, &invalid) || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("got %v, want %q", err, c.want)
				}
				if invalid.Offset <= 0 || invalid.Offset > int64(len(c.frame)) {
					t.Errorf("got offset %d in a frame of %d bytes", invalid.Offset, len(c.frame))
				}
				if ev, err := w.Next(); err != nil || ev.Record.Name != "pod-5" {
					t.Errorf("got next event %v, %v", ev, err)
				}
			})
		}
	}
	w := NewWatchReader(strings.NewReader(`{"type":"ADDED"}{"type":7,"object":{"metadata":{"name":"x"}}}`), JSON, Options{})
	for _, want := range []string{"no object", "type is not a string"} {
		if _, err := w.Next(); !isInvalid(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestWatch_DamagedObject checks that damage to an object in protobuf makes only that
// object unusable, because frames are delimited without their objects.
func TestWatch_DamagedObject(t *testing.T) {
	good := frame(t, Protobuf, "ADDED", typed(testPod(5)))
	for _, object := range []string{"k8s\x00\xff", "k8s\x00\x12\x05\x0a\x7fabc", "k8s\x00\x12\x03\x0a\x01\xff", "k8s\x00\x0a\x01\xff\x12\x00", "k8s\x00\x1a\x01x"} {
		body := append(rawFrame(t, Protobuf, "ADDED", []byte(object)), good...)
		w := NewWatchReader(bytes.NewReader(body), Protobuf, podOptions)
		if _, err := w.Next(); !isInvalid(err) {
			t.Errorf("%q: got %v", object, err)
		}
		if ev, err := w.Next(); err != nil || ev.Record.Name != "pod-5" {
			t.Errorf("%q: got next event %v, %v", object, ev, err)
		}
	}
}

// TestWatch_DamagedFrames checks that a damaged frame ends the stream with the offset of
// the damage.
func TestWatch_DamagedFrames(t *testing.T) {
	for _, enc := range allEncodings {
		good := frame(t, enc, "ADDED", typed(testPod(1)))
		garbage := []byte("{]")
		switch enc {
		case Protobuf:
			garbage = []byte{0, 0, 0, 2, 0xff, 0xff}
		case CBOR:
			garbage = []byte{0xa1, 0x01}
		}
		at := map[Encoding]int64{JSON: 1, Protobuf: frameHeader, CBOR: 1}[enc] + int64(len(good))
		w := NewWatchReader(bytes.NewReader(append(append(bytes.Clone(good), garbage...), good...)), enc, podOptions)
		if _, err := w.Next(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, err := w.Next()
			var damage *SyntaxError
			if !errors.As(err, &damage) || damage.Offset != at {
				t.Errorf("%v: got %v, want damage at %d", enc, err, at)
			}
		}
	}
}

// TestWatch_Cut truncates a watch at every byte. Only an end between frames is a normal
// end.
func TestWatch_Cut(t *testing.T) {
	for _, enc := range allEncodings {
		body := stream(t, enc)
		ends := map[int]bool{0: true}
		for n, rest := 0, body; len(rest) > 0; {
			size := 0
			switch enc {
			case JSON:
				size = bytes.IndexByte(rest, '\n') + 1
				ends[n+size-1] = true // the line break is not needed
			case Protobuf:
				size = frameHeader + int(binary.BigEndian.Uint32(rest))
			case CBOR:
				s := cborScanner{w: inMemory(rest)}
				if err := s.skip(); err != nil {
					t.Fatal(err)
				}
				size = s.w.pos
			}
			n, rest = n+size, rest[size:]
			ends[n] = true
		}
		for n := range len(body) + 1 {
			items := readWatch(t, bytes.NewReader(body[:n]), enc, podOptions)
			want := io.ErrUnexpectedEOF.Error()
			if ends[n] {
				want = io.EOF.Error()
			}
			if got := items[len(items)-1].err; got != want {
				t.Fatalf("%v truncated at %d: got %s, want %s", enc, n, got, want)
			}
		}
	}
}

// TestWatch_EventsComeAsSoonAsTheirBytes fails if a reader needs bytes of the next frame
// before it returns an event.
func TestWatch_EventsComeAsSoonAsTheirBytes(t *testing.T) {
	for _, enc := range allEncodings {
		body := bytes.TrimSuffix(frame(t, enc, "ADDED", typed(testPod(1))), []byte("\n"))
		w := NewWatchReader(io.MultiReader(bytes.NewReader(body), failing{t}), enc, podOptions)
		if ev, err := w.Next(); err != nil || ev.Record.Name != "pod-1" {
			t.Errorf("%v: got %v, %v", enc, ev, err)
		}
	}
}

func TestEventTypesHaveNames(t *testing.T) {
	for _, want := range []EventType{Added, Modified, Deleted, Bookmark, Error} {
		if got, ok := eventType([]byte(want.String())); got != want || !ok {
			t.Errorf("got %[2]v, want %[1]v", want, got)
		}
	}
	if EventType(0).String() != "unknown" {
		t.Error("got a name for the zero type")
	}
}
