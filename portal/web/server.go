package web

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Bounds of connections.
const (
	// MaxConnections bounds the open connections. For a further one, the connection is closed that
	// has waited for the longest time for its client to send a request.
	MaxConnections = 12_000
	// headerTime is how long a client may take to send its header, bodyTime to send the whole
	// request, and answerTime to take an answer that is no stream.
	headerTime, bodyTime, answerTime = 10 * time.Second, 40 * time.Second, 90 * time.Second
	// idleTime is how long a connection may be idle.
	idleTime = 60 * time.Second
	// maxHeader bounds the header of a request in bytes.
	maxHeader = 32 << 10
	// drainTime is how long requests may take to end at shutdown. Streams end at once.
	drainTime = 3 * time.Second
)

// Serve answers the requests of a listener until ctx ends. Then streams end, and other
// requests have 3 s. It closes the listener. tls may be nil. Serve returns after all
// connections are closed.
//
// Errors: the listener failed.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, tls *tls.Config, logger *slog.Logger) error {
	requests, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	s := &http.Server{
		Handler: handler, TLSConfig: tls,
		ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return requests },
		ErrorLog:    quiet(logger),
	}
	bounded := newBounded(listener, MaxConnections)
	s.ConnState = bounded.state
	ended := make(chan error, 1)
	go func() {
		if tls != nil {
			ended <- s.ServeTLS(bounded, "", "")
		} else {
			ended <- s.Serve(bounded)
		}
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	soon := time.AfterFunc(drainTime/6, end) // streams and slow requests
	defer soon.Stop()
	if err := s.Shutdown(last); err != nil {
		_ = s.Close() // cuts what did not end in time
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// quiet returns a logger for what clients do wrong, such as broken handshakes. These lines
// have the level debug, because anybody can cause them.
func quiet(logger *slog.Logger) *log.Logger {
	if logger == nil {
		logger = slog.Default()
	}
	return slog.NewLogLogger(logger.Handler(), slog.LevelDebug)
}
