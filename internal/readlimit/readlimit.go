// Package readlimit bounds what this program reads from programs of others, because a faulty or
// hostile server may send without an end. A limit of an HTTP answer counts its bytes after
// decompression: a few kilobytes of gzip can have gigabytes.
package readlimit

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

// Error is the error of reading beyond a limit.
type Error struct {
	From  string // who sent too much, such as a host
	Limit int64  // in bytes
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s sent more than %d bytes", e.From, e.Limit) }

// Transport is an http.RoundTripper that fails with an *Error when more than Limit bytes of an
// answer are read.
type Transport struct {
	http.RoundTripper

	Limit int64
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = Body(answer.Body, r.URL.Host, t.Limit)
	}
	return answer, err
}

// CloseIdleConnections implements the method that http.Client looks for.
func (t *Transport) CloseIdleConnections() {
	(&http.Client{Transport: t.RoundTripper}).CloseIdleConnections()
}

// Body returns a body of an answer from a host, of which at most limit bytes can be read.
func Body(inner io.ReadCloser, from string, limit int64) io.ReadCloser {
	return &body{inner, &Error{from, limit}, limit}
}

type body struct {
	io.ReadCloser
	err  *Error
	left int64
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), b.err
	}
	b.left -= int64(n)
	return n, err
}

// Conn is a connection of which at most a number of bytes can be read until Allow is called.
type Conn struct {
	net.Conn
	err  *Error
	left atomic.Int64
}

// NewConn returns a connection to a server of which limit bytes can be read.
func NewConn(inner net.Conn, server string, limit int64) *Conn {
	c := &Conn{Conn: inner, err: &Error{server, limit}}
	c.left.Store(limit)
	return c
}

// Allow allows limit bytes from now on.
func (c *Conn) Allow() { c.left.Store(c.err.Limit) }

// Read implements net.Conn.
func (c *Conn) Read(p []byte) (int, error) {
	left := c.left.Load()
	if left <= 0 {
		return 0, c.err
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), left)])
	c.left.Add(-int64(n))
	return n, err
}
