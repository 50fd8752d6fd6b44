package framed

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

// golden has a frame in each byte order, in the format of files of earlier versions. The
// CRC-32C of "123456789" is 0xe3069283, the check value of its definition.
var golden = []struct {
	name   string
	format Format
	file   string
}{
	{"snapshot file", Format{Order: binary.LittleEndian}, "\x09\x00\x00\x00\x83\x92\x06\xe3123456789"},
	{"spill", Format{Order: binary.BigEndian}, "\x00\x00\x00\x09\xe3\x06\x92\x83123456789"},
}

func TestGolden(t *testing.T) {
	for _, g := range golden {
		var out bytes.Buffer
		if err := g.format.Write(&out, []byte("123456789")); err != nil || out.String() != g.file {
			t.Errorf("%s: wrote %q, %v, want %q", g.name, out.String(), err, g.file)
		}
		if got, err := g.format.Read(strings.NewReader(g.file)); err != nil || string(got) != "123456789" {
			t.Errorf("%s: read %q and error %v, want 123456789", g.name, got, err)
		}
	}
}

// TestDamage: a frame with a missing or changed byte is refused.
func TestDamage(t *testing.T) {
	var damage *DamageError
	for _, g := range golden {
		for n := range len(g.file) {
			_, err := g.format.Read(strings.NewReader(g.file[:n]))
			if n == 0 && err != io.EOF || n > 0 && !errors.As(err, &damage) {
				t.Errorf("%s: the first %d bytes: %v", g.name, n, err)
			}
			other := []byte(g.file)
			other[n] ^= 0x10
			if _, err := g.format.Read(bytes.NewReader(other)); !errors.As(err, &damage) {
				t.Errorf("%s: byte %d changed: got %v, want a damage error", g.name, n, err)
			}
		}
		if _, err := g.format.Read(bytes.NewReader(make([]byte, 100))); !errors.As(err, &damage) {
			t.Errorf("%s: zero bytes: got %v, want a damage error", g.name, err)
		}
	}
}

func TestLimit(t *testing.T) {
	f := Format{Order: binary.LittleEndian, Max: 4}
	var out bytes.Buffer
	for payload, want := range map[string]bool{"": false, "1": true, "1234": true, "12345": false} {
		if err := f.Write(&out, []byte(payload)); (err == nil) != want {
			t.Errorf("Write of %q: %v", payload, err)
		}
	}
	var damage *DamageError
	if _, err := f.Read(strings.NewReader(golden[0].file)); !errors.As(err, &damage) {
		t.Errorf("a frame that is too long: %v", err)
	}
}

// TestAllocation: a header that claims 4 GiB allocates only the bytes that follow.
func TestAllocation(t *testing.T) {
	file := "\xff\xff\xff\xff\x00\x00\x00\x00" + strings.Repeat("x", 1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := (Format{Order: binary.BigEndian}).Read(strings.NewReader(file)); err == nil {
		t.Error("Read returned a frame that is cut off")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("Read allocated %d bytes for a file of %d", n, len(file))
	}
}

func TestErrorsOfReader(t *testing.T) {
	want := errors.New("input/output error")
	for _, n := range []int{0, 3, 8, 12} {
		r := io.MultiReader(strings.NewReader(golden[0].file[:n]), iotest.ErrReader(want))
		if _, err := golden[0].format.Read(r); !errors.Is(err, want) {
			t.Errorf("a reader that fails after %d bytes: got %v, want %v", n, err, want)
		}
	}
}
