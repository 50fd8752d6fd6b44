package web

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// Invalid returns a problem for a request with mistakes: 422, each mistake at its field.
func Invalid(detail string, fields ...api.FieldProblem) *api.Problem {
	return &api.Problem{Type: api.ProblemInvalid, Title: "The request has mistakes", Status: http.StatusUnprocessableEntity, Detail: detail, Fields: fields}
}

// BadParameters returns a problem for parameters of a URL: 400. Each line of err is one mistake. A
// line that begins with the name of a parameter and a colon belongs to that parameter.
func BadParameters(err error) *api.Problem {
	p := Invalid(err.Error())
	p.Status = http.StatusBadRequest
	for line := range strings.SplitSeq(err.Error(), "\n") {
		name, message, ok := strings.Cut(line, ": ")
		if !ok || strings.ContainsAny(name, " \t") {
			name, message = "", line
		}
		p.Fields = append(p.Fields, api.FieldProblem{Field: name, Message: message})
	}
	return p
}

// Denied returns a problem for a missing right: 403. role is the YAML of a role that grants the
// right; it may be empty.
func Denied(detail, role string) *api.Problem {
	return &api.Problem{Type: api.ProblemDenied, Title: "You may not do this", Status: http.StatusForbidden, Detail: detail, Role: role}
}

// Unknown returns a problem for something that does not exist, or that the person may not
// see: 404. The answer must be the same for both.
func Unknown(detail string) *api.Problem {
	return &api.Problem{Type: api.ProblemUnknown, Title: "Not found", Status: http.StatusNotFound, Detail: detail}
}

// BadMethod returns a problem for a method that a path does not have: 405. allowed are its
// methods.
func BadMethod(allowed ...string) *api.Problem {
	return &api.Problem{Type: api.ProblemInvalid, Title: "The path does not have this method", Status: http.StatusMethodNotAllowed, Detail: "The path has " + strings.Join(allowed, " and ") + "."}
}

// Conflict returns a problem for a state that has changed, or a name that is in use: 409.
func Conflict(detail string) *api.Problem {
	return &api.Problem{Type: api.ProblemConflict, Title: "The state has changed", Status: http.StatusConflict, Detail: detail}
}

// Gone returns a problem for data that retention has removed: 410.
func Gone(detail string) *api.Problem {
	return &api.Problem{Type: api.ProblemGone, Title: "It is no longer in the history", Status: http.StatusGone, Detail: detail}
}

// TooLarge returns a problem for a request with more than limit bytes: 413.
func TooLarge(limit int64) *api.Problem {
	return &api.Problem{Type: api.ProblemTooLarge, Title: "The request is too large", Status: http.StatusRequestEntityTooLarge, Detail: fmt.Sprintf("The body may have %d bytes.", limit)}
}

// TooMany returns a problem for more requests than one person may send: 429.
func TooMany(wait time.Duration) *api.Problem {
	seconds := max(1, int((wait+time.Second-1)/time.Second))
	return &api.Problem{Type: api.ProblemTooMany, Title: "Too many requests", Status: http.StatusTooManyRequests, Detail: fmt.Sprintf("Too many requests were sent. Try again in %d s.", seconds), RetryAfter: seconds}
}

// Fault returns a problem for a fault of the portal: 500. It does not contain the cause, which is
// logged under the instance.
func Fault() *api.Problem {
	return &api.Problem{Type: api.ProblemFault, Title: "The portal has failed", Status: http.StatusInternalServerError, Detail: "The portal's log has the cause under this ID.", Instance: NewInstance()}
}

// ClusterFailed returns a problem for an API server that did not answer, or refused the request:
// 502.
func ClusterFailed(detail string) *api.Problem {
	return &api.Problem{Type: api.ProblemCluster, Title: "The API server did not carry it out", Status: http.StatusBadGateway, Detail: detail, Instance: NewInstance()}
}

// Unavailable returns a problem for a function that the portal is not configured for: 503.
func Unavailable(detail string) *api.Problem {
	return &api.Problem{Type: api.ProblemUnavailable, Title: "This portal cannot do that", Status: http.StatusServiceUnavailable, Detail: detail}
}

// Loading returns a problem for a portal that is still reading the history: 503. done is the share
// that it has read, from 0 to 1.
func Loading(done float64) *api.Problem {
	return &api.Problem{Type: api.ProblemLoading, Title: "The portal is reading the history", Status: http.StatusServiceUnavailable, Detail: fmt.Sprintf("The portal has read %.0f %% of the history. Try again in 2 s.", done*100), RetryAfter: 2, Done: done}
}

// DatabaseFailed returns a problem for a database that did not answer in time: 504.
func DatabaseFailed(detail string) *api.Problem {
	return &api.Problem{Type: api.ProblemDatabase, Title: "The database did not answer", Status: http.StatusGatewayTimeout, Detail: detail, Instance: NewInstance()}
}

// NewInstance returns a random identifier of 8 hexadecimal digits.
func NewInstance() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}
