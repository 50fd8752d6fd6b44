package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// ComposeFunc returns the message of a delivery and its receiver. Several goroutines call
// it, once for each try.
//
// Errors: a *channel.Error of kind Permanent ends the delivery. Any other error is
// temporary and counts as a try.
type ComposeFunc func(context.Context, *delivery.Delivery) (*message.Message, channel.Receiver, error)

// sendTimeout is the maximum duration of a try if the channel specifies none.
const sendTimeout = 30 * time.Second

// try composes and sends a message once. If ctx ends, the try ends and the delivery is
// released, because it is unknown whether the message arrived.
func try(ctx context.Context, d *delivery.Delivery, ch channel.Channel, compose ComposeFunc) (o delivery.Outcome, took time.Duration) {
	o = delivery.Outcome{Delivery: *d}
	var m *message.Message
	var to channel.Receiver
	err := recovered(func() (err error) {
		m, to, err = compose(ctx, d)
		return err
	})
	if err == nil && m == nil {
		err = &channel.Error{Kind: channel.Permanent, Err: errors.New("the delivery has no message")}
	}
	if o.Local = err != nil; !o.Local {
		bound, cancel := context.WithTimeout(ctx, cmp.Or(ch.Traits().Timeout, sendTimeout))
		defer cancel()
		began := time.Now()
		var receipt channel.Receipt
		err = recovered(func() (err error) {
			receipt, err = ch.Send(bound, m, to)
			return err
		})
		took = time.Since(began)
		o.Status, o.Ref = receipt.Status, receipt.Ref
	}
	switch e := channel.ErrorOf(err); {
	case e == nil:
		o.Result = delivery.Delivered
	case ctx.Err() != nil:
		o.Result = delivery.Released
	default:
		o.Result, o.Status, o.Error, o.RetryAfter = resultOf(e.Kind), cmp.Or(e.Status, o.Status), faultlog.Text(e), e.RetryAfter
		if o.Local && o.Result != delivery.Permanent {
			o.Result = delivery.Temporary // the channel was not called, so it does not pause
		}
	}
	return o, took
}

// resultOf returns the result for a kind of error.
func resultOf(k channel.ErrorKind) delivery.Result {
	switch k {
	case channel.Throttled:
		return delivery.Throttling
	case channel.Permanent:
		return delivery.Permanent
	case channel.Disabled:
		return delivery.Disabled
	}
	return delivery.Temporary
}

// recovered calls f, and returns a panic as a permanent error, because the next try would
// panic too.
func recovered(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &channel.Error{Kind: channel.Permanent, Status: "panic", Err: panicked(p)}
		}
	}()
	return f()
}

// panicked returns an error with the position of a panic. It contains only the type of the
// value, which may be a secret, unless the runtime caused the panic.
func panicked(value any) error {
	what := fmt.Sprintf("a value of type %T", value)
	if e, ok := value.(runtime.Error); ok {
		what = e.Error()
	}
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs)]) // skip Callers, panicked, the deferred function and the panic
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") || !more {
			return fmt.Errorf("the channel or the template panicked in %s, line %d of %s: %s", f.Function, f.Line, filepath.Base(f.File), what)
		}
	}
}
