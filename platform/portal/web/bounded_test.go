package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
)

// serveBounded serves a handler with few connections until the test ends.
func serveBounded(t *testing.T, l net.Listener, most int, h http.HandlerFunc) *bounded {
	t.Helper()
	b := newBounded(l, most)
	s := &http.Server{Handler: Guard(h, false, nil), ConnState: b.state, ReadTimeout: bodyTime, ErrorLog: quiet(nil)}
	ended := make(chan struct{})
	go func() { _ = s.Serve(b); close(ended) }()
	t.Cleanup(func() { _ = s.Close(); <-ended })
	return b
}

func dial(t *testing.T, address, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience.Limit(t)))
	_, _ = io.WriteString(c, text) // the server may close it
	return c
}

// TestFlood: connections that are idle or have sent half a header are displaced by new ones.
// Connections whose request is being answered stay.
func TestFlood(t *testing.T) {
	release := make(chan struct{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	b := serveBounded(t, l, 10, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			_ = http.NewResponseController(w).Flush()
			<-release
		}
		_, _ = io.WriteString(w, "ok")
	})
	long := bufio.NewReader(dial(t, address, "GET /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
	if line, err := long.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("got %q and error %v, want status 200", line, err)
	}
	for n := range 200 {
		dial(t, address, []string{"", "GET / HTTP/1.1\r\nHo", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"}[n%3])
		if n%20 == 0 {
			answer, err := bufio.NewReader(dial(t, address, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).ReadString('\n')
			if err != nil || !strings.Contains(answer, "200") {
				t.Fatalf("after %d: %q %v", n, answer, err)
			}
		}
	}
	b.mu.Lock()
	if b.open > 10 || b.waiting.Len() > b.open {
		t.Errorf("%d are open, %d wait", b.open, b.waiting.Len())
	}
	b.mu.Unlock()
	close(release)
	if rest, _ := io.ReadAll(long); !strings.Contains(string(rest), "ok") { // a reset says the same
		t.Errorf("a request that was being answered got %q", rest)
	}
}

// pipes is a listener of pipes, which have deadlines in fake time.
type pipes chan net.Conn

// Accept implements net.Listener.
func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

// Close implements net.Listener. The server calls it once.
func (p pipes) Close() error { close(p); return nil }

// Addr implements net.Listener.
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestSlowBody: a client that does not send its body keeps its connection for only a second after
// the answer.
func TestSlowBody(t *testing.T) {
	for _, header := range []string{"Content-Length: 100", "Transfer-Encoding: chunked"} {
		synctest.Test(t, func(t *testing.T) {
			l := make(pipes)
			serveBounded(t, l, 10, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
			c, server := net.Pipe()
			defer func() { _ = c.Close() }()
			l <- server
			if _, err := io.WriteString(c, "POST /x HTTP/1.1\r\nHost: x\r\n"+header+"\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			text, err := io.ReadAll(c)
			if took := time.Since(began); err != nil || took > 2*restTime || !strings.Contains(string(text), "401") {
				t.Errorf("%s: %q, %v after %v", header, text, err, took)
			}
		})
	}
}

// failing is a listener without free file descriptors.
type failing struct {
	net.Listener
	left []error
}

func (f *failing) Accept() (net.Conn, error) {
	if len(f.left) == 0 {
		return nil, net.ErrClosed
	}
	err := f.left[0]
	f.left = f.left[1:]
	if err != nil {
		return nil, err
	}
	c, other := net.Pipe()
	_ = other.Close()
	return c, nil
}

// TestNoFiles: if the process has no free file descriptor, waiting connections are closed, and the
// limit is lowered.
func TestNoFiles(t *testing.T) {
	f := &failing{}
	for range 200 {
		f.left = append(f.left, nil)
	}
	f.left = append(f.left, fmt.Errorf("accept: %w", syscall.EMFILE), nil)
	b := newBounded(f, 1000)
	for n := range 201 {
		c, err := b.Accept()
		if err != nil {
			t.Fatalf("accept of connection %d failed: %v", n, err)
		}
		b.state(c, http.StateNew)
	}
	if b.open != 200-spareFiles || b.most != 200-spareFiles {
		t.Errorf("%d of %d are open", b.open, b.most)
	}
	for b.waiting.Len() > 0 {
		b.state(b.waiting.Front().Value.(net.Conn), http.StateActive)
	}
	f.left = append(f.left, fmt.Errorf("accept: %w", syscall.EMFILE))
	if _, err := b.Accept(); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("without anything to close: %v", err)
	}
}
