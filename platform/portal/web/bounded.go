package web

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"

	"github.com/vedette-io/vedette/internal/oscompat"
)

// spareFiles is how many connections are closed if the process has no free file descriptor, so that
// the database can open files again.
const spareFiles = 64

// bounded limits the open connections of a listener. At the limit it closes the connection that has
// waited longest for a request, so a flood of idle or half-open connections displaces itself and
// not other clients.
type bounded struct {
	net.Listener

	mu      sync.Mutex
	most    int
	open    int
	waiting *list.List // *boundedConn, those that wait for a request, the oldest first
}

func newBounded(l net.Listener, most int) *bounded {
	return &bounded{Listener: l, most: most, waiting: list.New()}
}

// Accept implements net.Listener.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			if oscompat.TooManyFiles(err) && b.shrink() {
				continue
			}
			return nil, err
		}
		if one := b.enter(c); one != nil {
			return one, nil
		}
		_ = c.Close() // the client tries again
	}
}

// enter counts a connection. It returns nil if all others are in use.
func (b *bounded) enter(c net.Conn) net.Conn {
	b.mu.Lock()
	full := b.open >= b.most
	b.mu.Unlock()
	if full && !b.closeOldest() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
	return &boundedConn{Conn: c, of: b}
}

// shrink closes the connections that have waited longest, because the process has no free file
// descriptor. It returns false if no connection waits.
func (b *bounded) shrink() bool {
	some := false
	for range spareFiles {
		if !b.closeOldest() {
			break
		}
		some = true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.most = max(b.open, spareFiles)
	return some
}

// closeOldest closes the connection that has waited longest.
func (b *bounded) closeOldest() bool {
	b.mu.Lock()
	first := b.waiting.Front()
	if first == nil {
		b.mu.Unlock()
		return false
	}
	c := first.Value.(*boundedConn)
	b.leave(c)
	b.mu.Unlock()
	_ = c.Close()
	return true
}

// leave removes a connection from the waiting ones. The caller holds the lock.
func (b *bounded) leave(c *boundedConn) {
	if c.place != nil {
		b.waiting.Remove(c.place)
		c.place = nil
	}
}

// state tracks the states of connections, for http.Server.ConnState.
func (b *bounded) state(c net.Conn, s http.ConnState) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	one, ok := c.(*boundedConn)
	if !ok {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.leave(one)
	if !one.closed && (s == http.StateNew || s == http.StateIdle) {
		one.place = b.waiting.PushBack(one)
	}
}

// boundedConn is a connection that is counted until it is closed. The lock of its listener
// guards place and closed.
type boundedConn struct {
	net.Conn
	of     *bounded
	place  *list.Element // nil while a request is answered
	closed bool
}

// Close implements net.Conn.
func (c *boundedConn) Close() error {
	c.of.mu.Lock()
	if !c.closed {
		c.closed = true
		c.of.open--
	}
	c.of.leave(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}
