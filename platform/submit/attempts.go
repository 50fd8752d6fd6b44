package submit

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/kube"
)

// Pauses between attempts.
const (
	firstPause = 200 * time.Millisecond
	maxPause   = 5 * time.Second
)

// attempts repeats a request until its outcome is known.
type attempts struct {
	each time.Duration // timeout of one request
	log  *slog.Logger
}

// errSlow is why an attempt ends.
var errSlow = fmt.Errorf("%w: no answer within the time for one request", context.DeadlineExceeded)

// do calls send until it succeeds, fails permanently, or ctx ends. unsure reports that a
// failed attempt may have had an effect.
func (a attempts) do(ctx context.Context, what string, send func(context.Context) error) (unsure bool, err error) {
	pause, odd := firstPause, 0
	for n := 1; ; n++ {
		attempt, cancel := context.WithTimeoutCause(ctx, a.each, errSlow)
		err = send(attempt)
		cancel()
		var end outcome
		if err != nil {
			end = outcomeOf(err)
		}
		if err == nil || end == refused || end == unsent && !unsure {
			return unsure, err
		}
		unsure = unsure || end == unknown || end == strange
		if end == strange {
			odd++
		}
		if ctx.Err() != nil || odd == maxStrange {
			return unsure, err
		}
		wait := max(rand.N(pause)+pause/2, retryAfter(err)) // random, so that many clients do not retry at the same time
		a.log.Warn("request failed; trying again", "request", what, "attempt", n, "wait", wait.Round(time.Millisecond), "err", kube.Explain(err))
		pause = min(2*pause, maxPause)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return unsure, err
		}
	}
}

// outcome classifies a failed request: may it have taken effect, and does repeating it
// help?
type outcome uint8

const (
	// refused: the server has decided. Repeating does not help.
	refused outcome = iota
	// unsent: no server was reached, so the request had no effect.
	unsent
	// busy: the server reported that the request had no effect, and that it may succeed
	// later.
	busy
	// unknown: the request may have had an effect. The network or the server may recover.
	unknown
	// strange: the request may have had an effect, and the failure has no known temporary
	// cause. It is probably a mistake of this program.
	strange
)

// maxStrange is the maximum number of attempts that end with a strange failure.
const maxStrange = 4

// tooLarge is the message of the API server when etcd refuses an object because of its
// size.
const tooLarge = "etcdserver: request is too large"

// outcomeOf classifies the failure of a request.
func outcomeOf(err error) outcome {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		s := status.Status()
		switch {
		case s.Code == 429, s.Reason == metav1.StatusReasonConflict: // for a creation, a conflict concerns the status of a quota
			return busy
		case s.Code == 408:
			return unknown
		case s.Code < 500, s.Code == 501, strings.Contains(s.Message, tooLarge):
			return refused
		}
		return unknown
	}
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		cert      x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     tls.AlertError
	)
	switch {
	case errcode.Is(err, errcode.Invalid), errcode.Is(err, errcode.Misconfigured):
		return refused
	case oscompat.ConnectionRefused(err), errors.As(err, &dns), errors.As(err, &authority), errors.As(err, &host),
		errors.As(err, &cert), errors.As(err, &record), errors.As(err, &alert):
		return unsent
	case passing(err):
		return unknown
	}
	return strange
}

// passing reports whether a failure is a failure of the network.
func passing(err error) bool {
	for _, e := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, e) {
			return true
		}
	}
	var network net.Error
	// net/http has no types for these errors of connections.
	return errors.As(err, &network) || strings.Contains(err.Error(), "http2: ") || strings.Contains(err.Error(), "connection")
}

// retryAfter returns the wait that a server requested, or 0.
func retryAfter(err error) time.Duration {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return 0
	}
	if d := status.Status().Details; d != nil {
		return time.Duration(max(d.RetryAfterSeconds, 0)) * time.Second
	}
	return 0
}
