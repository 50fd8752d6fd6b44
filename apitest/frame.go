package apitest

import (
	"encoding/binary"
	"encoding/json"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Tags of the protobuf messages around an object: Unknown{1: TypeMeta{1: apiVersion, 2: kind}, 2: raw, 3 and 4: empty},
// List{1: metadata, 2: items}, WatchEvent{1: type, 2: RawExtension{1: raw}}. All are length-delimited.
const (
	tag1 = 1<<3 | 2
	tag2 = 2<<3 | 2
	tag5 = 5<<3 | 2
)

// magic is the prefix of every protobuf object of Kubernetes.
const magic = "k8s\x00"

// sizeOfField is the length of a length-delimited field with its tag.
func sizeOfField(length int) int {
	return 1 + len(binary.AppendUvarint(make([]byte, 0, binary.MaxVarintLen64), uint64(length))) + length
}

func appendTag(dst []byte, tag byte, length int) []byte {
	return binary.AppendUvarint(append(dst, tag), uint64(length))
}

func appendField(dst []byte, tag byte, text string) []byte {
	return append(appendTag(dst, tag, len(text)), text...)
}

// typeOf returns the typeMeta of an object of the resource in an encoding.
func typeOf(res *resource, enc encoding) typeMeta {
	switch enc.part {
	case metadataOnly:
		return typeMeta{"meta.k8s.io/v1", "PartialObjectMetadata"}
	case printed:
		return tableKind
	case wholeObject:
	}
	return typeMeta{res.apiVersion(), res.Kind}
}

// listTypeOf returns the typeMeta of a list of the resource.
func listTypeOf(res *resource, enc encoding) typeMeta {
	t := typeOf(res, enc)
	if enc.part == wholeObject && res.ListKind != "" {
		return typeMeta{t.apiVersion, res.ListKind}
	}
	return typeMeta{t.apiVersion, t.kind + "List"}
}

// sizeOfEnvelope is the length of an envelope with a content of size bytes.
func (t typeMeta) sizeOfEnvelope(size int) int {
	inner := sizeOfField(len(t.apiVersion)) + sizeOfField(len(t.kind))
	return len(magic) + sizeOfField(inner) + sizeOfField(size) + len(envelopeEnd)
}

// envelopeEnd is the empty content encoding and content type that servers write.
const envelopeEnd = "\x1a\x00\x22\x00"

// appendEnvelope appends the beginning of an envelope with a content of size bytes; envelopeEnd follows the content.
func (t typeMeta) appendEnvelope(dst []byte, size int) []byte {
	inner := sizeOfField(len(t.apiVersion)) + sizeOfField(len(t.kind))
	dst = appendTag(append(dst, magic...), tag1, inner)
	dst = appendField(appendField(dst, tag1, t.apiVersion), tag2, t.kind)
	return appendTag(dst, tag2, size)
}

// appendJSON appends a JSON object with its kind before the other members.
func (t typeMeta) appendJSON(dst, object []byte) []byte {
	dst = append(dst, `{"kind":`...)
	dst = strconv.AppendQuote(dst, t.kind)
	dst = append(dst, `,"apiVersion":`...)
	dst = strconv.AppendQuote(dst, t.apiVersion)
	if len(object) <= len("{}") {
		return append(dst, '}')
	}
	return append(append(dst, ','), object[1:]...)
}

// payload is an object to send: a revision or a Status.
type payload struct {
	kind typeMeta
	data []byte // without its kind, unless named is set
	// named means that the bytes are JSON with the kind, as for custom objects.
	named bool
}

// namesItself reports whether the bytes of a revision include its kind.
func namesItself(res *resource, enc encoding) bool {
	return enc.format != formatProtobuf && enc.part == wholeObject && !res.builtin()
}

// statusPayload returns a Status as servers send errors.
func statusPayload(status metav1.Status, f format) (payload, error) {
	p := payload{kind: typeMeta{"v1", "Status"}}
	status.TypeMeta = metav1.TypeMeta{}
	var err error
	if f == formatProtobuf {
		p.data, err = status.Marshal()
	} else {
		p.data, err = json.Marshal(status)
	}
	return p, err
}

// appendTo appends the object with its kind, as in the body of a response.
func (p payload) appendTo(dst []byte, f format) []byte {
	switch {
	case f == formatCBOR:
		return append(dst, cborOf(p.appendTo(nil, formatJSON))...)
	case f == formatProtobuf:
		dst = append(p.kind.appendEnvelope(dst, len(p.data)), p.data...)
		return append(dst, envelopeEnd...)
	case p.named:
		return append(dst, p.data...)
	}
	return p.kind.appendJSON(dst, p.data)
}

// appendEvent appends a frame of a watch: a line of JSON, or a message after its length in four bytes.
func (p payload) appendEvent(dst []byte, kind watch.EventType, f format) []byte {
	if f == formatCBOR {
		return append(dst, cborOf(p.appendEvent(nil, kind, formatJSON))...)
	}
	if f == formatJSON {
		dst = append(dst, `{"type":`...)
		dst = strconv.AppendQuote(dst, string(kind))
		dst = append(dst, `,"object":`...)
		return append(p.appendTo(dst, f), "}\n"...)
	}
	object := p.kind.sizeOfEnvelope(len(p.data))
	extension := sizeOfField(object)
	dst = binary.BigEndian.AppendUint32(dst, uint32(sizeOfField(len(kind))+sizeOfField(extension)))
	dst = appendTag(appendField(dst, tag1, string(kind)), tag2, extension)
	return p.appendTo(appendTag(dst, tag1, object), f)
}

// listParts are the bytes of a list around its items. Some bytes precede each item.
type listParts struct {
	enc        encoding
	kind       typeMeta // type of an item
	named      bool
	head, tail []byte
}

// newListParts returns the parts of a list of items.
func newListParts(res *resource, enc encoding, m listMeta, items [][]byte) (listParts, error) {
	l := listParts{enc: enc, kind: typeOf(res, enc), named: namesItself(res, enc)}
	kind := listTypeOf(res, enc)
	if enc.format == formatProtobuf {
		metadata, err := encodeListMeta(m)
		if err != nil {
			return l, err
		}
		size := sizeOfField(len(metadata))
		for _, item := range items {
			size += sizeOfField(len(item))
		}
		l.head = kind.appendEnvelope(nil, size)
		l.head = append(appendTag(l.head, tag1, len(metadata)), metadata...)
		l.tail = []byte(envelopeEnd)
		return l, nil
	}
	metadata, err := json.Marshal(m)
	if err != nil {
		return l, err
	}
	if l.named {
		return l.frameCustom(kind, m)
	}
	l.head = kind.appendJSON(nil, []byte(`{"metadata":`))
	l.head = append(append(l.head, metadata...), `,"items":[`...)
	l.tail = []byte("]}\n")
	return l, nil
}

// frameCustom returns the parts of the JSON list of a custom resource. A server sorts its members by name, so metadata
// comes last.
func (l listParts) frameCustom(kind typeMeta, m listMeta) (listParts, error) {
	fields := map[string]any{"resourceVersion": m.ResourceVersion, "continue": m.Continue}
	if m.RemainingItemCount != nil {
		fields["remainingItemCount"] = *m.RemainingItemCount
	}
	if m.Shard != nil {
		fields["shardInfo"] = m.Shard
	}
	metadata, err := json.Marshal(fields)
	if err != nil {
		return l, err
	}
	l.head = strconv.AppendQuote([]byte(`{"apiVersion":`), kind.apiVersion)
	l.head = append(l.head, `,"items":[`...)
	l.tail = strconv.AppendQuote([]byte(`],"kind":`), kind.kind)
	l.tail = append(append(l.tail, `,"metadata":`...), metadata...)
	l.tail = append(l.tail, "}\n"...)
	return l, nil
}

// appendItem appends an item. In a JSON list, items name their kind only if they are partial metadata or custom
// objects.
func (l listParts) appendItem(dst []byte, index int, item []byte) []byte {
	if l.enc.format == formatProtobuf {
		return append(appendTag(dst, tag2, len(item)), item...)
	}
	if index > 0 {
		dst = append(dst, ',')
	}
	if l.enc.part == metadataOnly {
		return l.kind.appendJSON(dst, item)
	}
	return append(dst, item...)
}

// encodeListMeta returns the message of the metadata of a list.
func encodeListMeta(m listMeta) ([]byte, error) {
	message, err := m.ListMeta.Marshal()
	if err != nil || m.Shard == nil {
		return message, err
	}
	return appendField(message, tag5, string(appendField(nil, tag1, m.Shard.Selector))), nil
}
