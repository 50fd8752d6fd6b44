package kube

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

// scriptedConn returns its bytes in pieces, and then an error.
type scriptedConn struct {
	net.Conn
	pieces [][]byte
	reads  int
	err    error // returned with the last piece, or alone
	early  bool
}

func (c *scriptedConn) Read(p []byte) (int, error) {
	c.reads++
	if len(c.pieces) == 0 {
		return 0, c.err
	}
	n := copy(p, c.pieces[0])
	if c.pieces[0] = c.pieces[0][n:]; len(c.pieces[0]) == 0 {
		c.pieces = c.pieces[1:]
	}
	if len(c.pieces) == 0 && c.early {
		return n, c.err
	}
	return n, nil
}

// TestReadAhead checks that, for any sizes of pieces and reads, the bytes are the same,
// the error follows them, and no buffer is kept.
func TestReadAhead(t *testing.T) {
	broken := errors.New("broken")
	testinput.Check(t, func(t *rapid.T) {
		var want []byte
		inner := &scriptedConn{err: broken, early: rapid.Bool().Draw(t, "error with the last bytes")}
		for _, n := range rapid.SliceOfN(rapid.SampledFrom([]int{1, 100, 4096, 5000, 70_000, 200_000}), 1, 8).Draw(t, "pieces") {
			piece := make([]byte, n)
			for i := range piece {
				piece[i] = byte(len(want) + i*7)
			}
			want, inner.pieces = append(want, piece...), append(inner.pieces, piece)
		}
		c := &readaheadConn{Conn: inner}
		var got []byte
		for {
			p := make([]byte, rapid.SampledFrom([]int{1, 512, 4096, 4096, 65_536, 100_000}).Draw(t, "asked for"))
			n, err := c.Read(p)
			got = append(got, p[:n]...)
			if err != nil {
				if err != broken {
					t.Fatalf("got %v, want %v", err, broken)
				}
				break
			}
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("got %d bytes, want %d with the same content", len(got), len(want))
		}
		if c.buf != nil {
			t.Fatal("a buffer is held without unread data")
		}
	})
}

// TestReadAheadSaves checks that a long answer needs few reads of the connection, even if
// the caller reads 4 KiB at a time.
func TestReadAheadSaves(t *testing.T) {
	inner := &scriptedConn{err: io.EOF, pieces: [][]byte{make([]byte, 10<<20)}}
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{&readaheadConn{Conn: inner}}, make([]byte, 4096)); err != nil {
		t.Fatal(err)
	}
	if most := 10<<20/readaheadSize + 4; inner.reads > most {
		t.Errorf("got %d reads of the connection, want at most %d", inner.reads, most)
	}
}
