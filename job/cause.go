package job

import (
	"cmp"
	"strings"
)

// Cause is why a pod failed or cannot start, in the terms of Kubernetes.
type Cause string

// Causes.
const (
	CauseOOMKilled        Cause = "OOMKilled"
	CauseError            Cause = "Error" // an exit code
	CauseEvicted          Cause = "Evicted"
	CauseNodeLost         Cause = "NodeLost"
	CauseDeadlineExceeded Cause = "DeadlineExceeded"
	CausePreempted        Cause = "Preempted"
	CauseImagePull        Cause = "ImagePullBackOff"
	CauseQuotaExceeded    Cause = "QuotaExceeded"
)

// causes are the API reasons that name a cause. Reasons that only state a failure, such as
// BackoffLimitExceeded, are not included.
var causes = map[string]Cause{
	"OOMKilled":                     CauseOOMKilled,
	"Error":                         CauseError,
	"ContainerCannotRun":            CauseError,
	"StartError":                    CauseError,
	"Evicted":                       CauseEvicted,
	"PodEvicted":                    CauseEvicted,
	"EvictionByEvictionAPI":         CauseEvicted,
	"TerminationByKubelet":          CauseEvicted,
	"NodeLost":                      CauseNodeLost,
	"NodeShutdown":                  CauseNodeLost,
	"DeletionByTaintManager":        CauseNodeLost,
	"DeletionByPodGC":               CauseNodeLost,
	"Shutdown":                      CauseNodeLost,
	"Terminated":                    CauseNodeLost, // of a kubelet whose node shuts down
	"DeadlineExceeded":              CauseDeadlineExceeded,
	"Preempted":                     CausePreempted,
	"Preempting":                    CausePreempted, // of a kubelet that admits a critical pod
	"PreemptionByScheduler":         CausePreempted,
	"PreemptionByKubeScheduler":     CausePreempted,
	"InClusterQueue":                CausePreempted, // of Kueue, like the next three
	"InCohortReclamation":           CausePreempted,
	"InCohortFairSharing":           CausePreempted,
	"InCohortReclaimWhileBorrowing": CausePreempted,
	"ErrImagePull":                  CauseImagePull,
	"ImagePullBackOff":              CauseImagePull,
	"InvalidImageName":              CauseImagePull,
	"ErrImageNeverPull":             CauseImagePull,
	"ImageInspectError":             CauseImagePull,
	"RegistryUnavailable":           CauseImagePull,
}

// CauseOf returns the cause that a reason of the API names, or "". The state of a pod puts
// "Init:" before the reason of an init container, as kubectl does.
func CauseOf(reason string) Cause { return causes[strings.TrimPrefix(reason, "Init:")] }

// causeOfExit returns the cause of a container that ended with an exit code.
func causeOfExit(reason string) Cause { return cmp.Or(CauseOf(reason), CauseError) }

// OverQuota returns the name of the quota in a message of the API server: "exceeded quota:
// NAME, requested: …".
func OverQuota(message string) (name string, found bool) {
	_, rest, found := strings.Cut(message, "exceeded quota: ")
	name, _, _ = strings.Cut(rest, ",")
	return name, found
}

// ofPlatform reports whether the platform ends whole pods for the cause.
func (c Cause) ofPlatform() bool {
	switch c {
	case CauseEvicted, CauseNodeLost, CausePreempted, CauseDeadlineExceeded:
		return true
	}
	return false
}
