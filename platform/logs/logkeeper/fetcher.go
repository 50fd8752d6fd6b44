package logkeeper

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// fetcher fetches logs from a cluster.
type fetcher struct {
	cluster *kube.Cluster
	lines   int
	bytes   int64 // of text
}

// memory returns the maximum size of one log.
func (f *fetcher) memory() int64 { return f.bytes + perLine*int64(f.lines) + perLog }

// stamping is the ratio of the maximum length of an answer to that of the kept text. A
// server counts the times of the lines, and lines that are truncated later.
const stamping = 4

// logRequest returns the request for the log of a container.
func logRequest(pod wire.Key, container string, query url.Values) kube.Request {
	query.Set("container", container)
	query.Set("timestamps", "true")
	return kube.Request{Path: "/api/v1/namespaces/" + url.PathEscape(pod.Namespace) + "/pods/" + url.PathEscape(pod.Name) + "/log", Query: query}
}

// fetch reads the end of a log. It calls answered when an answer begins, and returns its
// error.
//
// A server that limits the length of an answer cuts its end, which is the important part.
// In this case fetch requests fewer lines.
func (f *fetcher) fetch(ctx context.Context, pod wire.Key, container string, previous bool, answered func() error) (a answer, err error) {
	limit := f.bytes * stamping
	for lines := f.lines; ; lines = max(1, lines/4) {
		query := url.Values{"tailLines": {strconv.Itoa(lines)}, "limitBytes": {strconv.FormatInt(limit, 10)}}
		if previous {
			query.Set("previous", "true")
		}
		body, err := f.cluster.Do(ctx, logRequest(pod, container, query))
		if err != nil {
			return a, err
		}
		if err := answered(); err != nil {
			_ = body.Close()
			return a, err
		}
		a, err = readAnswer(body, f.lines, f.bytes)
		if closed := body.Close(); err == nil {
			err = closed
		}
		if err != nil || a.read < limit || lines == 1 {
			return a, err
		}
	}
}

// failure is the consequence of an error of a fetch.
type failure struct {
	err error
	// loss is the reason why the log is lost if the fetch is not retried.
	loss Loss
	// final is set if a retry is useless.
	final bool
	// node is set if the node failed, not the API server or the request.
	node bool
	// after is the wait that the server requested.
	after time.Duration
}

// errSilent is the cause of a fetch that ended because no answer came.
var errSilent = errors.New("the node did not answer")

// failureOf classifies an error of a fetch.
func failureOf(err error) failure {
	var said apierrors.APIStatus
	if !errors.As(err, &said) {
		// A network error comes from the API server, but a timeout from the node, because
		// API servers respond.
		node := errors.Is(err, errSilent) || errors.Is(err, context.DeadlineExceeded)
		return failure{err: err, loss: NodeUnreachable, node: node}
	}
	status := said.Status()
	f := failure{err: err, loss: NodeUnreachable, node: true}
	if status.Details != nil {
		f.after = time.Duration(status.Details.RetryAfterSeconds) * time.Second
	}
	switch status.Reason {
	case metav1.StatusReasonNotFound:
		if status.Details != nil && status.Details.Kind == "nodes" {
			return f
		}
		return failure{err: err, loss: PodGone, final: true}
	case metav1.StatusReasonBadRequest: // the kubelet does not know the container, or does not know it yet
		return failure{err: err, loss: Absent}
	case metav1.StatusReasonForbidden, metav1.StatusReasonUnauthorized:
		return failure{err: err, loss: Denied}
	case metav1.StatusReasonTooManyRequests:
		return failure{err: err, loss: NodeUnreachable, after: f.after}
	}
	return f
}
