package logs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/submit"
)

// DefaultStreams is how many logs are read at once.
const DefaultStreams = 50

// MaxLine is the length of a line, in bytes, above which it is cut.
const MaxLine = 256 << 10

// Options say which logs to read. Job is required, and Cluster or Kept.
type Options struct {
	// Cluster is where the pods are. Without it, only kept logs are read.
	Cluster *kube.Cluster
	// Job is the job whose logs are read. Its Object may be nil: the job is gone, and the
	// history names it.
	Job submit.Job
	// Kept has the logs of pods that are gone. Without it, only live logs are read.
	Kept Kept
	// ClusterUID limits kept logs to a cluster; default all.
	ClusterUID string

	// Follow waits for further lines, restarts and pods until the job has ended.
	Follow bool
	// Since leaves out lines that are older; zero leaves out none.
	Since time.Time
	// Tail is how many lines of each run of a container are read, from the end; nil reads
	// all.
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
	// Streams is how many logs are read at once; default DefaultStreams. Further ones wait.
	Streams int
}

// check returns what makes no sense, and fills in defaults.
func (o *Options) check() error {
	switch {
	case o.Cluster == nil && o.Kept == nil:
		return errors.New("logs: neither a cluster nor kept logs to read from")
	case o.Job.UID == "":
		return errors.New("logs: the job has no UID, so its pods cannot be told from those of another job of its name")
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

// wants reports whether the names of a run are chosen.
func (o *Options) wants(pod, container string) bool {
	return (len(o.Pods) == 0 || slices.Contains(o.Pods, pod)) &&
		(len(o.Containers) == 0 || slices.Contains(o.Containers, container))
}

// wantsAttempt reports whether an attempt is chosen, of which last is the last one.
func (o *Options) wantsAttempt(attempt, last int) bool {
	return len(o.Attempts) == 0 || slices.Contains(o.Attempts, attempt) || slices.Contains(o.Attempts, attempt-last-1)
}
