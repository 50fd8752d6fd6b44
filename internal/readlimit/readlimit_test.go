package readlimit_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/readlimit"
)

// TestTransport: an answer within the limit is read whole, and a longer one up to the limit,
// counted after decompression.
func TestTransport(t *testing.T) {
	const limit = 100
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := io.Writer(w)
		if r.URL.Path == "/gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			zip := gzip.NewWriter(w)
			defer zip.Close()
			out = zip
		}
		size := limit
		if r.URL.Path != "/short" {
			size = 10 << 20
		}
		_, _ = io.WriteString(out, strings.Repeat("x", size)) // the reader may hang up
	}))
	defer server.Close()
	client := &http.Client{Transport: &readlimit.Transport{RoundTripper: http.DefaultTransport, Limit: limit}}
	defer client.CloseIdleConnections()
	for path, fails := range map[string]bool{"/short": false, "/long": true, "/gzip": true} {
		answer, err := client.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		var tooLong *readlimit.Error
		if len(text) != limit || errors.As(err, &tooLong) != fails || !fails && err != nil {
			t.Errorf("%s: got %d bytes and error %v, want %d, and an error: %v", path, len(text), err, limit, fails)
		}
	}
}

// TestConn: a server sends at most the limit before Allow.
func TestConn(t *testing.T) {
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		_, _ = io.WriteString(far, strings.Repeat("x", 1000)) // the reader closes it
	}()
	c := readlimit.NewConn(near, "mail.example.com", 300)
	defer c.Close()
	for range 2 {
		text, err := io.ReadAll(c)
		if len(text) != 300 || err == nil || err.Error() != "mail.example.com sent more than 300 bytes" {
			t.Errorf("got %d bytes and error %v", len(text), err)
		}
		c.Allow()
	}
}
