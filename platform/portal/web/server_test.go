package web_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// start serves a handler until stop is called.
func start(t *testing.T, h http.Handler) (address string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- web.Serve(ctx, l, web.Guard(h, false, nil), nil, nil) }()
	return l.Addr().String(), func() {
		t.Helper()
		cancel()
		if err := patience.Receive(t, "the server ends", served); err != nil {
			t.Error(err)
		}
	}
}

// TestServeEndsStreams: streams end when the server ends.
func TestServeEndsStreams(t *testing.T) {
	address, stop := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := web.NewEvents(w); err != nil {
			t.Error(err)
		}
		<-r.Context().Done()
	}))
	resp, err := http.Get("http://" + address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	stop()
	_, _ = io.Copy(io.Discard, resp.Body) // ends
	http.DefaultClient.CloseIdleConnections()
}

// TestLargeHeader: a header that is too large ends the connection.
func TestLargeHeader(t *testing.T) {
	address, stop := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it is served") }))
	defer stop()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	go func() {
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nX-Long: "+strings.Repeat("x", 40<<10)+"\r\n\r\n") // the server may close first
	}()
	answer, _ := bufio.NewReader(c).ReadString('\n') // an empty answer fails below
	if !strings.Contains(answer, "431") {
		t.Errorf("got %q, want a text with %q", answer, "431")
	}
}
