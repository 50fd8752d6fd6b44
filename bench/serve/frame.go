package serve

import (
	"encoding/binary"
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"github.com/vedette-io/vedette/bench/workload"
)

// Tags of the protobuf messages around an object, all of them length-delimited.
const (
	tag1 = 1<<3 | 2
	tag2 = 2<<3 | 2
)

// magic begins every protobuf object of Kubernetes, and envelopeEnd ends it.
const (
	magic       = "k8s\x00"
	envelopeEnd = "\x1a\x00\x22\x00"
)

// framer writes the bytes around the bodies of one kind in one form.
type framer struct {
	form             workload.Form
	apiVersion, kind string // of an object
	builtin          bool   // items of JSON lists omit their kind
	prefix           int    // length of the kind at the beginning of a JSON body
}

func newFramer(k workload.Kind, f workload.Form) framer {
	fr := framer{form: f, builtin: !k.Custom && f.Part == workload.Whole}
	fr.apiVersion, fr.kind = f.Names(k)
	fr.prefix = len(fmt.Sprintf(`{"kind":%q,"apiVersion":%q,`, fr.kind, fr.apiVersion))
	return fr
}

// contentType returns the content type of a list, or of a stream.
func (f framer) contentType(stream bool) string {
	switch {
	case f.form.Encoding == workload.Protobuf && stream:
		return "application/vnd.kubernetes.protobuf;stream=watch"
	case f.form.Encoding == workload.Protobuf:
		return "application/vnd.kubernetes.protobuf"
	case f.form.Encoding == workload.CBOR && stream:
		return "application/cbor-seq"
	case f.form.Encoding == workload.CBOR:
		return "application/cbor"
	}
	return "application/json"
}

func sizeOfVarint(n int) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

// sizeOfField returns the length of a length-delimited field with its tag.
func sizeOfField(n int) int { return 1 + sizeOfVarint(n) + n }

func appendTag(dst []byte, tag byte, n int) []byte {
	return binary.AppendUvarint(append(dst, tag), uint64(n))
}

func appendField(dst []byte, tag byte, text string) []byte {
	return append(appendTag(dst, tag, len(text)), text...)
}

func sizeOfEnvelope(apiVersion, kind string, n int) int {
	return len(magic) + sizeOfField(sizeOfField(len(apiVersion))+sizeOfField(len(kind))) + sizeOfField(n) + len(envelopeEnd)
}

// appendEnvelope begins the envelope around n bytes; envelopeEnd ends it.
func appendEnvelope(dst []byte, apiVersion, kind string, n int) []byte {
	dst = append(dst, magic...)
	dst = appendTag(dst, tag1, sizeOfField(len(apiVersion))+sizeOfField(len(kind)))
	dst = appendField(appendField(dst, tag1, apiVersion), tag2, kind)
	return appendTag(dst, tag2, n)
}

// event writes a watch frame around size bytes of a body that write appends.
func (f framer) event(dst []byte, event string, size int, write func([]byte) []byte) []byte {
	return f.frame(dst, event, f.apiVersion, f.kind, size, write)
}

func (f framer) frame(dst []byte, event, apiVersion, kind string, size int, write func([]byte) []byte) []byte {
	switch f.form.Encoding {
	case workload.Protobuf:
		object := sizeOfEnvelope(apiVersion, kind, size)
		extension := sizeOfField(object)
		dst = binary.BigEndian.AppendUint32(dst, uint32(sizeOfField(len(event))+sizeOfField(extension)))
		dst = appendTag(appendField(dst, tag1, event), tag2, extension)
		dst = appendEnvelope(appendTag(dst, tag1, object), apiVersion, kind, size)
		return append(write(dst), envelopeEnd...)
	case workload.CBOR:
		dst = appendCBORText(append(dst, 0xa2), "type")
		dst = appendCBORText(appendCBORText(dst, event), "object")
		return write(dst)
	}
	dst = append(dst, `{"type":"`...)
	dst = append(append(dst, event...), `","object":`...)
	return append(write(dst), "}\n"...)
}

// appendCBORText appends a byte string of less than 24 bytes, as API servers
// write names.
func appendCBORText(dst []byte, text string) []byte {
	return append(append(dst, 0x40|byte(len(text))), text...)
}

// endBookmark returns the frame that ends the initial events.
func (f framer) endBookmark(k workload.Kind, version uint64) ([]byte, error) {
	obj := k.New(0, 0)
	meta := obj.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta)
	*meta = metav1.ObjectMeta{ResourceVersion: fmt.Sprint(version), Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}
	body, err := f.form.Body(k, obj)
	if err != nil {
		return nil, err
	}
	return f.event(nil, "BOOKMARK", len(body), func(dst []byte) []byte { return append(dst, body...) }), nil
}

// gone returns the frame for a watch whose version is too old.
func (f framer) gone() ([]byte, error) {
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Message: "too old resource version", Reason: metav1.StatusReasonExpired, Code: 410,
	}
	body, err := f.status(&status)
	if err != nil {
		return nil, err
	}
	return f.frame(nil, "ERROR", "v1", "Status", len(body), func(dst []byte) []byte { return append(dst, body...) }), nil
}

func (f framer) status(status *metav1.Status) ([]byte, error) {
	switch f.form.Encoding {
	case workload.Protobuf:
		return status.Marshal()
	case workload.CBOR:
		return direct.Marshal(status)
	}
	return fmt.Appendf(nil, `{"kind":"Status","apiVersion":"v1","status":%q,"message":%q,"reason":%q,"code":%d}`,
		status.Status, status.Message, status.Reason, status.Code), nil
}

// list writes the page of a list: head, items, tail.
type list struct {
	framer
	version   uint64
	next      string // the token of the next page
	remaining int64
}

// head begins a list of n items whose bodies, with their prefixes, have size bytes
// together; only protobuf needs the size.
func (l list) head(dst []byte, n, size int) []byte {
	switch l.form.Encoding {
	case workload.Protobuf:
		meta := metav1.ListMeta{ResourceVersion: fmt.Sprint(l.version), Continue: l.next}
		if l.next != "" {
			meta.RemainingItemCount = &l.remaining
		}
		metadata, _ := meta.Marshal() // it cannot fail
		dst = appendEnvelope(dst, l.apiVersion, l.kind+"List", sizeOfField(len(metadata))+size)
		return append(appendTag(dst, tag1, len(metadata)), metadata...)
	case workload.CBOR:
		dst = appendCBORPair(append(dst, 0xa4), "kind", l.kind+"List")
		dst = appendCBORPair(dst, "apiVersion", l.apiVersion)
		dst = append(appendCBORText(dst, "metadata"), 0xa2)
		dst = appendCBORPair(dst, "continue", l.next)
		dst = appendCBORPair(dst, "resourceVersion", fmt.Sprint(l.version))
		dst = appendCBORText(dst, "items")
		return binary.BigEndian.AppendUint32(append(dst, 0x9a), uint32(n))
	}
	dst = fmt.Appendf(dst, `{"kind":"%sList","apiVersion":%q,"metadata":{"resourceVersion":"%d"`, l.kind, l.apiVersion, l.version)
	if l.next != "" {
		dst = fmt.Appendf(dst, `,"continue":%q,"remainingItemCount":%d`, l.next, l.remaining)
	}
	return append(dst, `},"items":[`...)
}

// appendCBORPair appends a name and a value, both as byte strings.
func appendCBORPair(dst []byte, name, value string) []byte {
	dst = appendCBORText(dst, name)
	if len(value) < 24 {
		return appendCBORText(dst, value)
	}
	return append(append(dst, 0x58, byte(len(value))), value...)
}

// item writes the n-th item.
func (l list) item(dst []byte, n int, body []byte) []byte {
	switch l.form.Encoding {
	case workload.Protobuf:
		return append(appendTag(dst, tag2, len(body)), body...)
	case workload.CBOR:
		return append(dst, body...)
	}
	if n > 0 {
		dst = append(dst, ',')
	}
	if l.builtin {
		dst = append(dst, '{')
		body = body[l.prefix:]
	}
	return append(dst, body...)
}

func (l list) tail(dst []byte) []byte {
	switch l.form.Encoding {
	case workload.Protobuf:
		return append(dst, envelopeEnd...)
	case workload.CBOR:
		return dst
	}
	return append(dst, "]}\n"...)
}

// token returns the continue token of the page that begins with the i-th object.
func token(i int) string { return strconv.Itoa(i) }
