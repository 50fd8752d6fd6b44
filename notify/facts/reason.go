package facts

import (
	"strings"

	"github.com/vedette-io/vedette/notify/message"
)

// reasons maps words of the API that are causes to reasons of messages. Words that only
// report a failed job, such as BackoffLimitExceeded, are not causes.
var reasons = map[string]message.Reason{
	"OOMKilled":                     message.OOMKilled,
	"Error":                         message.ExitError,
	"ContainerCannotRun":            message.ExitError,
	"StartError":                    message.ExitError,
	"Evicted":                       message.Evicted,
	"PodEvicted":                    message.Evicted,
	"EvictionByEvictionAPI":         message.Evicted,
	"TerminationByKubelet":          message.Evicted,
	"NodeLost":                      message.NodeLost,
	"NodeShutdown":                  message.NodeLost,
	"DeletionByTaintManager":        message.NodeLost,
	"DeletionByPodGC":               message.NodeLost,
	"Shutdown":                      message.NodeLost,
	"DeadlineExceeded":              message.DeadlineExceeded,
	"Preempted":                     message.Preempted,
	"PreemptionByScheduler":         message.Preempted,
	"PreemptionByKubeScheduler":     message.Preempted,
	"InClusterQueue":                message.Preempted, // of Kueue, like the next three
	"InCohortReclamation":           message.Preempted,
	"InCohortFairSharing":           message.Preempted,
	"InCohortReclaimWhileBorrowing": message.Preempted,
	"ErrImagePull":                  message.ImagePull,
	"ImagePullBackOff":              message.ImagePull,
	"InvalidImageName":              message.ImagePull,
	"ErrImageNeverPull":             message.ImagePull,
	"ImageInspectError":             message.ImagePull,
	"RegistryUnavailable":           message.ImagePull,
	"quota":                         message.OverQuota,
}

// overQuota returns the name of the quota in a message of the API server: "exceeded quota:
// NAME, requested: …".
func overQuota(text string) (name string, found bool) {
	_, rest, found := strings.Cut(text, "exceeded quota: ")
	if !found {
		return "", false
	}
	name, _, _ = strings.Cut(rest, ",")
	return name, true
}

// ofTransition returns the cause in a transition itself.
func ofTransition(reason, text string) message.Cause {
	if name, found := overQuota(text); found {
		return message.Cause{Reason: message.OverQuota, Quota: name}
	}
	c := message.Cause{Reason: reasons[reason]}
	if c.Reason == message.Evicted {
		c.Why = text
	}
	return c
}
