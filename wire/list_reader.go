package wire

import (
	"errors"
	"io"
)

// ListReader reads the records of one list body, or one page of it, while it
// arrives. It belongs to one goroutine.
type ListReader struct {
	src  listSource
	done error // the error or io.EOF that ended the list; returned by every later call
	m    ListMeta
	uids UIDRange
	skip int64
}

// NewListReader returns a reader of the list in r. It reads r to its end, but does not
// close it. For an unknown encoding, the first Next returns an error.
func NewListReader(r io.Reader, enc Encoding, opts Options) *ListReader {
	l := &ListReader{uids: opts.UIDs}
	w := newWindow(r, opts.maxRecord())
	switch enc {
	case JSON:
		l.src = &objectList{c: newJSONCursor(w), opts: opts}
	case Protobuf:
		l.src = &protoList{s: protoScanner{w: w}, opts: opts}
	case CBOR:
		l.src = &objectList{c: newCBORCursor(w), opts: opts}
	default:
		l.done = errors.New("cannot read a list in the encoding " + enc.String())
	}
	return l
}

// Next returns the next record in the order of the list, and io.EOF after the last one.
//
// Errors: *InvalidError for an unusable item, after which Next may be called again for
// the item after it; *SyntaxError, *TooLargeError, io.ErrUnexpectedEOF or the error of
// the reader for a list that cannot be read further; *SyntaxError if the server selected
// another UID range.
func (l *ListReader) Next() (Record, error) {
	if l.done != nil {
		return Record{}, l.done
	}
	rec, err := l.src.next()
	for ; err == errOutside; rec, err = l.src.next() {
		l.skip++
	}
	if err == nil || isInvalid(err) {
		return rec, err
	}
	l.done = err
	if err == io.EOF {
		var odd error
		if l.m, odd = l.src.meta(); odd == nil {
			odd = l.m.checkSelected(l.uids)
		}
		if odd != nil {
			l.done = odd
		}
	}
	return Record{}, l.done
}

// Meta returns the metadata of the list after Next has returned io.EOF. Before that it
// returns the zero value.
func (l *ListReader) Meta() ListMeta { return l.m }

// Skipped returns the number of items that were not in Options.UIDs: 0 if the server
// selects.
func (l *ListReader) Skipped() int64 { return l.skip }
