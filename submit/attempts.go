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
	each time.Duration // bounds one request
	log  *slog.Logger
}

// errSlow is why an attempt ends.
var errSlow = fmt.Errorf("%w: no answer within the time for one request", context.DeadlineExceeded)

// do calls send until it succeeds, or fails for good, or ctx is done. unsure reports that
// an attempt may have had an effect although it failed.
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
		wait := max(rand.N(pause)+pause/2, retryAfter(err)) // spread, so that many clients do not come at once
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

// outcome says whether a failed request may have taken effect, and whether to repeat it.
type outcome uint8

const (
	// refused: the server has decided. Repeating does not help.
	refused outcome = iota
	// unsent: no server was reached, so nothing has happened.
	unsent
	// busy: the server has said that nothing has happened, and that it may later.
	busy
	// unknown: the request may have had an effect. The network or the server may recover.
	unknown
	// strange: the request may have had an effect, and the failure has no known cause that
	// goes away by itself. A mistake on this side is the likely one.
	strange
)

// maxStrange bounds the attempts that end with a strange failure.
const maxStrange = 4

// tooLarge is how the API server says that the database refused an object for its size.
const tooLarge = "etcdserver: request is too large"

// outcomeOf classifies the failure of a request.
func outcomeOf(err error) outcome {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		s := status.Status()
		switch {
		case s.Code == 429, s.Reason == metav1.StatusReasonConflict: // on a creation, a conflict is about the status of a quota
			return busy
		case s.Code == 408:
			return unknown
		case s.Code < 500, s.Code == 501, strings.Contains(s.Message, tooLarge):
			return refused
		}
		return unknown
	}
	var (
		illegal   *kube.IllegalError
		config    *kube.ConfigError
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		cert      x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     tls.AlertError
	)
	switch {
	case errors.As(err, &illegal), errors.As(err, &config):
		return refused
	case oscompat.ConnectionRefused(err), errors.As(err, &dns), errors.As(err, &authority), errors.As(err, &host),
		errors.As(err, &cert), errors.As(err, &record), errors.As(err, &alert):
		return unsent
	case passing(err):
		return unknown
	}
	return strange
}

// passing reports whether a failure is one of the network.
func passing(err error) bool {
	for _, e := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, e) {
			return true
		}
	}
	var network net.Error
	// Errors of connections that net/http has no types for.
	return errors.As(err, &network) || strings.Contains(err.Error(), "http2: ") || strings.Contains(err.Error(), "connection")
}

// retryAfter returns how long a server wants to be left alone; 0 where it did not say.
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
