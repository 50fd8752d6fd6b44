package channel

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	// maxAnswer is the maximum number of bytes that are read from an answer.
	maxAnswer = 64 << 10
	// maxQuoted is the maximum number of characters of an answer in an error.
	maxQuoted = 200
	// maxRetryAfter is the longest wait that an endpoint can request.
	maxRetryAfter = 24 * time.Hour
)

// Answer is the response of an endpoint to one request.
type Answer struct {
	// Status is the HTTP status code.
	Status int
	Header http.Header
	// Body is the beginning of the response body, at most 64 KB.
	Body []byte
	// secrets are hidden in errors about this answer.
	secrets []string
}

// Err returns nil for a status of success, else an *Error:
//
//   - 429, 502, 504, and 503 with a Retry-After, mean Throttled,
//   - 410 means Disabled,
//   - 408, 425 and the other codes from 500 mean Temporary,
//   - everything else means Permanent, redirects included.
func (a *Answer) Err() error {
	if a.Status >= 200 && a.Status < 300 {
		return nil
	}
	return a.Fail(a.kind(), "HTTP "+strconv.Itoa(a.Status), a.quote())
}

// Fail returns the *Error of an answer that reports a failure in the protocol of its
// endpoint: the kind, its code and its text. The error quotes the text, shortened and
// without secrets, and keeps the Retry-After of the answer.
func (a *Answer) Fail(kind ErrorKind, status, words string) *Error {
	e := &Error{Kind: kind, Status: Hide(status, a.secrets...), RetryAfter: a.RetryAfter(time.Now())}
	if words != "" {
		e.Err = fmt.Errorf("the endpoint answered %q", short(Hide(words, a.secrets...)))
	} else {
		e.Err = errors.New("the endpoint refused the message")
	}
	return e
}

// RetryAfter returns the wait that the answer requests, at most 24 h; 0 if it requests
// none.
func (a *Answer) RetryAfter(now time.Time) time.Duration {
	value := a.Header.Get("Retry-After")
	if value == "" {
		return 0
	}
	var wait time.Duration
	if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	} else if seconds, _ := strconv.ParseFloat(value, 64); seconds >= maxRetryAfter.Seconds() {
		wait = maxRetryAfter
	} else if seconds > 0 {
		wait = time.Duration(seconds * float64(time.Second))
	}
	return min(max(wait, 0), maxRetryAfter)
}

// Hide adds secrets that errors about this answer must hide, in addition to the secrets of
// its Endpoint.
func (a *Answer) Hide(secrets ...string) { a.secrets = append(slices.Clip(a.secrets), secrets...) }

// ClockDifference returns how far the clock of the endpoint is ahead of now, and false if
// the answer has no date.
func (a *Answer) ClockDifference(now time.Time) (time.Duration, bool) {
	at, err := http.ParseTime(a.Header.Get("Date"))
	return at.Sub(now), err == nil
}

func (a *Answer) kind() ErrorKind {
	switch a.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout:
		return Throttled
	case http.StatusGone:
		return Disabled
	case http.StatusRequestTimeout, http.StatusTooEarly:
		return Temporary
	case http.StatusServiceUnavailable:
		if a.Header.Get("Retry-After") != "" {
			return Throttled
		}
	}
	if a.Status >= 500 {
		return Temporary
	}
	return Permanent
}

// quote returns the text of the answer for an error.
func (a *Answer) quote() string {
	if a.Status >= 300 && a.Status < 400 {
		return "redirect, which is not followed"
	}
	return string(a.Body)
}

// short truncates a text of an endpoint.
func short(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxQuoted {
			return text[:i] + "…"
		}
	}
	return text
}
