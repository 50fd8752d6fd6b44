package chaos_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// requestFault is a fault of one request.
type requestFault uint8

const (
	busy          requestFault = iota // 429, with Retry-After of a second
	away                              // 503
	broken                            // 500
	expired                           // 410, to a watch
	noStreams                         // 422, to a list as a stream
	slow                              // the answer trickles
	torn                              // the answer breaks off
	requestFaults                     // number of kinds
)

// faults injects faults into the requests of one informer.
type faults struct {
	mu    sync.Mutex
	armed []requestFault
	clear chan struct{} // closed when the faults end
	// bookmarks allows bookmarks in watches.
	bookmarks bool
	lists     int // lists of all objects
	met       [requestFaults]int
}

func newFaults() *faults { return &faults{clear: make(chan struct{}), bookmarks: true} }

// arm adds faults for the next matching requests, one each.
func (r *faults) arm(all ...requestFault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.armed = append(r.armed, all...)
}

// mend ends all faults.
func (r *faults) mend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.armed = nil
	close(r.clear)
	r.clear = make(chan struct{})
}

// without turns bookmarks on or off, from the next watch on.
func (r *faults) without(bookmarks bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bookmarks = !bookmarks
}

func (r *faults) listed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lists
}

// take returns the fault of a request.
func (r *faults) take(watch, stream bool) (m requestFault, some, bookmarks bool, clear <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !watch || stream {
		r.lists++
	}
	i := slices.IndexFunc(r.armed, func(m requestFault) bool {
		return (m != expired || watch && !stream) && (m != noStreams || stream)
	})
	if i < 0 {
		return 0, false, r.bookmarks, r.clear
	}
	m = r.armed[i]
	r.armed = slices.Delete(r.armed, i, i+1)
	r.met[m]++
	return m, true, r.bookmarks, r.clear
}

// faultyTransport is the transport of one client, with faults.
type faultyTransport struct {
	faults *faults
	below  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t faultyTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	query := req.URL.Query()
	watch, stream := query.Has("watch"), query.Has("sendInitialEvents")
	m, some, bookmarks, clear := t.faults.take(watch, stream)
	if some {
		if resp := refusal(req, m); resp != nil {
			return resp, nil
		}
	}
	if watch && !stream && !bookmarks { // a streaming list needs the bookmark at its end
		req = req.Clone(req.Context())
		query.Del("allowWatchBookmarks")
		req.URL.RawQuery = query.Encode()
	}
	resp, err := t.below.RoundTrip(req)
	if err == nil && some && resp.StatusCode == http.StatusOK {
		resp.Body = &faultyBody{ReadCloser: resp.Body, clear: clear, torn: m == torn, left: 700}
	}
	return resp, err
}

// refusal returns the response of a server that refuses, or nil.
func refusal(req *http.Request, m requestFault) *http.Response {
	status := metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Message: "chaos"}
	header := http.Header{"Content-Type": {"application/json"}}
	switch m {
	case busy:
		status.Code, status.Reason = http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests
		header.Set("Retry-After", "1")
	case away:
		status.Code, status.Reason = http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable
	case broken:
		status.Code, status.Reason = http.StatusInternalServerError, metav1.StatusReasonInternalError
	case expired:
		status.Code, status.Reason = http.StatusGone, metav1.StatusReasonExpired
	case noStreams:
		status.Code, status.Reason = http.StatusUnprocessableEntity, metav1.StatusReasonInvalid
		status.Details = &metav1.StatusDetails{Kind: "ListOptions", Group: "meta.k8s.io"}
	default:
		return nil
	}
	text, _ := json.Marshal(status) // cannot fail: it has only strings
	return &http.Response{
		StatusCode: int(status.Code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: header, Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)),
	}
}

// faultyBody is a body that trickles until the faults end, or breaks off.
type faultyBody struct {
	io.ReadCloser
	clear <-chan struct{}
	torn  bool
	left  int // bytes before it breaks off
}

// Read implements io.Reader.
func (b *faultyBody) Read(p []byte) (int, error) {
	if b.torn {
		if b.left == 0 {
			return 0, io.ErrUnexpectedEOF
		}
		n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
		b.left -= n
		return n, err
	}
	select {
	case <-b.clear:
	case <-time.After(10 * time.Millisecond): // an input: the pace of the disturbance
		p = p[:min(len(p), 100)]
	}
	return b.ReadCloser.Read(p)
}
