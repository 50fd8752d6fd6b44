package kube

import (
	"context"
	"net"
	"sync"
	"time"
)

// readaheadSize is how much is read from a connection at once while a lot arrives.
// What HTTP asks for is 4 KiB at a time, which makes system calls the larger part
// of a list's cost.
const readaheadSize = 64 << 10

var readaheadBuffers = sync.Pool{New: func() any { return new([readaheadSize]byte) }}

// dialer opens connections that read ahead. dial is the user's own, or nil.
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

// readaheadConn is a connection that reads ahead while more arrives than is asked
// for. One that is quiet holds no buffer: a process may have hundreds of them.
type readaheadConn struct {
	net.Conn
	filled bool                 // the last read filled what there was
	buf    *[readaheadSize]byte // nil if nothing is left in it
	unread []byte               // of buf
	err    error                // what came behind left
}

// Read implements io.Reader. One goroutine at a time reads.
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

// readBuffered reads what has been read ahead.
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
