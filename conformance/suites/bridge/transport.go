package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// Sources returns the source of a path such as /api/v1/namespaces/a/pods, and the kind
// of its objects.
type Sources func(path string) (cache.ListerWatcher, Kind, error)

// Transport is an http.RoundTripper that answers lists and watches from sources.
// It is safe for concurrent use if the sources are.
type Transport struct {
	sources Sources
}

// NewTransport returns a transport over sources.
func NewTransport(sources Sources) *Transport { return &Transport{sources} }

// RoundTrip answers a list or a watch. An API status error of the source becomes the
// answer; every other error is returned as a connection error.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	if req.Body != nil {
		_ = req.Body.Close()
	}
	if req.Method != http.MethodGet {
		return nil, fmt.Errorf("bridge: %s %s: only lists and watches are served", req.Method, req.URL.Path)
	}
	source, kind, err := t.sources(req.URL.Path)
	if err != nil {
		return nil, fmt.Errorf("bridge: %s: %w", req.URL.Path, err)
	}
	format := kind.format(req.Header.Get("Accept"))
	query := req.URL.Query()
	var opts metav1.ListOptions
	if err := metav1.Convert_url_Values_To_v1_ListOptions(&query, &opts, nil); err != nil {
		return nil, fmt.Errorf("bridge: %s: %w", req.URL, err)
	}
	var resp *http.Response
	if opts.Watch {
		resp, err = openWatch(req.Context(), source, format, opts)
	} else {
		resp, err = list(req.Context(), source, format, opts)
	}
	if err != nil {
		var status apierrors.APIStatus
		if !errors.As(err, &status) {
			return nil, err
		}
		s := status.Status()
		body, encodeErr := format.encode(&s)
		if encodeErr != nil {
			return nil, encodeErr
		}
		resp = response(int(s.Code), format.mediaType, io.NopCloser(bytes.NewReader(body)))
	}
	resp.Request = req
	return resp, nil
}

func response(code int, mediaType string, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: code, Status: fmt.Sprintf("%d %s", code, http.StatusText(code)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {mediaType}}, Body: body, ContentLength: -1,
	}
}

func list(ctx context.Context, source cache.ListerWatcher, f format, opts metav1.ListOptions) (*http.Response, error) {
	opts.Watch, opts.SendInitialEvents, opts.AllowWatchBookmarks = false, nil, false
	all, err := cache.ToListerWithContext(source).ListWithContext(ctx, opts)
	if err != nil {
		return nil, err
	}
	body, err := f.encodeList(all)
	if err != nil {
		return nil, err
	}
	return response(http.StatusOK, f.mediaType, io.NopCloser(bytes.NewReader(body))), nil
}

// openWatch opens the watch of the source before it answers, so that an error of the
// source becomes the answer.
func openWatch(ctx context.Context, source cache.ListerWatcher, f format, opts metav1.ListOptions) (*http.Response, error) {
	var first []watch.Event
	if opts.SendInitialEvents != nil && *opts.SendInitialEvents {
		events, version, err := initialEvents(ctx, source, f, opts)
		if err != nil {
			return nil, err
		}
		first, opts.ResourceVersion = events, version
	}
	opts.SendInitialEvents, opts.ResourceVersionMatch, opts.AllowWatchBookmarks = nil, "", false
	events, err := cache.ToWatcherWithContext(source).WatchWithContext(ctx, opts)
	if err != nil {
		return nil, err
	}
	reader, writer := io.Pipe()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer events.Stop()
		writer.CloseWithError(send(ctx, f.frames(writer), first, events))
	}()
	mediaType := f.mediaType
	if !strings.Contains(mediaType, "json") {
		mediaType += ";stream=watch"
	}
	return response(http.StatusOK, mediaType, &body{reader, cancel}), nil
}

// initialEvents returns the list of a source as the events of a streaming list, and its
// version.
func initialEvents(ctx context.Context, source cache.ListerWatcher, f format, opts metav1.ListOptions) ([]watch.Event, string, error) {
	all, err := cache.ToListerWithContext(source).ListWithContext(ctx, metav1.ListOptions{
		LabelSelector: opts.LabelSelector, FieldSelector: opts.FieldSelector, ResourceVersion: opts.ResourceVersion,
	})
	if err != nil {
		return nil, "", err
	}
	items, version, err := itemsOf(all)
	if err != nil {
		return nil, "", err
	}
	var events []watch.Event
	for _, item := range items {
		events = append(events, watch.Event{Type: watch.Added, Object: item})
	}
	bookmark, err := f.bookmark(version)
	return append(events, watch.Event{Type: watch.Bookmark, Object: bookmark}), version, err
}

// send writes events until the source or the reader ends the watch.
func send(ctx context.Context, out frameWriter, first []watch.Event, events watch.Interface) error {
	for _, e := range first {
		if err := out.write(string(e.Type), e.Object); err != nil {
			return err
		}
	}
	for {
		select {
		case e, open := <-events.ResultChan():
			if !open {
				return io.EOF
			}
			if err := out.write(string(e.Type), e.Object); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// body is the body of a watch. Close ends the goroutine that writes it.
type body struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Close ends the watch.
func (b *body) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// frameWriter writes watch events.
type frameWriter interface {
	write(kind string, object runtime.Object) error
}
