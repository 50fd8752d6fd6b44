// Package graceful runs HTTP servers that end with a context.
package graceful

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Grace is the time that open requests get at the end.
const Grace = 3 * time.Second

// Serve calls serve, which is a method such as Serve or ServeTLS of srv with its arguments,
// and shuts srv down when ctx is done. Open requests get Grace to end, and are then cut off.
// When Serve returns, serve has returned.
//
// Errors: those of serve; none if ctx is done.
func Serve(ctx context.Context, srv *http.Server, serve func() error) error {
	served := make(chan error, 1)
	go func() { served <- serve() }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), Grace)
	defer cancel()
	if err := srv.Shutdown(last); errors.Is(err, context.DeadlineExceeded) {
		_ = srv.Close() // the rest is cut off
	}
	<-served
	return nil
}
