package logs

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// podState has the fields of a pod that reading logs needs.
type podState struct {
	Name, UID string
	Owner     ownerRef
	Created   time.Time
	// Labels are the labels that identify the replica of the pod.
	Labels map[string]string
	// Bound reports whether the pod has a node.
	Bound bool
	// Failed is set if the pod has failed, and Over if it has ended. EndedAt is when its
	// last container ended.
	Failed, Over bool
	EndedAt      time.Time
	// Why is the server's reason why the pod is not running.
	Why        string
	Containers []containerState
}

// ownerRef names the controller of an object.
type ownerRef struct{ APIVersion, Kind, Name, UID string }

// containerState is the state of one container.
type containerState struct {
	Name     string
	Restarts int
	// Begun: the run after that many restarts has a log. Ended: that run is over.
	Begun, Ended bool
	// Before: the previous run has a log.
	Before bool
	// Final: the container will not run again.
	Final bool
	// Native is set for an init container that runs beside the others.
	Native bool
	// Waiting is the reason why the container does not run, and Message its explanation.
	Waiting, Message string
}

// podStateOf returns the state of a pod. It is small, so that an informer can keep many.
func podStateOf(p *corev1.Pod) *podState {
	s := &podState{
		Name: p.Name, UID: string(p.UID), Created: p.CreationTimestamp.Time, Labels: map[string]string{}, Bound: p.Spec.NodeName != "",
		Failed: p.Status.Phase == corev1.PodFailed, Over: p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed,
	}
	if ref := metav1.GetControllerOfNoCopy(p); ref != nil {
		s.Owner = ownerRef{APIVersion: ref.APIVersion, Kind: ref.Kind, Name: ref.Name, UID: string(ref.UID)}
	}
	for _, name := range replicaLabels {
		if value, ok := p.Labels[name]; ok {
			s.Labels[name] = value
		} else if value, ok := p.Annotations[name]; ok {
			s.Labels[name] = value
		}
	}
	if !s.Bound {
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
				s.Why = strings.TrimSpace(c.Reason + ": " + c.Message)
			}
		}
	}
	for i := range p.Spec.InitContainers {
		always := p.Spec.InitContainers[i].RestartPolicy != nil && *p.Spec.InitContainers[i].RestartPolicy == corev1.ContainerRestartPolicyAlways
		s.add(p, p.Spec.InitContainers[i].Name, p.Status.InitContainerStatuses, !always)
		s.Containers[len(s.Containers)-1].Native = always
	}
	for i := range p.Spec.Containers {
		s.add(p, p.Spec.Containers[i].Name, p.Status.ContainerStatuses, false)
	}
	for i := range p.Spec.EphemeralContainers {
		s.add(p, p.Spec.EphemeralContainers[i].Name, p.Status.EphemeralContainerStatuses, true)
	}
	return s
}

// add adds a container. once is set if it does not run again after a success.
func (s *podState) add(p *corev1.Pod, name string, statuses []corev1.ContainerStatus, once bool) {
	c := containerState{Name: name}
	for i := range statuses {
		if status := &statuses[i]; status.Name == name {
			c.read(status)
			s.EndedAt = latest(s.EndedAt, endOf(status.State), endOf(status.LastTerminationState))
			if done := status.State.Terminated; done != nil {
				never := p.Spec.RestartPolicy == corev1.RestartPolicyNever
				c.Final = never || done.ExitCode == 0 && (once || p.Spec.RestartPolicy == corev1.RestartPolicyOnFailure)
			}
		}
	}
	c.Final = c.Final || s.Over
	s.Containers = append(s.Containers, c)
}

// read determines which runs of the container have logs. While a container waits for its
// next run, the node serves the last one.
func (c *containerState) read(status *corev1.ContainerStatus) {
	c.Restarts = int(status.RestartCount)
	last := status.LastTerminationState.Terminated != nil
	switch {
	case status.State.Running != nil:
		c.Begun, c.Before = true, last
	case status.State.Terminated != nil:
		c.Begun, c.Ended, c.Before = true, true, last
	case last:
		c.Begun, c.Ended = true, true
	}
	if w := status.State.Waiting; w != nil {
		c.Waiting, c.Message = w.Reason, w.Message
	}
}

func endOf(s corev1.ContainerState) time.Time {
	if s.Terminated == nil {
		return time.Time{}
	}
	return s.Terminated.FinishedAt.Time
}

func latest(times ...time.Time) (last time.Time) {
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// Labels and annotations that identify the replica of a pod.
const (
	indexLabel    = "batch.kubernetes.io/job-completion-index"
	setRoundLabel = "jobset.sigs.k8s.io/restart-attempt"
	replicaType   = "training.kubeflow.org/replica-type"
	replicaIndex  = "training.kubeflow.org/replica-index"
	rayCluster    = "ray.io/cluster"
	podIndexLabel = "apps.kubernetes.io/pod-index"
)

var replicaLabels = []string{indexLabel, setRoundLabel, replicaType, replicaIndex, rayCluster, podIndexLabel}
