package apitest

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
)

// pipeListener passes the server ends of in-memory pipes to an http.Server.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   atomic.Bool
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept waits for the next dial.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept; later dials fail.
func (l *pipeListener) Close() error {
	if l.once.CompareAndSwap(false, true) {
		close(l.closed)
	}
	return nil
}

// Addr returns the address of the listener.
func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "apitest" }

// dial creates a pipe and waits until the server has accepted its end.
func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	reset := &atomic.Bool{}
	select {
	case l.conns <- &pipeConn{Conn: far, reset: reset}:
		return &pipeConn{Conn: near, reset: reset}, nil
	case <-l.closed:
		return nil, refused()
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: pipeAddr{}, Err: ctx.Err()}
	}
}

func refused() error {
	return &net.OpError{Op: "dial", Net: "pipe", Addr: pipeAddr{}, Err: syscall.ECONNREFUSED}
}

// pipeConn is one end of a pipe. It can be reset like a TCP connection.
type pipeConn struct {
	net.Conn
	reset *atomic.Bool // shared by both ends
}

// Read reports a reset by the other end as the error of the operating system.
func (c *pipeConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if errors.Is(err, io.EOF) && c.reset.Load() {
		err = &net.OpError{Op: "read", Net: "pipe", Addr: pipeAddr{}, Err: syscall.ECONNRESET}
	}
	return n, err
}

// resetConn closes a connection so that its peer sees a reset instead of an end.
func resetConn(conn net.Conn) {
	switch c := conn.(type) {
	case *pipeConn:
		c.reset.Store(true)
	case *net.TCPConn:
		// An error means that the connection is already closed.
		_ = c.SetLinger(0)
	case *tls.Conn:
		resetConn(c.NetConn())
	}
	_ = conn.Close()
}
