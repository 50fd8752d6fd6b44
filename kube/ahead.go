package kube

import (
	"context"
	"net"
	"sync"
	"time"
)

// readAhead is how much is read from a connection at once while a lot arrives.
// What HTTP asks for is 4 KiB at a time, which makes system calls the larger part
// of a list's cost.
const readAhead = 64 << 10

var aheads = sync.Pool{New: func() any { return new([readAhead]byte) }}

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
		return &aheadConn{Conn: c}, nil
	}
}

// aheadConn is a connection that reads ahead while more arrives than is asked
// for. One that is quiet holds no buffer: a process may have hundreds of them.
type aheadConn struct {
	net.Conn
	more bool             // the last read filled what there was
	buf  *[readAhead]byte // nil if nothing is left in it
	left []byte           // of buf
	err  error            // what came behind left
}

// Read implements io.Reader. One goroutine at a time reads.
func (c *aheadConn) Read(p []byte) (int, error) {
	if c.buf != nil {
		return c.take(p)
	}
	if err := c.err; err != nil {
		c.err = nil
		return 0, err
	}
	if !c.more || len(p) >= readAhead {
		n, err := c.Conn.Read(p)
		c.more = n == len(p)
		return n, err
	}
	buf := aheads.Get().(*[readAhead]byte)
	n, err := c.Conn.Read(buf[:])
	c.more = n > len(p)
	c.buf, c.left, c.err = buf, buf[:n], err
	return c.take(p)
}

// take reads what has been read ahead.
func (c *aheadConn) take(p []byte) (int, error) {
	n := copy(p, c.left)
	c.left = c.left[n:]
	if len(c.left) > 0 {
		return n, nil
	}
	aheads.Put(c.buf)
	c.buf, c.left = nil, nil
	if n > 0 {
		return n, nil
	}
	err := c.err
	c.err = nil
	return 0, err
}
