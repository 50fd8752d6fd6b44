package apitest

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// revision is one state of one object. It never changes after it is published, and is shared by rows, window and
// streams. It has frequently used fields in decoded form, and each encoding is made once.
type revision struct {
	res       *resource
	namespace string
	name      string
	uid       string
	version   uint64
	labels    labels.Set
	owners    []metav1.OwnerReference
	fields    []string // values of the selectable fields, in the order of the resource
	raw       []byte   // protobuf for a built-in object, JSON for a custom one

	json         cachedEncoding // JSON of a built-in object, without its kind
	metaJSON     cachedEncoding // PartialObjectMetadata as JSON, without its kind
	metaProtobuf cachedEncoding // PartialObjectMetadata of a custom object as protobuf
}

// cachedEncoding is an encoding that is made at its first use.
type cachedEncoding struct {
	once sync.Once
	data []byte
	err  error
}

func (l *cachedEncoding) get(produce func() ([]byte, error)) ([]byte, error) {
	l.once.Do(func() { l.data, l.err = produce() })
	return l.data, l.err
}

// newRevision encodes obj, which must have its version already. It does not keep obj.
func newRevision(res *resource, obj Object, version uint64) (*revision, error) {
	raw, err := res.encode(obj)
	if err != nil {
		return nil, err
	}
	rev := &revision{
		res: res, namespace: obj.GetNamespace(), name: obj.GetName(), uid: string(obj.GetUID()), version: version,
		labels: obj.GetLabels(), owners: slices.Clone(obj.GetOwnerReferences()), raw: raw,
	}
	for _, get := range res.getters {
		rev.fields = append(rev.fields, get(obj))
	}
	return rev, nil
}

// key orders objects as the keys of etcd do.
func (r *revision) key() string { return keyOf(r.namespace, r.name) }

func keyOf(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// Has and Get implement fields.Fields for field selectors.
func (r *revision) Has(string) bool { return true }

// Get returns the text of a selectable field.
func (r *revision) Get(label string) string {
	switch label {
	case "metadata.name":
		return r.name
	case "metadata.namespace":
		return r.namespace
	}
	for i, known := range r.res.SelectableFields {
		if known == label && i < len(r.fields) {
			return r.fields[i]
		}
	}
	return ""
}

// object decodes the revision. The caller may change the object.
func (r *revision) object() (Object, error) { return r.res.decode(r.raw) }

// atVersion returns the same state at another version.
func (r *revision) atVersion(version uint64) (*revision, error) {
	obj, err := r.object()
	if err != nil {
		return nil, err
	}
	setVersion(obj, version)
	return newRevision(r.res, obj, version)
}

// bytes returns the revision in one encoding, without the envelope that names its kind. The result is shared.
func (r *revision) bytes(enc encoding) ([]byte, error) {
	switch {
	case enc.part == wholeObject && enc.format == formatJSON && r.res.builtin():
		return r.json.get(r.encodeJSON)
	case enc.part == wholeObject:
		return r.raw, nil
	case enc.format != formatProtobuf: // CBOR is made of JSON
		return r.metaJSON.get(r.encodeMetaJSON)
	case r.res.builtin():
		return metadataPrefix(r.raw)
	default:
		return r.metaProtobuf.get(r.encodeMetaProtobuf)
	}
}

func (r *revision) encodeJSON() ([]byte, error) {
	obj, err := r.object()
	if err != nil {
		return nil, err
	}
	return json.Marshal(obj)
}

func (r *revision) encodeMetaJSON() ([]byte, error) {
	if !r.res.builtin() {
		p, err := partial(r.raw)
		if err != nil {
			return nil, err
		}
		return json.Marshal(p)
	}
	prefix, err := metadataPrefix(r.raw)
	if err != nil {
		return nil, err
	}
	p := &metav1.PartialObjectMetadata{}
	if err := p.Unmarshal(prefix); err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

func (r *revision) encodeMetaProtobuf() ([]byte, error) {
	p, err := partial(r.raw)
	if err != nil {
		return nil, err
	}
	return p.Marshal()
}

// metadataPrefix returns the metadata at the front of a built-in object. Metadata is field 1 of each object and of
// PartialObjectMetadata, so these bytes are already that message.
func metadataPrefix(raw []byte) ([]byte, error) {
	const metadataTag = 1<<3 | 2
	if len(raw) == 0 || raw[0] != metadataTag {
		return nil, errors.New("apitest: object without metadata")
	}
	size, n := binary.Uvarint(raw[1:])
	if n <= 0 || size > uint64(len(raw)-1-n) {
		return nil, errors.New("apitest: damaged metadata")
	}
	return raw[:1+n+int(size)], nil
}
