package apitest

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// containersOf returns the names of the containers of a pod, and of its init containers.
func containersOf(pod *corev1.Pod) (containers, inits, ephemeral []string) {
	for i := range pod.Spec.Containers {
		containers = append(containers, pod.Spec.Containers[i].Name)
	}
	for i := range pod.Spec.InitContainers {
		inits = append(inits, pod.Spec.InitContainers[i].Name)
	}
	for i := range pod.Spec.EphemeralContainers {
		ephemeral = append(ephemeral, pod.Spec.EphemeralContainers[i].Name)
	}
	return containers, inits, ephemeral
}

// containerOf returns the name of the requested container, or the error of an API server.
func containerOf(pod *corev1.Pod, name string) (string, error) {
	containers, inits, ephemeral := containersOf(pod)
	switch {
	case name == "" && len(containers) == 1:
		return containers[0], nil
	case name == "":
		text := fmt.Sprintf("a container name must be specified for pod %s", pod.Name)
		if len(containers) > 0 {
			text += ", choose one of: [" + strings.Join(containers, " ") + "]"
		}
		if len(inits) > 0 {
			text += " or one of the init containers: [" + strings.Join(inits, " ") + "]"
		}
		return "", apierrors.NewBadRequest(text)
	case !slices.Contains(slices.Concat(containers, inits, ephemeral), name):
		return "", apierrors.NewBadRequest(fmt.Sprintf("container %s is not valid for pod %s", name, pod.Name))
	}
	return name, nil
}

// statusOfContainer returns the status of a container in a pod; nil if there is no such status.
func statusOfContainer(pod *corev1.Pod, name string) *corev1.ContainerStatus {
	for _, all := range [][]corev1.ContainerStatus{
		pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses, pod.Status.EphemeralContainerStatuses,
	} {
		for i := range all {
			if all[i].Name == name {
				return &all[i]
			}
		}
	}
	return nil
}

// liveRun returns the current or last run of a container.
func liveRun(pod *corev1.Pod, container string) runKey {
	run := runKey{container: container}
	if status := statusOfContainer(pod, container); status != nil {
		run.restart = status.RestartCount
	}
	return run
}

// runOver reports whether a run has ended, so that its log is complete.
func runOver(pod *corev1.Pod, run runKey) bool {
	status := statusOfContainer(pod, run.container)
	if status == nil {
		return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	}
	return status.RestartCount != run.restart || status.State.Running == nil
}

// servedRun returns the run whose log a request gets, or the error of a node. It follows the kubelet: while a container
// waits for its next start, its log is that of the previous run.
func servedRun(pod *corev1.Pod, container string, previous bool) (runKey, error) {
	status := statusOfContainer(pod, container)
	refuse := func(format string, args ...any) (runKey, error) {
		return runKey{}, apierrors.NewBadRequest(fmt.Sprintf(format, args...))
	}
	if status == nil {
		return refuse("container %q in pod %q is not available", container, pod.Name)
	}
	run := runKey{container: container, restart: status.RestartCount}
	last, waiting := status.LastTerminationState.Terminated, status.State.Waiting
	active := status.State.Running != nil || status.State.Terminated != nil
	switch {
	case previous && last == nil:
		return refuse("previous terminated container %q in pod %q not found", container, pod.Name)
	case previous && active:
		run.restart--
		return run, nil
	case previous, active, last != nil:
		return run, nil
	case waiting == nil:
		return refuse("container %q in pod %q is waiting to start - no logs yet", container, pod.Name)
	case waiting.Reason == "ErrImagePull":
		return refuse("container %q in pod %q is waiting to start: image can't be pulled", container, pod.Name)
	case waiting.Reason == "ImagePullBackOff":
		return refuse("container %q in pod %q is waiting to start: trying and failing to pull image", container, pod.Name)
	}
	return refuse("container %q in pod %q is waiting to start: %v", container, pod.Name, waiting.Reason)
}
