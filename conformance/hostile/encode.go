package hostile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/types"
)

// encoding is the encoding of an answer.
type encoding uint8

const (
	asJSON encoding = iota
	asProtobuf
	asCBOR
)

// form is the requested form and encoding of objects.
type form struct {
	t        *Type
	encoding encoding
	metadata bool
}

func (f form) contentType(watch bool) string {
	switch {
	case f.encoding == asProtobuf && watch:
		return "application/vnd.kubernetes.protobuf;stream=watch"
	case f.encoding == asProtobuf:
		return "application/vnd.kubernetes.protobuf"
	case f.encoding == asCBOR && watch:
		return "application/cbor-seq"
	case f.encoding == asCBOR:
		return "application/cbor"
	}
	return "application/json"
}

// names returns apiVersion and kind of an object in this form.
func (f form) names() (apiVersion, kind string) {
	if f.metadata {
		return "meta.k8s.io/v1", "PartialObjectMetadata"
	}
	return f.t.apiVersion(), f.t.Kind
}

// sent is an object as it is sent: the true object, or a defective one.
type sent struct {
	Object
	version string // replaces the version, if not empty; "-" omits it
	kind    string // replaces the right kind
	odd     oddity
}

// oddity is a defect of an object outside of its fields.
type oddity uint8

const (
	sound oddity = iota
	deep
	huge
	notUTF8
	duplicates
	numbers
	wrongTypes
	oddities
)

func (s *sent) meta() metav1.ObjectMeta {
	m := metav1.ObjectMeta{
		Namespace: s.Namespace, Name: s.Name, UID: types.UID(s.UID), ResourceVersion: strconv.FormatUint(s.Version, 10),
		Labels: map[string]string{"l": s.Label}, Annotations: map[string]string{"payload": s.Payload},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m", Operation: "Update", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:x":{}}`)}},
	}
	switch s.version {
	case "":
	case "-":
		m.ResourceVersion = ""
	default:
		m.ResourceVersion = s.version
	}
	return m
}

// encode returns the bytes of an object. Only JSON, CBOR of custom resources, and
// standalone objects include their kind.
func (f form) encode(s sent, named bool) []byte {
	apiVersion, kind := f.names()
	if s.kind != "" {
		kind = s.kind
	}
	if f.encoding == asProtobuf {
		return f.message(s)
	}
	fields := map[string]any{"metadata": plain(s.meta())}
	if !f.metadata {
		fields["spec"] = map[string]any{"nodeName": s.Node}
	}
	if f.metadata || named || f.t == Widgets || s.kind != "" {
		fields["apiVersion"], fields["kind"] = apiVersion, kind
	}
	if f.encoding == asCBOR {
		return oddCBOR(s, must(direct.Marshal(fields)))
	}
	return oddJSON(s, must(json.Marshal(fields)))
}

// message returns an object in protobuf, without its envelope.
func (f form) message(s sent) []byte {
	var b []byte
	if f.metadata {
		m := metav1.PartialObjectMetadata{ObjectMeta: s.meta()}
		b = must(m.Marshal())
	} else {
		p := corev1.Pod{ObjectMeta: s.meta(), Spec: corev1.PodSpec{NodeName: s.Node}}
		b = must(p.Marshal())
	}
	switch s.odd {
	case deep: // nested groups, which gogo/protobuf skips
		b = append(b, bytes.Repeat([]byte{0x93, 0x07}, 11000)...)
		b = append(b, bytes.Repeat([]byte{0x94, 0x07}, 11000)...)
	case huge:
		b = binary.AppendUvarint(append(b, 0xfa, 0x07), 2<<20)
		b = append(b, make([]byte, 2<<20)...)
	case notUTF8:
		b = append(b, 0x0a, 4, 0x0a, 2, 0xff, 0xfe)
	case duplicates:
		b = append(b, b...)
	case numbers:
		b = append(b, 0xf8, 0x07, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01)
	case wrongTypes:
		b = append(b, 0x08, 1)
	}
	return b
}

// oddJSON splices a defect into a JSON object.
func oddJSON(s sent, object []byte) []byte {
	var member string
	switch {
	case s.odd == deep || s.Unusable:
		member = `"odd":` + strings.Repeat(`[`, 11000) + strings.Repeat(`]`, 11000)
	case s.odd == huge:
		member = `"odd":"` + strings.Repeat("x", 2<<20) + `"`
	case s.odd == notUTF8:
		member = "\"odd\":\"\xff\xfe\\ud800\""
	case s.odd == duplicates:
		member = `"metadata":{"name":"other","namespace":"other"},"kind":"Other","kind":"Other"`
	case s.odd == numbers:
		member = `"odd":[1e400,-0,1e-400,123456789012345678901234567890,0.1e1]`
	case s.odd == wrongTypes:
		member = `"spec":[],"status":1,"metadata":{"labels":[1]}`
	default:
		return object
	}
	return append(append(append(bytes.Clone(object[:len(object)-1]), ','), member...), '}')
}

// oddCBOR turns a CBOR object into an indefinite map, with a defect at its end.
func oddCBOR(s sent, object []byte) []byte {
	var member []byte
	switch {
	case s.odd == deep || s.Unusable:
		member = append(append(text("odd"), bytes.Repeat([]byte{0x81}, 11000)...), 0)
	case s.odd == huge:
		member = append(text("odd"), text(strings.Repeat("x", 2<<20))...)
	case s.odd == notUTF8:
		member = append(text("odd"), 0x62, 0xff, 0xfe)
	case s.odd == duplicates:
		member = append(text("kind"), text("Other")...)
	case s.odd == numbers:
		member = append(text("odd"), 0xfb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0)
	case s.odd == wrongTypes:
		member = append(text("metadata"), 0x80)
	default:
		return object
	}
	body := bytes.TrimPrefix(object, []byte{0xd9, 0xd9, 0xf7})
	if body[0] < 0xa0 || body[0] > 0xb7 { // not a small map with a one-byte head
		return object
	}
	return append(append(append([]byte{0xbf}, body[1:]...), member...), 0xff)
}

// text returns a CBOR text string.
func text(s string) []byte {
	b := []byte{0x7a}
	return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
}

// plain converts a struct to maps.
func plain(v any) (m any) {
	if err := json.Unmarshal(must(json.Marshal(v)), &m); err != nil {
		return nil
	}
	return m
}

// must drops the error of encoders that cannot fail on the values used here. The test
// would notice a lost object.
func must[T any](v T, _ error) T { return v }

// page is a page of a list.
type page struct {
	list      int // the list that it belongs to
	items     []sent
	version   string
	token     string
	remaining *int64
	kind      string // replaces the right kind
}

// encodePage returns the bytes of a list.
func (f form) encodePage(p page) []byte {
	apiVersion, kind := f.names()
	kind += "List"
	if p.kind != "" {
		kind = p.kind
	}
	meta := metav1.ListMeta{ResourceVersion: p.version, Continue: p.token, RemainingItemCount: p.remaining}
	var b bytes.Buffer
	switch f.encoding {
	case asProtobuf:
		m := must(meta.Marshal())
		b.Write(binary.AppendUvarint([]byte{0x0a}, uint64(len(m))))
		b.Write(m)
		for _, item := range p.items {
			m := f.encode(item, false)
			b.Write(binary.AppendUvarint([]byte{0x12}, uint64(len(m))))
			b.Write(m)
		}
		return envelope(apiVersion, kind, b.Bytes())
	case asCBOR:
		b.Write([]byte{0xd9, 0xd9, 0xf7, 0xbf})
		for _, part := range [][]byte{text("apiVersion"), text(apiVersion), text("kind"), text(kind), text("metadata"), must(direct.Marshal(plain(meta))), text("items"), {0x9f}} {
			b.Write(part)
		}
		for _, item := range p.items {
			b.Write(f.encode(item, false))
		}
		b.Write([]byte{0xff, 0xff})
		return b.Bytes()
	}
	var items []string
	for _, item := range p.items {
		items = append(items, string(f.encode(item, false)))
	}
	list := strings.Join(items, ",")
	if f.t == Widgets && !f.metadata {
		fmt.Fprintf(&b, `{"apiVersion":%q,"items":[%s],"kind":%q,"metadata":%s}`, apiVersion, list, kind, must(json.Marshal(meta)))
	} else {
		fmt.Fprintf(&b, `{"kind":%q,"apiVersion":%q,"metadata":%s,"items":[%s]}`, kind, apiVersion, must(json.Marshal(meta)), list)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// envelope wraps a message in the envelope of the protobuf encoding.
func envelope(apiVersion, kind string, message []byte) []byte {
	u := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: message}
	return append([]byte("k8s\x00"), must(u.Marshal())...)
}

// frame returns a watch event with an object that includes its kind.
func (f form) frame(event string, object []byte) []byte {
	switch f.encoding {
	case asProtobuf:
		e := metav1.WatchEvent{Type: event, Object: runtime.RawExtension{Raw: object}}
		b := must(e.Marshal())
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
	case asCBOR:
		b := append([]byte{0xbf}, text("type")...)
		b = append(append(append(b, text(event)...), text("object")...), object...)
		return append(b, 0xff)
	}
	return fmt.Appendf(nil, "{\"type\":%q,\"object\":%s}\n", event, object)
}

// event returns the frame of an event about an object.
func (f form) event(kind string, s sent) []byte {
	b := f.encode(s, true)
	if f.encoding == asProtobuf {
		apiVersion, kind := f.names()
		if s.kind != "" {
			kind = s.kind
		}
		b = envelope(apiVersion, kind, b)
	}
	return f.frame(kind, b)
}

// bookmark returns the frame of a bookmark.
func (f form) bookmark(version string, end bool) []byte {
	s := sent{version: version}
	m := metav1.ObjectMeta{ResourceVersion: s.meta().ResourceVersion}
	if end {
		m.Annotations = map[string]string{"k8s.io/initial-events-end": "true"}
	}
	apiVersion, kind := f.names()
	switch f.encoding {
	case asProtobuf:
		p := corev1.Pod{ObjectMeta: m}
		b := must(p.Marshal())
		if f.metadata {
			part := metav1.PartialObjectMetadata{ObjectMeta: m}
			b = must(part.Marshal())
		}
		return f.frame("BOOKMARK", envelope(apiVersion, kind, b))
	case asCBOR:
		return f.frame("BOOKMARK", must(direct.Marshal(map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": plain(m)})))
	}
	return f.frame("BOOKMARK", must(json.Marshal(map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": m})))
}

// status returns a Status, as the body of an answer or the object of an event.
func (f form) status(st metav1.Status) []byte {
	st.Status = "Failure"
	switch f.encoding {
	case asProtobuf:
		return envelope("v1", "Status", must(st.Marshal()))
	case asCBOR:
		st.Kind, st.APIVersion = "Status", "v1"
		return must(direct.Marshal(plain(st)))
	}
	st.Kind, st.APIVersion = "Status", "v1"
	return must(json.Marshal(st))
}
