package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// allocated returns the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestClaimedLengthsAllocateNothing checks that a length field alone allocates nothing.
func TestClaimedLengthsAllocateNothing(t *testing.T) {
	huge := binary.AppendUvarint(nil, 1<<30)
	beyond := binary.AppendUvarint(nil, 1<<62)
	whole := binary.AppendUvarint(nil, 1<<63-1)
	for name, c := range map[string]struct {
		body  string
		watch bool
		enc   Encoding // default Protobuf
	}{
		"frame of 4 GiB":            {"\xff\xff\xff\xff", true, 0},
		"frame of 30 MiB":           {"\x01\xe0\x00\x00", true, 0},
		"list of 1 GiB":             {"k8s\x00\x12" + string(huge), false, 0},
		"list beyond all bounds":    {"k8s\x00\x12" + string(whole), false, 0},
		"item of 1 GiB":             {"k8s\x00\x12" + string(beyond) + "\x12" + string(huge), false, 0},
		"item of 30 MiB":            {"k8s\x00\x12" + string(beyond) + "\x12" + string(binary.AppendUvarint(nil, 30<<20)), false, 0},
		"unknown field of 1 GiB":    {"k8s\x00\x2a" + string(huge), false, 0},
		"CBOR: array of 2^62":       {"\xa1\x45items\x9b\x40\x00\x00\x00\x00\x00\x00\x00", false, CBOR},
		"CBOR: map of 2^64":         {"\xbb\xff\xff\xff\xff\xff\xff\xff\xff", false, CBOR},
		"CBOR: key of 1 GiB":        {"\xa1\x5a\x40\x00\x00\x00", false, CBOR},
		"CBOR: string of 2^64":      {"\xa1\x41x\x5b\xff\xff\xff\xff\xff\xff\xff\xff", false, CBOR},
		"CBOR: string of 30 MiB":    {"\xa1\x41x\x5a\x01\xe0\x00\x00", true, CBOR},
		"CBOR: chunk of 2^64":       {"\xa1\x41x\x5f\x5b\xff\xff\xff\xff\xff\xff\xff\xff", true, CBOR},
		"type of the list of 1 GiB": {"k8s\x00\x0a" + string(huge), false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			body := c.body + strings.Repeat("x", 100)
			enc := max(c.enc, Protobuf)
			n := allocated(func() {
				var err error
				if c.watch {
					_, err = NewWatchReader(strings.NewReader(body), enc, Options{}).Next()
				} else {
					_, err = NewListReader(strings.NewReader(body), enc, Options{}).Next()
				}
				if err == nil || err == io.EOF {
					t.Errorf("got %v, want an error", err)
				}
			})
			if n > 256<<10 {
				t.Errorf("got %d allocated bytes", n)
			}
		})
	}
}

// TestMaxRecord checks that larger values are rejected at their offset, and that the
// window holds at most twice the limit.
func TestMaxRecord(t *testing.T) {
	const limit = 16 << 10
	big := testPod(1)
	big.Annotations = map[string]string{"big": strings.Repeat("y", 10*limit)}
	for _, enc := range allEncodings {
		opts := podOptions
		opts.MaxRecord = limit
		list := testPods(1)
		list.Items = append(list.Items, big)
		for what, next := range map[string]func(io.Reader) (first Record, w *window, second error){
			"list": func(r io.Reader) (Record, *window, error) {
				l := NewListReader(r, enc, opts)
				first, err := l.Next()
				if err == nil {
					_, err = l.Next()
				}
				return first, windowOf(l.src), err
			},
			"watch": func(r io.Reader) (Record, *window, error) {
				w := NewWatchReader(r, enc, opts)
				first, err := w.Next()
				if err == nil {
					_, err = w.Next()
				}
				return first.Record, windowOf(w.src), err
			},
		} {
			body := encode(t, enc, list)
			if what == "watch" {
				body = append(frame(t, enc, "ADDED", typed(testPod(0))), frame(t, enc, "ADDED", typed(big))...)
			}
			for _, r := range []io.Reader{bytes.NewReader(body), iotest.OneByteReader(bytes.NewReader(body))} {
				first, w, second := next(r)
				var large *TooLargeError
				if first.Name != "pod-0" || !errors.As(second, &large) || large.Limit != limit {
					t.Errorf("%v %s: got %v, then %v", enc, what, first.Key, second)
					continue
				}
				if at := bytes.Index(body, []byte("pod-1")); large.Offset < int64(at)-200 || large.Offset > int64(at) {
					t.Errorf("%v %s: got offset %d, want one shortly before %d", enc, what, large.Offset, at)
				}
				if cap(w.buf) > 2*limit+fullChunk {
					t.Errorf("%v %s: got a buffer of %d bytes", enc, what, cap(w.buf))
				}
			}
		}
	}
}

// TestWhiteSpaceOfLists checks that white space around a list and its items does not count
// toward the limit, however it arrives.
func TestWhiteSpaceOfLists(t *testing.T) {
	const item = `{"metadata":{"name":"x","resourceVersion":"7"}}`
	opts := Options{APIVersion: "v1", Kind: "Pod", MaxRecord: fuzzMax}
	gap := strings.Repeat(" \n", fuzzMax)
	for want, body := range map[string]string{
		"EOF": gap + `{"kind":"PodList","apiVersion":"v1","items":[` + gap + item + gap + "," + gap + item + gap + "]}" + gap,
		"damaged stream at byte 2049: found 'd', want the name of a member": gap + "{d}",
		"damaged stream at byte 2059: found 'd', want ',' or ']'":           `{"items":[` + gap + "1" + "d]}",
		"damaged stream at byte 2060: found 'd' after the end":              `{"items":[]}` + gap + "d",
		"damaged stream at byte 2058: found 'd', want a value":              `{"items":[` + gap + "d]}",
		"unexpected EOF": `{"items":[` + gap,
	} {
		for _, r := range []io.Reader{strings.NewReader(body), iotest.OneByteReader(strings.NewReader(body))} {
			items, _ := readList(t, r, JSON, opts)
			if got := items[len(items)-1].err; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
}

func windowOf(src any) *window {
	switch s := src.(type) {
	case *objectList:
		return s.c.window()
	case *protoList:
		return s.s.w
	case *objectWatch:
		return s.c.window()
	case *protoWatch:
		return s.s.w
	}
	return nil
}

func TestVersions(t *testing.T) {
	for text, want := range map[string]Version{"": 0, "0": 0, "1": 1, "18446744073709551615": 1<<64 - 1} {
		if got, err := ParseVersion(text); got != want || err != nil {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"00", "007", "+1", "-1", "1.0", "0x1", "12a", " 1", "18446744073709551616", strings.Repeat("9", 1000)} {
		if got, err := ParseVersion(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		} else if len(err.Error()) > 250 {
			t.Errorf("%q: got an error of %d bytes", text, len(err.Error()))
		}
	}
	if Version(0).String() != "" || Version(12).String() != "12" {
		t.Error("wrong text of a version")
	}
}

func TestKeys(t *testing.T) {
	ordered := []Key{{Name: "b"}, {Namespace: "a", Name: "x"}, {Namespace: "a", Name: "y"}, {Namespace: "b", Name: "a"}, {Cluster: "a", Name: "a"}}
	for i, a := range ordered {
		for j, b := range ordered {
			if got, want := a.Compare(b), min(max(i-j, -1), 1); got != want {
				t.Errorf("%v and %v: got %d, want %d", a, b, got, want)
			}
		}
	}
	for want, k := range map[string]Key{
		"n": {Name: "n"}, "s/n": {Namespace: "s", Name: "n"}, "c:n": {Cluster: "c", Name: "n"}, "c:s/n": {"c", "s", "n"},
	} {
		if k.String() != want {
			t.Errorf("got %q, want %q", k, want)
		}
	}
}

func TestEncodings(t *testing.T) {
	for header, want := range map[string]Encoding{
		"application/json": JSON, "application/json; charset=utf-8": JSON, "application/json;stream=watch": JSON,
		"application/cbor": CBOR, "application/cbor-seq": CBOR,
		"application/vnd.kubernetes.protobuf": Protobuf, "application/vnd.kubernetes.protobuf;stream=watch": Protobuf,
	} {
		if got, err := EncodingOf(header); got != want || err != nil {
			t.Errorf("%s: got %v, %v", header, got, err)
		}
	}
	for _, header := range []string{"", "text/html", "application/cbor2", ";;"} {
		if got, err := EncodingOf(header); err == nil {
			t.Errorf("%q: got %v, want an error", header, got)
		}
	}
	if JSON.String() != "json" || Protobuf.String() != "protobuf" || CBOR.String() != "cbor" || Encoding(9).String() != "encoding(9)" {
		t.Error("wrong name of an encoding")
	}
}
