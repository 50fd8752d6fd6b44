package logs

import (
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/kube"
)

// DefaultStreams is how many logs are read at once.
const DefaultStreams = 50

// MaxLine is the length of a line, in bytes, above which it is cut.
const MaxLine = 1 << 20

// Options say which logs to read. Job is required, and Cluster or Kept.
type Options struct {
	// Cluster is where the pods are. Without it, only kept logs are read.
	Cluster *kube.Cluster
	// Job is the job whose logs are read.
	Job Job
	// Kept has the logs of pods that are gone. Without it, only live logs are read.
	Kept Kept

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
	// Attempts are the numbers of the attempts to read; default all.
	Attempts []int

	// Streams is how many logs are read at once; default DefaultStreams. Further ones wait.
	Streams int
	// Logger receives what only an operator wants to know; default slog.Default().
	Logger *slog.Logger
}
