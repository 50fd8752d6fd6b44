package wire

import (
	"bytes"
	"fmt"
)

// ListMeta is the metadata of a list.
type ListMeta struct {
	// Version is the version of the whole list, from which a watch continues.
	Version Version
	// Opaque is the text of Version if Version is opaque, else "".
	Opaque string
	// Continue is the token of the next page, or "" on the last page.
	Continue string
	// Remaining is the server's estimate of the number of items on later pages, or 0 if
	// it sends none.
	Remaining int64
	// ShardSelector is the selector with which the server selected a part of the list, or
	// "" if it did not (metadata.shardInfo, KEP-5866).
	ShardSelector string
}

// checkSelected returns an error if the server selected other objects than those of a UID
// range: the list would lack objects that exist. A server that does not select sends all
// objects and no selector.
func (m *ListMeta) checkSelected(r UIDRange) error {
	if m.ShardSelector == "" || m.ShardSelector == r.Selector() {
		return nil
	}
	return &SyntaxError{Reason: fmt.Sprintf("the server selected a part of the list with %.200q, want %q", m.ShardSelector, r.Selector())}
}

// rawListMeta is the metadata of a JSON or CBOR list before it is parsed.
type rawListMeta struct {
	version, next, shard []byte
	remaining            int64
	items                bool // there is a member items
}

// detach copies the values found so far: the items are read before the end of the list,
// and the memory of these values may be reused.
func (m *rawListMeta) detach(own *head) {
	m.version, m.next, m.shard = bytes.Clone(m.version), bytes.Clone(m.next), bytes.Clone(m.shard)
	own.detach()
}

func (m *rawListMeta) meta(own *head, opts *Options, at int64) (ListMeta, error) {
	if err := own.checkListKind(opts, m.items); err != nil {
		return ListMeta{}, err
	}
	lm := ListMeta{Continue: string(m.next), Remaining: m.remaining, ShardSelector: string(m.shard)}
	if err := lm.setVersion(m.version, opts); err != nil {
		return ListMeta{}, &SyntaxError{Offset: at, Reason: "the list's " + err.Error()}
	}
	return lm, nil
}

// setVersion sets the version that a server has sent.
func (m *ListMeta) setVersion(text []byte, opts *Options) (err error) {
	if m.Version, err = opts.version(text); opts.Opaque && m.Version.Opaque() {
		m.Opaque = string(text)
	}
	return err
}

// listSource is the part of a ListReader that depends on the encoding.
type listSource interface {
	next() (Record, error)
	meta() (ListMeta, error)
}
