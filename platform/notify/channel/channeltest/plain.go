package channeltest

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// Plain describes a protocol whose answers are HTTP status codes.
type Plain struct {
	// Token is the secret.
	Token string
	// OK is the status code of success; 0 means 200. Body is its response body.
	OK   int
	Body string
	// Codes are the status codes of failures. The defaults are 400 for Permanent, 429 for
	// Throttled, 410 for Disabled and 500 for Temporary.
	Codes map[channel.ErrorKind]int
	// Check returns the problem of a message, or "".
	Check func(r *http.Request, body []byte) string
}

// NewPlain starts a server for a protocol whose answers are HTTP status codes. Requests
// with POST or PUT are messages.
func NewPlain(t testing.TB, p Plain) *Server {
	t.Helper()
	return serve(t, &plain{p}, p.Token)
}

type plain struct{ Plain }

func (p *plain) message(r *http.Request) bool {
	return r.Method == http.MethodPost || r.Method == http.MethodPut
}

func (p *plain) other(*http.Request) reply { return reply{status: http.StatusNotFound} }

func (p *plain) check(r *request) reply {
	if problem := p.Check(r.Request, r.body); problem != "" {
		return reply{status: http.StatusBadRequest, body: problem}
	}
	status := p.OK
	if status == 0 {
		status = http.StatusOK
	}
	return reply{status: status, body: p.Body, accepted: true}
}

func (p *plain) limit([]time.Time, time.Time) (reply, bool) { return reply{}, false }

func (p *plain) fail(f Fault, words string) reply {
	status := p.Codes[f.Kind]
	if status == 0 {
		status = map[channel.ErrorKind]int{
			channel.Temporary: http.StatusInternalServerError, channel.Throttled: http.StatusTooManyRequests, channel.Permanent: http.StatusBadRequest, channel.Disabled: http.StatusGone,
		}[f.Kind]
	}
	header := http.Header{}
	if f.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int(f.RetryAfter.Seconds())))
	}
	return reply{status: status, header: header, body: words}
}
