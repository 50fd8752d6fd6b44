package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// Kind is the type of the objects of a source.
type Kind struct {
	schema.GroupVersionKind
	// Loose means that no scheme has the type: its objects are sent as JSON.
	Loose bool
}

// format encodes objects of a kind for one request.
type format struct {
	kind      Kind
	info      runtime.SerializerInfo
	mediaType string
	metadata  bool // PartialObjectMetadata instead of the type
}

// format returns the best format of an Accept header.
func (k Kind) format(accept string) format {
	want := runtime.ContentTypeJSON
	first, _, _ := strings.Cut(accept, ",")
	metadata := strings.Contains(first, "as=PartialObjectMetadata")
	if strings.HasPrefix(first, runtime.ContentTypeProtobuf) && (metadata || !k.Loose) {
		want = runtime.ContentTypeProtobuf
	}
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), want)
	return format{kind: k, info: info, mediaType: want, metadata: metadata}
}

// encode returns the bytes of an object with its version and kind.
func (f format) encode(object runtime.Object) ([]byte, error) {
	if status, ok := object.(*metav1.Status); ok {
		return f.encodeAs(status, schema.GroupVersion{Version: "v1"})
	}
	if f.metadata {
		part, err := partOf(object)
		if err != nil {
			return nil, err
		}
		return f.encodeAs(part, metav1.SchemeGroupVersion)
	}
	if f.kind.Loose {
		return json.Marshal(object)
	}
	return f.encodeAs(object, f.kind.GroupVersion())
}

// encodeAs encodes a copy: encoding temporarily sets the kind of the object, and the test
// may read the object meanwhile.
func (f format) encodeAs(object runtime.Object, version schema.GroupVersion) ([]byte, error) {
	var out bytes.Buffer
	object = object.DeepCopyObject()
	err := scheme.Codecs.WithoutConversion().EncoderForVersion(f.info.Serializer, version).Encode(object, &out)
	if err != nil {
		return nil, fmt.Errorf("bridge: encode %T: %w", object, err)
	}
	return out.Bytes(), nil
}

// partOf returns the metadata of an object.
func partOf(object runtime.Object) (*metav1.PartialObjectMetadata, error) {
	if part, ok := object.(*metav1.PartialObjectMetadata); ok {
		copied := part.DeepCopy()
		copied.TypeMeta = metav1.TypeMeta{}
		return copied, nil
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	return meta.AsPartialObjectMetadata(accessor), nil
}

// encodeList returns the bytes of a list, whatever list type the source uses: fakes
// return a v1.List of pods where a server sends a PodList.
func (f format) encodeList(all runtime.Object) ([]byte, error) {
	items, _, err := itemsOf(all)
	if err != nil {
		return nil, err
	}
	from, err := meta.ListAccessor(all)
	if err != nil {
		return nil, err
	}
	list, version, err := f.newList(items)
	if err != nil {
		return nil, err
	}
	to, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	to.SetResourceVersion(from.GetResourceVersion())
	to.SetContinue(from.GetContinue())
	to.SetRemainingItemCount(from.GetRemainingItemCount())
	if f.kind.Loose && !f.metadata {
		return json.Marshal(list)
	}
	return f.encodeAs(list, version)
}

// newList returns a list of the type that the client expects.
func (f format) newList(items []runtime.Object) (runtime.Object, schema.GroupVersion, error) {
	kind := f.kind.GroupVersionKind
	kind.Kind += "List"
	switch {
	case f.metadata:
		list := &metav1.PartialObjectMetadataList{}
		for _, item := range items {
			part, err := partOf(item)
			if err != nil {
				return nil, schema.GroupVersion{}, err
			}
			list.Items = append(list.Items, *part)
		}
		return list, metav1.SchemeGroupVersion, nil
	case f.kind.Loose:
		return looseList(kind, items)
	}
	list, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil, schema.GroupVersion{}, err
	}
	return list, kind.GroupVersion(), meta.SetList(list, items)
}

// itemsOf returns the items of a list and its version.
func itemsOf(all runtime.Object) ([]runtime.Object, string, error) {
	items, err := meta.ExtractList(all)
	if err != nil {
		return nil, "", fmt.Errorf("bridge: a list of type %T: %w", all, err)
	}
	accessor, err := meta.ListAccessor(all)
	if err != nil {
		return nil, "", fmt.Errorf("bridge: a list of type %T: %w", all, err)
	}
	return items, accessor.GetResourceVersion(), nil
}

// bookmark returns the object that ends the initial events of a streaming list.
func (f format) bookmark(version string) (runtime.Object, error) {
	var object runtime.Object
	switch {
	case f.metadata:
		object = &metav1.PartialObjectMetadata{}
	case f.kind.Loose:
		object = newLoose(f.kind.GroupVersionKind)
	default:
		known, err := scheme.Scheme.New(f.kind.GroupVersionKind)
		if err != nil {
			return nil, err
		}
		object = known
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(version)
	accessor.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return object, nil
}

// frames returns a writer of watch events.
func (f format) frames(to io.Writer) frameWriter {
	return &framer{f, f.info.StreamSerializer.Framer.NewFrameWriter(to)}
}

type framer struct {
	format
	to io.Writer
}

func (w *framer) write(kind string, object runtime.Object) error {
	raw, err := w.encode(object)
	if err != nil {
		return err
	}
	event := &metav1.WatchEvent{Type: kind, Object: runtime.RawExtension{Raw: raw}}
	var frame bytes.Buffer
	if err := w.info.StreamSerializer.Encode(event, &frame); err != nil {
		return fmt.Errorf("bridge: encode an event: %w", err)
	}
	_, err = w.to.Write(frame.Bytes())
	return err
}
