package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/submit"
)

// ProblemOf returns the problem document for an error of a handler, and logs faults with their
// instance. An *api.Problem is returned unchanged. A nil error becomes a problem without a type.
func ProblemOf(ctx context.Context, err error) *api.Problem {
	var p *api.Problem
	if errors.As(err, &p) {
		return p
	}
	p = problemOf(ctx, err)
	if p.Instance != "" {
		logFailure(ctx, p, err)
	}
	return p
}

// withLimit returns a context that ends after the time limit of an operation, and records the limit
// for the text of the problem.
func withLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithValue(ctx, keyLimit, limit), limit)
}

func limitOf(ctx context.Context) time.Duration {
	if d, ok := ctx.Value(keyLimit).(time.Duration); ok {
		return d
	}
	return ReadTime
}

// ReadTime is the time limit of an operation that reads.
const ReadTime = 5 * time.Second

func logFailure(ctx context.Context, p *api.Problem, err error) {
	attrs := []any{"instance", p.Instance, "status", p.Status, "err", err}
	if r := Request(ctx); r != nil {
		attrs = append(attrs, "method", r.Method, "path", r.URL.Path)
	}
	Logger(ctx).ErrorContext(ctx, "a request failed", attrs...)
}

func problemOf(ctx context.Context, err error) *api.Problem {
	if p := problemOfSubmit(err); p != nil {
		return p
	}
	if p := problemOfCluster(err); p != nil {
		return p
	}
	var database *sqldb.Error
	var network net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return DatabaseFailed(fmt.Sprintf("The database did not answer in %.0f s.", limitOf(ctx).Seconds()))
	case errors.As(err, &database):
		return DatabaseFailed("The database cannot be read. The portal's log has the cause under this ID.")
	case errors.Is(err, context.Canceled):
		return &api.Problem{Type: api.ProblemUnavailable, Title: "The request has ended", Status: http.StatusServiceUnavailable, Detail: "The client gave up, or the portal is shutting down."}
	case errors.As(err, &network) && network.Timeout():
		return ClusterFailed("The API server did not answer in time.")
	}
	return Fault()
}

// problemOfSubmit maps the errors of package submit. It returns nil for others.
func problemOfSubmit(err error) *api.Problem {
	var (
		invalid     *submit.InvalidError
		denied      *submit.DeniedError
		taken       *submit.TakenError
		unsure      *submit.UnsureError
		finished    *submit.FinishedError
		unfinished  *submit.UnfinishedError
		notFinished *submit.NotFinishedError
		unknown     *submit.UnknownJobError
		ambiguous   *submit.AmbiguousError
	)
	switch {
	case errors.As(err, &invalid):
		return Invalid("The job has mistakes.", FieldProblems(invalid.Problems)...)
	case errors.As(err, &denied):
		return Denied(sentence(denied), denied.Role)
	case errors.As(err, &unsure):
		return ClusterFailed(sentence(unsure))
	case errors.As(err, &unfinished):
		return ClusterFailed(sentence(unfinished))
	case errors.As(err, &unknown):
		return Unknown(sentence(unknown))
	case errors.As(err, &taken), errors.As(err, &finished), errors.As(err, &notFinished), errors.As(err, &ambiguous):
		return Conflict(sentence(err))
	}
	return nil
}

// FieldProblems returns the mistakes of a manifest as the API has them.
func FieldProblems(problems []submit.Problem) []api.FieldProblem {
	all := make([]api.FieldProblem, len(problems))
	for i, p := range problems {
		all[i] = api.FieldProblem{Field: p.Field, Parameter: p.Parameter, Line: p.Line, Message: p.Message}
	}
	return all
}

// problemOfCluster maps the errors of API servers. It returns nil for others.
func problemOfCluster(err error) *api.Problem {
	var (
		request   *kube.RequestError
		discovery *kube.DiscoveryError
		status    apierrors.APIStatus
	)
	if illegal := errcode.Find(err, errcode.Invalid); illegal != nil {
		return Invalid(sentence(illegal))
	}
	switch {
	case errcode.Is(err, errcode.Misconfigured):
		return ClusterFailed("The portal has no connection to the cluster. The portal's log has the cause under this ID.")
	case errors.As(err, &discovery):
		return ClusterFailed("The API server does not list the types that it serves.")
	case errors.As(err, &status):
		return refused(status)
	case errors.As(err, &request) && errors.Is(err, context.DeadlineExceeded):
		return ClusterFailed("The API server did not answer in time.")
	case errors.As(err, &request):
		return ClusterFailed("The API server cannot be reached. The portal's log has the cause under this ID.")
	}
	return nil
}

// refused maps a refusal by an API server, whose message the person may read.
func refused(status apierrors.APIStatus) *api.Problem {
	s := status.Status()
	detail := fmt.Sprintf("The API server answered %d: %s", s.Code, s.Message)
	switch s.Code {
	case http.StatusForbidden:
		return Denied(detail, "")
	case http.StatusNotFound:
		return Unknown(detail)
	case http.StatusConflict:
		return Conflict(detail)
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return Invalid(detail)
	case http.StatusTooManyRequests:
		return TooMany(time.Duration(max(1, retryAfter(status))) * time.Second)
	}
	return ClusterFailed(detail)
}

func retryAfter(status apierrors.APIStatus) int {
	if d := status.Status().Details; d != nil {
		return int(d.RetryAfterSeconds)
	}
	return 0
}

// sentence returns the text of an error as a sentence.
func sentence(err error) string {
	text := err.Error()
	if text == "" {
		return ""
	}
	if c := text[0]; c >= 'a' && c <= 'z' {
		text = string(c-'a'+'A') + text[1:]
	}
	if last := text[len(text)-1]; last != '.' && last != '?' {
		text += "."
	}
	return text
}
