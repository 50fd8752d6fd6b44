package graceful

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestServe: a request that is open when the context ends is answered within the grace. A
// longer request is cut off.
func TestServe(t *testing.T) {
	for name, finishes := range map[string]bool{"finishes": true, "hangs": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				started, release := make(chan bool), make(chan bool)
				srv := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					close(started)
					select {
					case <-release:
					case <-r.Context().Done():
					}
				})}
				client, server := net.Pipe()
				l := &oneConn{conns: make(chan net.Conn, 1), closed: make(chan bool)}
				l.conns <- server
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- Serve(ctx, srv, func() error { return srv.Serve(l) }) }()
				go func() { _, _ = client.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")) }()
				<-started
				cancel()
				synctest.Wait()
				select {
				case err := <-ended:
					t.Fatalf("Serve has ended with %v while a request is open", err)
				default:
				}
				answer := make([]byte, 12)
				var readErr error
				if finishes {
					close(release)
					_, readErr = client.Read(answer)
				}
				go func() { _, _ = client.Read(make([]byte, 4096)) }() // until the connection is closed
				if err := <-ended; err != nil || readErr != nil {
					t.Fatalf("got %v and %v, want nil", err, readErr)
				}
				if finishes && string(answer) != "HTTP/1.1 200" {
					t.Errorf("the open request was answered %q", answer)
				}
				_ = client.Close()
			})
		})
	}
}

// TestFailure: the error of a server that fails is returned at once.
func TestFailure(t *testing.T) {
	broken := errors.New("broken")
	if err := Serve(t.Context(), &http.Server{}, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

// oneConn is a listener with one connection.
type oneConn struct {
	conns  chan net.Conn
	closed chan bool
}

func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *oneConn) Close() error {
	select {
	case <-l.closed:
	default:
		close(l.closed)
	}
	return nil
}

func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }
