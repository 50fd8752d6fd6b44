package apitest

import (
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// logBatch is the maximum number of lines that a stream holds.
const logBatch = 128

// stamp is the format of the times before the lines of a log.
const stamp = "2006-01-02T15:04:05.000000000Z07:00"

// logStream is one request for a log. It belongs to the goroutine of the request.
type logStream struct {
	logs    *podLogs
	options *corev1.PodLogOptions
	pod     *corev1.Pod
	run     runKey
	since   time.Time
	cuts    int // podLogs.cuts when the stream began
	log     *podLog
	cursor  int
	left    int64 // bytes that may still be sent
}

// newLogStream checks a request in the same order as a real server. The stream is nil if the pod has no node.
func newLogStream(logs *podLogs, o *corev1.PodLogOptions, pod *corev1.Pod, container string) (*logStream, error) {
	st := &logStream{logs: logs, options: o, pod: pod, run: runKey{container: container}, cuts: logs.state().cuts, left: math.MaxInt64}
	mentioned := statusOfContainer(pod, container) != nil
	if !mentioned && !logs.has(pod.UID, st.run) {
		if pod.Spec.NodeName == "" {
			return nil, nil
		}
		mentioned = true // rejected below
	}
	if mentioned {
		run, err := servedRun(pod, container, o.Previous)
		if err != nil {
			return nil, err
		}
		st.run = run
	}
	switch {
	case o.SinceTime != nil:
		st.since = o.SinceTime.Truncate(time.Second) // servers send whole seconds to nodes
	case o.SinceSeconds != nil:
		st.since = time.Now().Add(-time.Duration(*o.SinceSeconds) * time.Second)
	}
	if o.LimitBytes != nil {
		st.left = *o.LimitBytes
	}
	st.log = logs.open(pod.UID, st.run)
	st.cursor = logs.seek(st.log, o.TailLines)
	return st, nil
}

// logOptions reads the parameters of a request for a log.
func logOptions(query url.Values) (*corev1.PodLogOptions, error) {
	o := &corev1.PodLogOptions{Container: query.Get("container")}
	for name, field := range map[string]*bool{"follow": &o.Follow, "previous": &o.Previous, "timestamps": &o.Timestamps} {
		if values := query[name]; len(values) > 0 {
			*field = values[0] != "" && values[0] != "0" && !strings.EqualFold(values[0], "false")
		}
	}
	for name, field := range map[string]**int64{"tailLines": &o.TailLines, "limitBytes": &o.LimitBytes, "sinceSeconds": &o.SinceSeconds} {
		if values := query[name]; len(values) > 0 {
			n, err := strconv.ParseInt(values[0], 10, 64)
			if err != nil {
				return nil, err
			}
			*field = &n
		}
	}
	if values := query["sinceTime"]; len(values) > 0 {
		o.SinceTime = &metav1.Time{}
		return o, o.SinceTime.UnmarshalQueryParameter(values[0])
	}
	return o, nil
}

func checkLogOptions(o *corev1.PodLogOptions) field.ErrorList {
	var problems field.ErrorList
	if o.TailLines != nil && *o.TailLines < 0 {
		problems = append(problems, field.Invalid(field.NewPath("tailLines"), *o.TailLines, "must be greater than or equal to 0"))
	}
	if o.LimitBytes != nil && *o.LimitBytes < 1 {
		problems = append(problems, field.Invalid(field.NewPath("limitBytes"), *o.LimitBytes, "must be greater than 0"))
	}
	switch {
	case o.SinceSeconds != nil && o.SinceTime != nil:
		problems = append(problems, field.Forbidden(field.NewPath(""), "at most one of `sinceTime` or `sinceSeconds` may be specified"))
	case o.SinceSeconds != nil && *o.SinceSeconds < 1:
		problems = append(problems, field.Invalid(field.NewPath("sinceSeconds"), *o.SinceSeconds, "must be greater than 0"))
	}
	return problems
}

// deliver sends the existing lines and, if the client follows, new lines until the run is over. look returns the
// current state of the pod, nil if it no longer exists, and a channel that is closed when a pod changes. The stream
// also ends when the channel gone is closed.
func (st *logStream) deliver(w http.ResponseWriter, flush func() error, look func() (*corev1.Pod, <-chan struct{}), gone ...<-chan struct{}) {
	for {
		// A line that is written after this wakes the stream. The lines before it are read below.
		now := st.logs.state()
		pod, changed := look()
		over := pod == nil || pod.UID != st.pod.UID || runOver(pod, st.run)
		if now.cuts != st.cuts {
			now.cut(w)
			return
		}
		last := over || !st.options.Follow
		if done := st.send(w, last); done || flush() != nil || last {
			return
		}
		select {
		case <-now.wake:
		case <-changed:
		case <-gone[0]:
			return
		case <-gone[1]:
			return
		}
	}
}

// send writes the lines after the cursor. last means that the stream ends after them, so that an unfinished line is
// sent, too. done reports that nothing may follow.
func (st *logStream) send(w io.Writer, last bool) (done bool) {
	for {
		var lines []loggedLine
		lines, st.cursor = st.logs.read(st.log, st.cursor, logBatch, last)
		if len(lines) == 0 {
			return false
		}
		for _, line := range lines {
			if line.at.Before(st.since) {
				continue
			}
			text := line.text
			if st.options.Timestamps {
				text = append([]byte(line.at.UTC().Format(stamp)+" "), text...)
			}
			text = text[:min(int64(len(text)), st.left)]
			st.left -= int64(len(text))
			if _, err := w.Write(text); err != nil || st.left == 0 {
				return true
			}
		}
	}
}
