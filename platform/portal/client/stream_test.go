package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
)

// pipes is a transport without a network, for tests with synthetic time.
type pipes struct{ h http.HandlerFunc }

// RoundTrip implements http.RoundTripper.
func (p pipes) RoundTrip(r *http.Request) (*http.Response, error) {
	in, out := io.Pipe()
	w := &pipeWriter{out: out, header: http.Header{}, begun: make(chan struct{})}
	stop := context.AfterFunc(r.Context(), func() { _ = out.CloseWithError(r.Context().Err()) })
	go func() {
		defer stop()
		p.h(w, r)
		w.begin(http.StatusOK)
		_ = out.CloseWithError(net.ErrClosed)
	}()
	<-w.begun
	return &http.Response{StatusCode: w.status, Status: strconv.Itoa(w.status), Header: w.header, Body: in, Request: r}, nil
}

type pipeWriter struct {
	out    *io.PipeWriter
	header http.Header
	begun  chan struct{}
	once   sync.Once
	status int
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) begin(status int) {
	w.once.Do(func() {
		w.status = status
		close(w.begun)
	})
}
func (w *pipeWriter) WriteHeader(status int) { w.begin(status) }
func (w *pipeWriter) Write(b []byte) (int, error) {
	w.begin(http.StatusOK)
	return w.out.Write(b)
}

// TestStream: a stream that is cut, refused and silent loses no change and repeats none.
func TestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var connections atomic.Int32 // a cut connection may still end while the next one is served
		serve := func(w http.ResponseWriter, r *http.Request) {
			n := connections.Add(1)
			after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
			if n == 2 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			_, _ = fmt.Fprint(w, ": begin\r\n\r\n")
			if n == 4 {
				_, _ = fmt.Fprint(w, "event: changes\nid: 98\ndata: {\"changes\":7}\n\n") // broken: not skipped
			}
			for p := after + 1; p <= after+3; p++ {
				_, _ = fmt.Fprintf(w, "event: changes\nid: %d\ndata: {\"changes\":[{\"position\":%d}]}\n\n", p, p)
			}
			_, _ = fmt.Fprint(w, "event: unknown\ndata: x\n\nevent: beat\ndata: {\"position\":1}\n\nevent: changes\nid: 99\ndata: {\"chan") // cut
			if n == 3 {
				<-r.Context().Done() // silent
			}
		}
		c, err := client.New("http://localhost", client.Options{HTTP: &http.Client{Transport: pipes{serve}}})
		if err != nil {
			t.Fatal(err)
		}
		want := int64(1)
		for e, err := range c.Stream(t.Context(), nil, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Changes == nil {
				continue
			}
			if got := e.Changes.Changes[0].Position; got != want || e.Position != want {
				t.Fatalf("position %d, %d; want %d", got, e.Position, want)
			}
			if want++; want > 10 {
				break
			}
		}
		if d := time.Since(began); connections.Load() != 6 || d > 2*time.Minute {
			t.Errorf("got %d connections within %v, want 6 within 2 min", connections.Load(), d)
		}
	})
}

// TestRightsWhileAway: if the sight of the person changed while the connection was cut, the
// caller learns it once.
func TestRightsWhileAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keys := []string{"a", "a", "b", "b", "c"}
		var connections atomic.Int32
		serve := func(w http.ResponseWriter, _ *http.Request) {
			n := connections.Add(1)
			_, _ = fmt.Fprintf(w, "event: beat\nid: %d\ndata: {\"position\":1,\"rights\":%q}\n\nevent: beat\ndata: {\"position\":1}\n\n", n, keys[n-1])
		}
		c, err := client.New("http://localhost", client.Options{HTTP: &http.Client{Transport: pipes{serve}}})
		if err != nil {
			t.Fatal(err)
		}
		var at []int32
		for e, err := range c.Stream(t.Context(), nil, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Rights {
				at = append(at, connections.Load())
			}
			if len(at) == 2 {
				break
			}
		}
		if len(at) != 2 || at[0] != 3 || at[1] != 5 {
			t.Errorf("told in connections %v, want 3 and 5", at)
		}
	})
}

// TestStreamEnds: a permanent refusal ends the stream, and so does its context.
func TestStreamEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status := http.StatusForbidden
		c, err := client.New("http://localhost", client.Options{HTTP: &http.Client{Transport: pipes{func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
		}}}})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range c.Stream(t.Context(), nil, 0) {
			var p *api.Problem
			if n++; !errors.As(err, &p) || p.Status != status {
				t.Errorf("got %v, want a problem with status %d", err, status)
			}
		}
		status = http.StatusBadGateway
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(gone)
		for _, err := range c.Stream(ctx, nil, 0) {
			if n++; !errors.Is(err, gone) {
				t.Errorf("got error %v, want %v", err, gone)
			}
		}
		if n != 2 {
			t.Errorf("got %d errors, want 2", n)
		}
	})
}

// TestReset: the stream reports a reset and changed rights, and continues after them.
func TestReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		c, err := client.New("http://localhost", client.Options{HTTP: &http.Client{Transport: pipes{func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.URL.Query().Get("after"))
			_, _ = fmt.Fprint(w, "event: reset\ndata: {\"reason\":\"behind\",\"position\":70}\n\nevent: rights\ndata: {}\n\n")
		}}}})
		if err != nil {
			t.Fatal(err)
		}
		rights := 0
		for e, err := range c.Stream(t.Context(), nil, 5) {
			if err != nil || e.Position != 70 {
				t.Fatalf("got %+v and error %v, want position 70", e, err)
			}
			if e.Rights {
				if rights++; rights == 2 {
					break
				}
			}
		}
		if fmt.Sprint(asked) != "[5 70]" {
			t.Errorf("asked for %v, want [5 70]", asked)
		}
	})
}
