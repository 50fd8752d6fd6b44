package tunnel

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion/queryparams"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

var (
	// ErrNotReached is the error for a function that returned objects of its own: its
	// client has no Transport, or it ignores its context.
	ErrNotReached = errors.New("the list or watch function uses a client that was not made from a wrapped rest.Config, or ignores its context")
	// ErrWrapped is the error for a watch function that puts something around the watch
	// of its client. It may filter or change the objects.
	ErrWrapped = errors.New("the watch function wraps the watch of its client, and may filter or change the objects")
)

// Shape says in what form a Source asks for objects.
type Shape struct {
	// Kind is the type of the objects; zero if it is not known.
	Kind schema.GroupVersionKind
	// View: full objects, or metadata only.
	View kube.View
	// Protobuf: the objects can be decoded from protobuf.
	Protobuf bool
	// Dynamic: the client is one for objects without Go types.
	Dynamic bool
	// BuiltIn: the API server serves the type itself, so it orders its versions.
	BuiltIn bool
}

// Source lists and watches with the functions of a ListerWatcher, and returns bytes. It
// is a reflector.Source.
type Source struct {
	lw     cache.ListerWatcherWithContext
	shape  Shape
	listed atomic.Pointer[schema.GroupVersionKind] // of the objects, as a list tells
	path   atomic.Pointer[string]                  // of the last request; nil if there was none
}

// NewSource returns a source that calls the functions of lw. It sends no request.
func NewSource(lw cache.ListerWatcherWithContext, shape Shape) *Source {
	return &Source{lw: lw, shape: shape}
}

// String returns the name of the type; the path of the last request if the type is not
// known.
func (s *Source) String() string {
	if k := s.Kind(); k.Kind != "" {
		return k.Kind + "." + k.GroupVersion().String()
	}
	if path := s.path.Load(); path != nil {
		return *path
	}
	return "objects"
}

// Kind returns the type of the objects, as it was given or as a list told; zero if
// neither is known.
func (s *Source) Kind() schema.GroupVersionKind {
	if k := s.listed.Load(); k != nil && s.shape.Kind.Empty() {
		return *k
	}
	return s.shape.Kind
}

// Ordered implements reflector.Orderer.
func (s *Source) Ordered(context.Context) (ordered, known bool) {
	return s.shape.BuiltIn, s.shape.BuiltIn
}

// Probe calls the watch function with a context that lets no request leave the process.
// It returns nil if the engine can have the answers in place of the function. A function
// that cannot be reached may send a real request, for an object that does not exist.
// Probe ends it.
//
// Errors: ErrNotReached, ErrSeveral, ErrWrapped; the error that the function returned.
func (s *Source) Probe(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := s.capture(ctx, "watch", nil)
	c.probe = true
	w, err := s.lw.WatchWithContext(c.mark(ctx), metav1.ListOptions{
		AllowWatchBookmarks: true, TimeoutSeconds: ptr.To(int64(1)), FieldSelector: "metadata.name=vedette-probe",
	})
	discard(w, err)
	_, plain := w.(*watch.StreamWatcher)
	switch r := c.result(); {
	case r.requests == 0 && err != nil:
		return fmt.Errorf("%w, and returned: %w", ErrNotReached, err)
	case r.requests == 0:
		return ErrNotReached
	case r.requests > 1:
		return ErrSeveral
	case err != nil:
		return fmt.Errorf("the watch function failed although it got an answer: %w", err)
	case !plain && s.shape.View != kube.Metadata: // controller-runtime wraps metadata, to name its kind
		return ErrWrapped
	}
	return nil
}

// List implements reflector.Source.
//
// Errors: those of the list function; ErrNotReached; an answer in an encoding that was
// not asked for.
func (s *Source) List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	opts.Watch = false
	query, err := queryparams.Convert(&opts)
	if err != nil {
		return wire.Stream{}, err
	}
	c := s.capture(ctx, "list", query)
	_, err = s.lw.ListWithContext(c.mark(ctx), opts)
	stream, err := s.stream(c, err)
	if err == nil && s.shape.Kind.Empty() && s.shape.View == kube.Full && stream.Encoding == wire.JSON {
		stream.Body = &listHead{ReadCloser: stream.Body, found: func(k schema.GroupVersionKind) { s.listed.Store(&k) }}
	}
	return stream, err
}

// Watch implements reflector.Source.
//
// Errors: those of the watch function; ErrNotReached; an answer in an encoding that was
// not asked for.
func (s *Source) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	opts.Watch = true
	query, err := queryparams.Convert(&opts)
	if err != nil {
		return wire.Stream{}, err
	}
	c := s.capture(ctx, "watch", query)
	w, err := s.lw.WatchWithContext(c.mark(ctx), opts)
	discard(w, err)
	return s.stream(c, err)
}

// discard ends the watch that the client made of an empty answer.
func discard(w watch.Interface, err error) {
	if err == nil && w != nil {
		w.Stop()
	}
}

// capture returns the mark for one call.
func (s *Source) capture(ctx context.Context, verb string, query url.Values) *capture {
	return &capture{body: ctx, query: query, accept: s.accept(verb), empty: s.emptyList(), path: &s.path}
}

// accept lists the encodings that can be read, best first.
func (s *Source) accept(verb string) string {
	as := ""
	if s.shape.View == kube.Metadata {
		as = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
		if verb == "list" {
			as = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
		}
	}
	json := wire.MediaTypeJSON + as
	if !s.shape.Protobuf {
		return json
	}
	return wire.MediaTypeProtobuf + as + "," + json
}

// emptyList returns a list that the client of the function decodes without an error.
func (s *Source) emptyList() string {
	switch {
	case s.shape.View == kube.Metadata:
		return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[]}`
	case s.shape.Dynamic:
		return `{"kind":"List","apiVersion":"v1","metadata":{},"items":[]}`
	}
	list := `"metadata":{},"items":[]}`
	if s.shape.BuiltIn {
		return fmt.Sprintf(`{"kind":"%sList","apiVersion":%q,%s`, s.shape.Kind.Kind, s.shape.Kind.GroupVersion().String(), list)
	}
	return "{" + list // typed clients know which kind they asked for
}

// stream returns the answer that a capture took. failed is the error of the function.
func (s *Source) stream(c *capture, failed error) (wire.Stream, error) {
	r := c.result()
	switch {
	case r.several:
		return wire.Stream{}, ErrSeveral
	case r.resp != nil && failed != nil && !undecodedReply(failed):
		r.resp.Body.Close() // the function rejected the answer
		return wire.Stream{}, failed
	case r.resp != nil:
		return s.opened(r.resp)
	case failed != nil:
		return wire.Stream{}, failed
	case r.err != nil:
		// client-go makes an empty watch of a timeout: the error would be lost.
		return wire.Stream{}, r.err
	case r.requests == 0:
		return wire.Stream{}, ErrNotReached
	}
	return wire.Stream{}, fmt.Errorf("the list or watch function returned no error for the answer %d of the server; set Options.Stock if the function must be used", r.status)
}

// undecodedReply reports whether a function failed because its client needs the kind of a
// list to decode it: the empty list has no kind if the kind is unknown.
func undecodedReply(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if runtime.IsMissingKind(err) || runtime.IsNotRegisteredError(err) {
			return true
		}
	}
	return false
}

// opened returns the stream of an answer.
func (s *Source) opened(resp *http.Response) (wire.Stream, error) {
	enc, err := wire.EncodingOf(resp.Header.Get("Content-Type"))
	if err == nil && enc != wire.JSON && (enc != wire.Protobuf || !s.shape.Protobuf) {
		err = fmt.Errorf("the answer is in %s, which was not asked for", enc)
	}
	if packed := resp.Header.Get("Content-Encoding"); err == nil && packed != "" && packed != "identity" {
		err = fmt.Errorf("the answer is compressed with %s, which the transport of the client did not undo", packed)
	}
	if err != nil {
		resp.Body.Close()
		return wire.Stream{}, err
	}
	stream := wire.Stream{Body: resp.Body, Encoding: enc, APIVersion: s.shape.Kind.GroupVersion().String(), Kind: s.shape.Kind.Kind}
	if s.shape.View == kube.Metadata {
		stream.APIVersion, stream.Kind = "meta.k8s.io/v1", "PartialObjectMetadata"
	}
	return stream, nil
}
