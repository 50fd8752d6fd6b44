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

// Limits of connections.
const (
	// MaxConnections is the maximum number of open connections. A further one displaces the
	// connection that has waited longest for its client to send a request.
	MaxConnections = 12_000
	// headerTime is the time limit for sending a header, bodyTime for sending a whole request, and
	// answerTime for receiving an answer that is not a stream.
	headerTime, bodyTime, answerTime = 10 * time.Second, 40 * time.Second, 90 * time.Second
	// idleTime is the maximum time between two requests on a connection.
	idleTime = 60 * time.Second
	// maxHeader is the maximum size of the header of a request, in bytes.
	maxHeader = 32 << 10
	// drainTime is the time limit for open requests at shutdown. Streams end at once.
	drainTime = 3 * time.Second
)

// Serve answers the requests of a listener until ctx ends. Then it ends streams at once, and gives
// other requests 3 s. It closes the listener, and returns when all connections are closed. tls may
// be nil.
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
		_ = s.Close() // closes the remaining connections
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// quiet returns a logger for errors of clients, such as broken handshakes. It logs at level debug,
// because anybody can cause them.
func quiet(logger *slog.Logger) *log.Logger {
	if logger == nil {
		logger = slog.Default()
	}
	return slog.NewLogLogger(logger.Handler(), slog.LevelDebug)
}
