package facts

import (
	"github.com/vedette-io/vedette/job"

	"github.com/vedette-io/vedette/platform/notify/message"
)

// causeOf returns the cause of an ending for a message.
func causeOf(e *job.Ending) message.Cause {
	c := message.Cause{Reason: reasonOf(e.Cause), Pod: e.Pod, Node: e.Node, Role: e.Replica, Index: e.Index, ExitCode: e.Exit, Limit: job.Memory(e.Memory)}
	switch {
	case e.Cause == job.CauseEvicted:
		c.Why = e.Message
	case e.Cause == job.CauseQuotaExceeded:
		c.Quota = e.Message
	case e.Deadline > 0:
		c.Limit = message.Duration(e.Deadline)
	}
	return c
}

// reasonOf returns the reason of a cause in messages, which name two causes in their own words.
func reasonOf(c job.Cause) message.Reason {
	switch c {
	case job.CauseImagePull:
		return message.ImagePull
	case job.CauseQuotaExceeded:
		return message.OverQuota
	}
	return message.Reason(c)
}
