package logkeeper

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// fetcher asks a cluster for logs.
type fetcher struct {
	cluster *kube.Cluster
	lines   int
	bytes   int64 // of text
}

// overhead is how much longer than the kept text an answer may be. A server counts the
// times of the lines, and lines that are cut later.
const overhead = 4

// logRequest returns the request for the log of a container.
func logRequest(pod wire.Key, container string, query url.Values) kube.Request {
	query.Set("container", container)
	query.Set("timestamps", "true")
	return kube.Request{Path: "/api/v1/namespaces/" + url.PathEscape(pod.Namespace) + "/pods/" + url.PathEscape(pod.Name) + "/log", Query: query}
}

// fetch reads the end of a log. It calls answered when the answer begins.
//
// A server that limits the length of an answer cuts its end, which is the part that counts.
// So fetch asks for fewer lines then.
func (f *fetcher) fetch(ctx context.Context, pod wire.Key, container string, previous bool, answered func()) (a answer, err error) {
	limit := f.bytes * overhead
	for lines := f.lines; ; lines = max(1, lines/4) {
		query := url.Values{"tailLines": {strconv.Itoa(lines)}, "limitBytes": {strconv.FormatInt(limit, 10)}}
		if previous {
			query.Set("previous", "true")
		}
		body, err := f.cluster.Do(ctx, logRequest(pod, container, query))
		if err != nil {
			return a, err
		}
		answered()
		a, err = readAnswer(body, f.lines, f.bytes)
		if closed := body.Close(); err == nil {
			err = closed
		}
		if err != nil || a.read < limit || lines == 1 {
			return a, err
		}
	}
}

// Loss says why the end of a log is missing.
type Loss string

// The losses.
const (
	// PodGone: the pod was deleted before its log could be read.
	PodGone Loss = "pod-gone"
	// NodeUnreachable: the pod was deleted while its node did not answer.
	NodeUnreachable Loss = "node-unreachable"
	// NeverStarted: the container has no log, because it could not be started.
	NeverStarted Loss = "never-started"
	// Restarted: the container ran again twice before the log of the run could be read.
	Restarted Loss = "restarted"
	// Absent: the node has no log of the container any more.
	Absent Loss = "absent"
	// Denied: the pod was deleted, and the right to read its log was missing until then.
	Denied Loss = "denied"
	// Unwritten: the database refused the log.
	Unwritten Loss = "unwritten"
)

// Losses lists all losses.
var Losses = []Loss{PodGone, NodeUnreachable, NeverStarted, Restarted, Absent, Denied, Unwritten}

// failure says what follows from an error of a fetch.
type failure struct {
	err error
	// loss is why the log is lost if it is not tried again.
	loss Loss
	// final reports that another attempt makes no sense.
	final bool
	// node reports that the node failed, rather than the API server or the request.
	node bool
	// after is how long the server wants to be left alone.
	after time.Duration
}

// errSilent is the cause of a fetch that ended because no answer came.
var errSilent = errors.New("the node did not answer")

// failureOf explains an error of a fetch.
func failureOf(err error) failure {
	var said apierrors.APIStatus
	if !errors.As(err, &said) {
		// A network error is that of the API server, but silence is the node's: API servers
		// answer.
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
	case metav1.StatusReasonBadRequest: // the kubelet does not know the container, or not yet
		return failure{err: err, loss: Absent}
	case metav1.StatusReasonForbidden, metav1.StatusReasonUnauthorized:
		return failure{err: err, loss: Denied}
	case metav1.StatusReasonTooManyRequests:
		return failure{err: err, loss: NodeUnreachable, after: f.after}
	}
	return f
}

// why returns the text of a loss for people: what is stored in Log.Lost.
func (l Loss) why(err error) string {
	text := map[Loss]string{
		PodGone:         "the pod was deleted before the end of the log was read",
		NodeUnreachable: "the pod was deleted before its node could be asked",
		NeverStarted:    "the container did not start",
		Restarted:       "the container ran again before the log was read",
		Absent:          "the node has no log of the container",
		Denied:          "the recorder had no right to read the log",
		Unwritten:       "the database refused the log",
	}[l]
	if err == nil || l == Restarted {
		return text
	}
	return fmt.Sprintf("%s: %s", text, kube.Explain(err))
}
