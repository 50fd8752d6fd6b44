package tunnel

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrSeveral is the error for a function that sends several requests.
var ErrSeveral = errors.New("the list or watch function sends several requests, and its objects cannot be taken from one answer")

// markKey is the key of a capture in a context.
type markKey struct{}

// capture is the mark of one call of a list or watch function. It takes one answer.
type capture struct {
	body   context.Context // the body lives as long as this context
	query  url.Values      // of the engine
	accept string
	empty  string                  // body of the answer to the client
	probe  bool                    // no request is sent
	path   *atomic.Pointer[string] // gets the path of the request

	mu       sync.Mutex // guards what follows, which is described at result
	requests int
	several  bool
	resp     *http.Response
	status   int
	err      error
}

// mark returns ctx with the capture.
func (c *capture) mark(ctx context.Context) context.Context {
	return context.WithValue(ctx, markKey{}, c)
}

// captureOf returns the capture of a context, or nil.
func captureOf(ctx context.Context) *capture {
	c, _ := ctx.Value(markKey{}).(*capture)
	return c
}

// engineParams are the parameters that belong to the engine: a list or watch function
// may set all others.
var engineParams = []string{
	"resourceVersion", "resourceVersionMatch", "allowWatchBookmarks", "sendInitialEvents",
	"timeoutSeconds", "limit", "continue", "watch",
}

// merge returns the query of the client with the parameters of the engine.
func (c *capture) merge(query url.Values) string {
	for _, name := range engineParams {
		if values, ok := c.query[name]; ok {
			query[name] = values
		} else {
			query.Del(name)
		}
	}
	return query.Encode()
}

// enter records that a request for a path arrived. It returns an error if an answer was already
// taken: that answer is one of several, so it is given up.
func (c *capture) enter(path string) error {
	c.path.Store(&path)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	if c.resp != nil {
		c.giveUpLocked()
	}
	if c.several {
		return ErrSeveral
	}
	return nil
}

// giveUpLocked drops the answer that was taken, for it is one of several.
func (c *capture) giveUpLocked() {
	c.resp.Body.Close()
	c.resp, c.several = nil, true
}

// answered records the result of a request, and takes an answer with status 200.
//
// Errors: err; ErrSeveral if there is another answer; then it closes this one.
func (c *capture) answered(resp *http.Response, err error) (taken bool, _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err = err; err != nil {
		return false, err
	}
	c.status = resp.StatusCode
	if resp.StatusCode != http.StatusOK {
		return false, nil
	}
	if c.resp != nil { // two requests at once
		c.giveUpLocked()
	}
	if c.several {
		resp.Body.Close()
		return false, ErrSeveral
	}
	c.resp = resp
	return true, nil
}

// result is what a capture has.
type result struct {
	requests int            // that arrived
	several  bool           // more than one of them had an answer
	resp     *http.Response // status 200; nil if there was none
	status   int            // of the last answer; 0 if there was none
	err      error          // of the last request
}

// result returns what the capture has.
func (c *capture) result() result {
	c.mu.Lock()
	defer c.mu.Unlock()
	return result{c.requests, c.several, c.resp, c.status, c.err}
}

// reply returns the answer that the client gets instead of from, which was taken: an
// empty list, or a watch that has ended. The headers are those of from, because they
// have the warnings of the server. from is nil for a probe.
func (c *capture) reply(req *http.Request, from *http.Response) *http.Response {
	body := c.empty
	if req.URL.Query().Has("watch") {
		body = ""
	}
	reply := &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{},
	}
	if from != nil {
		*reply = *from
		reply.Header = from.Header.Clone()
		for _, name := range []string{"Content-Encoding", "Content-Length", "Transfer-Encoding"} {
			reply.Header.Del(name)
		}
		reply.Trailer, reply.TransferEncoding = nil, nil
	}
	reply.Header.Set("Content-Type", "application/json")
	reply.Body, reply.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	reply.Request = req
	return reply
}
