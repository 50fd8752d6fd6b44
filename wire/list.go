package wire

import (
	"bytes"
	"errors"
	"io"
)

// ListMeta is what a list says of itself.
type ListMeta struct {
	// Version is the version of the whole list, where a watch continues it.
	Version Version
	// Continue is the token of the next page, "" on the last one.
	Continue string
	// Remaining is how many items later pages hold, where the server says so;
	// 0 otherwise. It is an estimate.
	Remaining int64
}

// rawListMeta is what JSON and CBOR lists say of themselves, before anything is
// made of it.
type rawListMeta struct {
	version, next []byte
	remaining     int64
}

// settle copies what was found so far: items come between it and the end of the
// list, and the memory it stands in may be used again.
func (m *rawListMeta) settle(own *head) {
	m.version, m.next = bytes.Clone(m.version), bytes.Clone(m.next)
	own.settle()
}

func (m *rawListMeta) meta(own *head, opts *Options, at int64) (ListMeta, error) {
	if err := own.checkListKind(opts); err != nil {
		return ListMeta{}, err
	}
	v, err := ParseVersion(string(m.version))
	if err != nil {
		return ListMeta{}, &SyntaxError{Offset: at, Reason: "the list's " + err.Error()}
	}
	return ListMeta{Version: v, Continue: string(m.next), Remaining: m.remaining}, nil
}

// listSource is what the encodings do differently.
type listSource interface {
	next() (Record, error)
	meta() (ListMeta, error)
}

// ListReader reads the records of one list body, or one page of it, while it
// arrives. It belongs to one goroutine.
type ListReader struct {
	src  listSource
	done error // sticky: what ended the list
	m    ListMeta
}

// NewListReader returns a reader of the list in r. It reads r to its end, but
// does not close it. An unknown encoding is reported by the first Next.
func NewListReader(r io.Reader, enc Encoding, opts Options) *ListReader {
	l := &ListReader{}
	w := newWindow(r, opts.maxRecord())
	switch enc {
	case JSON:
		l.src = &jsonList{s: jsonScanner{w: w}, opts: opts}
	case Protobuf:
		l.src = &protoList{s: protoScanner{w: w}, opts: opts}
	case CBOR:
		l.src = &cborList{s: cborScanner{w: w}, opts: opts}
	default:
		l.done = errors.New("a list can not be read from " + enc.String())
	}
	return l
}

// Next returns the next record, in the order of the list, and io.EOF behind
// the last one.
//
// Errors: *InvalidError for an item that cannot be used (Next may be called
// again, and reads on behind it); *SyntaxError, *TooLargeError,
// io.ErrUnexpectedEOF or the error of the reader for a list that cannot be
// read on.
func (l *ListReader) Next() (Record, error) {
	if l.done != nil {
		return Record{}, l.done
	}
	rec, err := l.src.next()
	if err == nil || isInvalid(err) {
		return rec, err
	}
	l.done = err
	if err == io.EOF {
		var odd error
		if l.m, odd = l.src.meta(); odd != nil {
			l.done = odd
		}
	}
	return Record{}, l.done
}

// Meta returns what the list says of itself. It is known once Next has
// returned io.EOF, and zero before.
func (l *ListReader) Meta() ListMeta { return l.m }
