package timeout

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// FirstAnswer is the maximum time to wait for a server that has not answered yet. A server
// that has answered once is retried without a limit.
const FirstAnswer = 15 * time.Second

// AnswerWithin returns a context for requests to a server that must be answered within d. Its
// cause names the server.
func AnswerWithin(ctx context.Context, host string, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, fmt.Errorf("%w: no answer from %s within %v", context.DeadlineExceeded, host, d))
}

// Cause returns the cause of ctx if its deadline has passed, and err otherwise. The cause names
// the server; err often does not.
func Cause(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return context.Cause(ctx)
	}
	return err
}
