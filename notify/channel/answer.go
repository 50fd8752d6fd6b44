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
	// maxAnswer is how much of an answer is read, in bytes.
	maxAnswer = 64 << 10
	// maxQuoted is how much of an answer an error shows, in characters.
	maxQuoted = 200
	// maxRetryAfter bounds what an endpoint may ask for.
	maxRetryAfter = 24 * time.Hour
)

// Answer is what an endpoint answered to one request.
type Answer struct {
	// Status is the HTTP status code.
	Status int
	Header http.Header
	// Body is the answer's body, at most 64 KB of it.
	Body []byte
	// secrets are what errors about this answer hide.
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

// Fail returns the *Error of an answer that an endpoint marks as a failure in its own way:
// the kind, its code and its words. The words are quoted, shortened, and without secrets.
// The answer's Retry-After is kept.
func (a *Answer) Fail(kind ErrorKind, status, words string) *Error {
	e := &Error{Kind: kind, Status: Hide(status, a.secrets...), RetryAfter: a.RetryAfter(time.Now())}
	if words != "" {
		e.Err = fmt.Errorf("the endpoint answered %q", short(Hide(words, a.secrets...)))
	} else {
		e.Err = errors.New("the endpoint refused the message")
	}
	return e
}

// RetryAfter returns how long the answer asks to wait, at most 24 h; 0 if it does not say.
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

// Hide adds secrets that errors about this answer must not show, besides those of its
// Endpoint.
func (a *Answer) Hide(secrets ...string) { a.secrets = append(slices.Clip(a.secrets), secrets...) }

// ClockDifference returns by how much the clock of the endpoint is ahead of now, and false
// if the answer has no date.
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

// quote returns the words of the answer for an error.
func (a *Answer) quote() string {
	if a.Status >= 300 && a.Status < 400 {
		return "redirect, which is not followed"
	}
	return string(a.Body)
}

// short cuts what an endpoint said.
func short(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxQuoted {
			return text[:i] + "…"
		}
	}
	return text
}
