package kube

import (
	"context"
	"net"
	"sync"
	"time"
)

// readaheadSize is the size of one read from a connection while much data arrives.
// net/http reads 4 KiB at a time, so that system calls would cause most of the cost of a
// list.
const readaheadSize = 64 << 10

var readaheadBuffers = sync.Pool{New: func() any { return new([readaheadSize]byte) }}

// dialer returns a dial function whose connections read ahead. dial is the user's dial
// function, or nil.
func dialer(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	if dial == nil {
		dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &readaheadConn{Conn: c}, nil
	}
}

// readaheadConn is a connection that reads ahead while more data arrives than the caller
// requests. An idle connection holds no buffer, because a process may have hundreds of
// connections.
type readaheadConn struct {
	net.Conn
	filled bool                 // the last read filled the caller's buffer
	buf    *[readaheadSize]byte // nil if it has no unread data
	unread []byte               // the unread part of buf
	err    error                // returned after the unread data
}

// Read implements io.Reader. Only one goroutine at a time may call it.
func (c *readaheadConn) Read(p []byte) (int, error) {
	if c.buf != nil {
		return c.readBuffered(p)
	}
	if err := c.err; err != nil {
		c.err = nil
		return 0, err
	}
	if !c.filled || len(p) >= readaheadSize {
		n, err := c.Conn.Read(p)
		c.filled = n == len(p)
		return n, err
	}
	buf := readaheadBuffers.Get().(*[readaheadSize]byte)
	n, err := c.Conn.Read(buf[:])
	c.filled = n > len(p)
	c.buf, c.unread, c.err = buf, buf[:n], err
	return c.readBuffered(p)
}

// readBuffered returns data that was read ahead.
func (c *readaheadConn) readBuffered(p []byte) (int, error) {
	n := copy(p, c.unread)
	c.unread = c.unread[n:]
	if len(c.unread) > 0 {
		return n, nil
	}
	readaheadBuffers.Put(c.buf)
	c.buf, c.unread = nil, nil
	if n > 0 {
		return n, nil
	}
	err := c.err
	c.err = nil
	return 0, err
}
