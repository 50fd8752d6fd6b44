package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// initialEventsEnd is the annotation of the bookmark that ends the initial events of a
// streaming list. Only the value "true" counts (KEP-3157).
const initialEventsEnd = "k8s.io/initial-events-end"

// head is the data that a scanner reads from an object without decoding it. The slices
// alias the stream.
type head struct {
	apiVersion, kind     []byte
	name, namespace, uid []byte
	version              []byte
	endBookmark          bool
	unusable             string // why the object is unusable; "" if it is usable
	managed              []span // ranges to cut out, ascending
	metaLen              span   // protobuf and CBOR: position of the length of the metadata
	members              uint64 // CBOR: number of members of the metadata without managedFields
	metaFrom, metaTo     int64  // the content of metadata
	whole                span   // the object
	hasMeta              bool
	metaRead             bool      // all metadata that names the object has been read
	keyless              bool      // a part of the key is not a string
	eventType            EventType // type of the watch event
}

func (h *head) reset(at int64) {
	managed := h.managed[:0]
	*h = head{managed: managed, whole: span{from: at}}
}

// detach copies the type, which is needed after the memory of the list's metadata is
// reused.
func (h *head) detach() {
	h.apiVersion, h.kind = bytes.Clone(h.apiVersion), bytes.Clone(h.kind)
}

// fail records why the object is unusable. Only the first reason is kept.
func (h *head) fail(format string, args ...any) {
	if h.unusable == "" {
		h.unusable = fmt.Sprintf(format, args...)
	}
}

// noString records that a field, whose value goes to dst, is not a string.
func (h *head) noString(field string, dst *[]byte) {
	h.fail("%s is not a string", field)
	h.keyless = h.keyless || dst == &h.name || dst == &h.namespace
}

// invalid returns the error for an unusable object, with the identity as far as it is
// certain: a key with a missing part would identify another object.
func (h *head) invalid(reason string) error {
	e := &InvalidError{Offset: h.whole.from, UID: string(h.uid), Event: h.eventType, Reason: reason}
	if len(h.name) > 0 && !h.keyless && (h.metaRead || len(h.namespace) > 0) {
		e.Key = Key{Namespace: string(h.namespace), Name: string(h.name)}
	}
	if v, err := parseVersion(h.version); err == nil {
		e.Version = v
	}
	return e
}

// checkSize marks an object as unusable if it is too large.
func (h *head) checkSize(w *window) {
	if w.over() {
		h.fail("it has more than %d bytes: raise MaxRecord if such objects are expected", w.max)
	}
}

// checkKind returns an error if the object states another type than the requested one,
// such as a Table.
func (h *head) checkKind(opts *Options) error {
	if opts.Kind == "" || len(h.kind) == 0 {
		return nil
	}
	if string(h.kind) != opts.Kind || len(h.apiVersion) > 0 && string(h.apiVersion) != opts.APIVersion {
		h.uid, h.version, h.eventType = nil, nil, 0 // they belong to a value of another type
		return h.invalid(fmt.Sprintf("it is a %.80q of %.80q, want %q of %q", h.kind, h.apiVersion, opts.Kind, opts.APIVersion))
	}
	return nil
}

// checkListKind returns an error if a list has another type than the requested one, such
// as a Table, or a Status with code 200. Lists of built-in types are named after their
// items. Custom resources may choose any other name
// (CustomResourceDefinitionNames.listKind), which discovery does not report, and some servers
// send the type List of v1. hasItems reports whether there is a member items, without which only
// the usual name shows that this is a list.
func (h *head) checkListKind(opts *Options, hasItems bool) error {
	kind, apiVersion := string(h.kind), string(h.apiVersion)
	if kind == "Status" && apiVersion == "v1" { // some proxies send them with code 200
		return &SyntaxError{Reason: "the server sent a Status instead of a list"}
	}
	if opts.Kind == "" || kind == opts.Kind+"List" && apiVersion == opts.APIVersion {
		return nil
	}
	group, _, _ := strings.Cut(opts.APIVersion, "/")
	custom := strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
	if custom && apiVersion == opts.APIVersion && hasItems && kind != "" && kind != opts.Kind {
		return nil
	}
	if kind == "List" && apiVersion == "v1" && hasItems {
		return nil
	}
	return &SyntaxError{Reason: fmt.Sprintf("the server sent a %.80q of %.80q, want a list of %q of %q", h.kind, h.apiVersion, opts.Kind, opts.APIVersion)}
}

// record returns the record of the object that was scanned last.
func (h *head) record(w *window, enc Encoding, opts *Options) (Record, error) {
	h.checkSize(w)
	if (len(h.uid) > 0 || h.unusable == "") && opts.UIDs.lacks(h.uid) {
		return Record{}, errOutside // an unusable object without a UID may be in any range
	}
	if h.unusable != "" {
		return Record{}, h.invalid(h.unusable)
	}
	if err := h.checkKind(opts); err != nil {
		return Record{}, err
	}
	if len(h.name) == 0 {
		return Record{}, h.invalid("it has no metadata.name")
	}
	version, err := opts.version(h.version)
	if err != nil {
		return Record{}, h.invalid(err.Error())
	}
	rec := Record{Version: version, Encoding: enc}
	// One string holds all three names: one allocation instead of three. It is created
	// before the cut, which moves the bytes that the slices alias.
	var stack [400]byte // enough for the longest possible names (253, 63, 36)
	all := string(append(append(append(stack[:0], h.namespace...), h.name...), h.uid...))
	ns, name := len(h.namespace), len(h.name)
	rec.Namespace, rec.Name, rec.UID = all[:ns], all[ns:ns+name], all[ns+name:]
	rec.Body, rec.held = h.body(w, enc, opts), w.held
	w.held.refs.Add(1)
	return rec, nil
}

// body returns the bytes of the object, without managedFields unless the options keep
// them.
func (h *head) body(w *window, enc Encoding, opts *Options) []byte {
	b := w.slice(h.whole)
	if len(h.managed) == 0 || opts.ManagedFields == KeepManagedFields {
		return b
	}
	cuts := h.managed
	switch enc {
	case Protobuf:
		cuts = h.shrinkMetadata(b)
	case CBOR:
		h.countMetadata(b)
	}
	return removeSpans(b, h.whole.from, cuts)
}

// shrinkMetadata overwrites the length of the metadata with the length without
// managedFields, right-aligned, and returns the cuts, including the bytes of the length
// that are no longer needed.
func (h *head) shrinkMetadata(b []byte) []span {
	length := h.metaTo - h.metaFrom
	for _, c := range h.managed {
		length -= c.to - c.from
	}
	var varint [binary.MaxVarintLen64]byte
	n := int64(binary.PutUvarint(varint[:], uint64(length)))
	copy(b[h.metaLen.to-n-h.whole.from:], varint[:n])
	if left := h.metaLen.to - h.metaLen.from - n; left > 0 {
		return append([]span{{h.metaLen.from, h.metaLen.from + left}}, h.managed...)
	}
	return h.managed
}

// removeSpans removes the given ranges (ascending stream offsets) from b, which begins at
// offset base, and returns the rest. It moves either the bytes before the cuts or the
// bytes after them, whichever are fewer: most of an object is after the metadata in JSON
// and protobuf, but before it in CBOR, which has shorter keys first.
func removeSpans(b []byte, base int64, cuts []span) []byte {
	first, last := int(cuts[0].from-base), int(cuts[len(cuts)-1].to-base)
	if first <= len(b)-last {
		to := last
		for i := len(cuts) - 1; i >= 0; i-- {
			from := 0
			if i > 0 {
				from = int(cuts[i-1].to - base)
			}
			kept := b[from : cuts[i].from-base]
			to -= len(kept)
			copy(b[to:], kept)
		}
		return b[to:]
	}
	to := first
	for i, c := range cuts {
		end := len(b)
		if i < len(cuts)-1 {
			end = int(cuts[i+1].from - base)
		}
		to += copy(b[to:], b[c.to-base:end])
	}
	return b[:to:to]
}

// countMetadata overwrites the number of members of the metadata with the number without
// managedFields, in the same number of bytes. CBOR does not require the shortest form.
func (h *head) countMetadata(b []byte) {
	if h.metaLen == (span{}) { // the map has an indefinite length
		return
	}
	number := b[h.metaLen.from-h.whole.from : h.metaLen.to-h.whole.from]
	if len(number) == 1 {
		number[0] = cborMap<<5 | byte(h.members)
		return
	}
	for i, v := len(number)-1, h.members; i > 0; i, v = i-1, v>>8 {
		number[i] = byte(v)
	}
}
