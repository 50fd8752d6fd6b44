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

// misfortune is what a request meets.
type misfortune uint8

const (
	busy      misfortune = iota // 429, to be tried again after a second
	away                        // 503
	broken                      // 500
	expired                     // 410, to a watch
	noStreams                   // 422, to a list as a stream
	slow                        // its answer trickles
	torn                        // its answer breaks off
	misfortunes
)

// road is what the requests of one informer pass.
type road struct {
	mu    sync.Mutex
	armed []misfortune
	clear chan struct{} // closed when the road is good again
	// bookmarks says that watches may get them.
	bookmarks bool
	lists     int // requests for all objects
	met       [misfortunes]int
}

func newRoad() *road { return &road{clear: make(chan struct{}), bookmarks: true} }

// arm lets the next fitting requests meet misfortunes, one each.
func (r *road) arm(all ...misfortune) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.armed = append(r.armed, all...)
}

// mend makes the road good.
func (r *road) mend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.armed = nil
	close(r.clear)
	r.clear = make(chan struct{})
}

// without lets watches get bookmarks or not, from the next on.
func (r *road) without(bookmarks bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bookmarks = !bookmarks
}

func (r *road) listed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lists
}

// take returns the misfortune of a request.
func (r *road) take(watch, stream bool) (m misfortune, some, bookmarks bool, clear <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !watch || stream {
		r.lists++
	}
	i := slices.IndexFunc(r.armed, func(m misfortune) bool {
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

// traveler is the transport of one client on a road.
type traveler struct {
	road  *road
	below http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t traveler) RoundTrip(req *http.Request) (*http.Response, error) {
	query := req.URL.Query()
	watch, stream := query.Has("watch"), query.Has("sendInitialEvents")
	m, some, bookmarks, clear := t.road.take(watch, stream)
	if some {
		if resp := refusal(req, m); resp != nil {
			return resp, nil
		}
	}
	if watch && !stream && !bookmarks { // a stream needs the bookmark at its end
		req = req.Clone(req.Context())
		query.Del("allowWatchBookmarks")
		req.URL.RawQuery = query.Encode()
	}
	resp, err := t.below.RoundTrip(req)
	if err == nil && some && resp.StatusCode == http.StatusOK {
		resp.Body = &bumpy{ReadCloser: resp.Body, clear: clear, torn: m == torn, left: 700}
	}
	return resp, err
}

// refusal returns the answer of a server that refuses, or nil.
func refusal(req *http.Request, m misfortune) *http.Response {
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
	text, _ := json.Marshal(status) // it has only strings
	return &http.Response{
		StatusCode: int(status.Code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: header, Body: io.NopCloser(bytes.NewReader(text)), ContentLength: int64(len(text)),
	}
}

// bumpy is a body that trickles until the road is clear, or breaks off.
type bumpy struct {
	io.ReadCloser
	clear <-chan struct{}
	torn  bool
	left  int // what is read before it is torn
}

// Read implements io.Reader.
func (b *bumpy) Read(p []byte) (int, error) {
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
	case <-time.After(10 * time.Millisecond):
		p = p[:min(len(p), 100)]
	}
	return b.ReadCloser.Read(p)
}
