package logs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
)

// DefaultStreams is the default number of logs that are read concurrently.
const DefaultStreams = 50

// MaxLine is the maximum length of a line, in bytes. Longer lines are truncated.
const MaxLine = 256 << 10

// Options select the logs to read. Job is required, and Cluster or Kept.
type Options struct {
	// Cluster is the cluster of the pods. Without it, only kept logs are read.
	Cluster *kube.Cluster
	// Job is the job whose logs are read. Its Object may be nil if the job is deleted and
	// known from the history.
	Job submit.Job
	// Kept has the logs of deleted pods. Without it, only live logs are read.
	Kept Kept
	// ClusterUID limits kept logs to a cluster; default all.
	ClusterUID string

	// Follow waits for further lines, restarts and pods until the job has ended.
	Follow bool
	// Since omits older lines; zero omits none.
	Since time.Time
	// Tail is the number of lines of each run of a container, from the end; nil reads all.
	Tail *int
	// Containers are the names of the containers to read. The default is all of them: init
	// containers, containers and ephemeral containers.
	Containers []string
	// Pods are the names of the pods to read; default all.
	Pods []string
	// Attempts are the numbers of the attempts to read; default all. A negative number counts
	// from the last attempt: -1 is the last one.
	Attempts []int

	// Found, if not nil, is called once before the first line, with the number of logs to
	// read. With Follow there may be more later.
	Found func(logs int)
	// Streams is the number of logs that are read concurrently; default DefaultStreams.
	// Others wait.
	Streams int
}

// check reports invalid options, and sets defaults.
func (o *Options) check() error {
	switch {
	case o.Cluster == nil && o.Kept == nil:
		return errors.New("logs: neither a cluster nor kept logs to read from")
	case o.Job.UID == "":
		return errors.New("logs: the job has no UID, so its pods cannot be distinguished from those of another job with its name")
	case o.Tail != nil && *o.Tail < 0:
		return fmt.Errorf("logs: a tail of %d lines", *o.Tail)
	case o.Streams < 0:
		return fmt.Errorf("logs: %d streams", o.Streams)
	case slices.Contains(o.Attempts, 0):
		return errors.New("logs: attempts are counted from 1; there is no attempt 0")
	}
	o.Streams = cmp.Or(o.Streams, DefaultStreams)
	return nil
}

// wants reports whether the options select a pod and a container.
func (o *Options) wants(pod, container string) bool {
	return (len(o.Pods) == 0 || slices.Contains(o.Pods, pod)) &&
		(len(o.Containers) == 0 || slices.Contains(o.Containers, container))
}

// wantsAttempt reports whether the options select an attempt; last is the number of the
// last one.
func (o *Options) wantsAttempt(attempt, last int) bool {
	return len(o.Attempts) == 0 || slices.Contains(o.Attempts, attempt) || slices.Contains(o.Attempts, attempt-last-1)
}
