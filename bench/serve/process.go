package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

// withClosed returns a context that also ends when closed is closed.
func withClosed(ctx context.Context, closed <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// Main is a server process: it encodes, prints its address and the sizes of objects to
// standard output, and ends with its standard input.
func Main(spec Spec) error {
	s, err := New(spec)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		s.Close()
		_ = l.Close()
	}()
	fmt.Printf("http://%s %s\n", l.Addr(), s.Sizes())
	_ = http.Serve(l, s) // it ends with the listener
	return nil
}
