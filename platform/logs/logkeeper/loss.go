package logkeeper

import (
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/kube"
)

// Loss is the reason why the end of a log is missing.
type Loss string

// The losses.
const (
	// PodGone: the pod was deleted before its log could be read.
	PodGone Loss = "pod-gone"
	// NodeUnreachable: the pod was deleted while its node did not answer.
	NodeUnreachable Loss = "node-unreachable"
	// NeverStarted: the container has no log, because it could not be started.
	NeverStarted Loss = "never-started"
	// Restarted: the container was restarted twice before the log of the run could be
	// read.
	Restarted Loss = "restarted"
	// Absent: the node no longer has the log of the container.
	Absent Loss = "absent"
	// Denied: the right to read the log was missing until the pod was deleted.
	Denied Loss = "denied"
	// Unwritten: the database refused the log.
	Unwritten Loss = "unwritten"
)

// Losses lists all losses.
var Losses = []Loss{PodGone, NodeUnreachable, NeverStarted, Restarted, Absent, Denied, Unwritten}

// why returns the text of a loss for people: the value of Log.Lost.
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
	return fmt.Sprintf("%s: %s", text, faultlog.Text(errors.New(kube.Explain(err))))
}
