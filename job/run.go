package job

import (
	"slices"
	"strconv"
	"time"
)

// Role is the part of a container in its pod.
type Role int

// Roles, in the order in which containers of the same second are the cause of a failure.
const (
	MainContainer Role = iota
	SidecarContainer
	InitContainer
	NativeSidecar // an init container with restartPolicy Always
)

// Run is one run of a container.
type Run struct {
	Container    string
	Role         Role
	Restart      int       // the number of earlier runs
	Began, Ended time.Time // zero if unknown, or not yet
	Over         bool
	Exit         int
	// Reason and Message are those of the API about its end.
	Reason, Message string

	recovered bool // a later run of the container is healthy
	earlier   bool // the container has ended again since
	memory    any  // its limit, as in the pod
}

// Failed reports whether the run ended with an exit code other than 0.
func (r *Run) Failed() bool { return r.Over && r.Exit != 0 }

// container is a container with its status.
type container struct {
	role   Role
	status Object
	memory any
}

// containersOf returns the containers of a pod that have a status.
func containersOf(pod Object) (all []container) {
	inits, mains := pod.List("spec", "initContainers"), pod.List("spec", "containers")
	statuses := pod.List("status", "containerStatuses")
	begun := slices.ContainsFunc(statuses, hasRun)
	for _, status := range pod.List("status", "initContainerStatuses") {
		c := container{role: InitContainer, status: status}
		if spec := namedObject(inits, status.Text("name")); spec != nil {
			c.memory = spec.At("resources", "limits", "memory")
			if spec.Text("restartPolicy") == "Always" {
				c.role = NativeSidecar
			}
		} else if begun {
			c.role = NativeSidecar // the pod is past its other init containers
		}
		all = append(all, c)
	}
	if mains == nil {
		mains = statuses
	}
	main := mainOf(pod, mains)
	for _, status := range statuses {
		c := container{role: SidecarContainer, status: status}
		name := status.Text("name")
		if name == main {
			c.role = MainContainer
		}
		if spec := namedObject(mains, name); spec != nil {
			c.memory = spec.At("resources", "limits", "memory")
		}
		all = append(all, c)
	}
	return all
}

// hasRun reports whether a container has run, by its status.
func hasRun(status Object) bool {
	return status.Map("state", "running") != nil || status.Map("state", "terminated") != nil || status.Map("lastState", "terminated") != nil
}

// mainOf returns the name of the main container: the one that kubectl shows by default.
func mainOf(pod Object, containers []Object) string {
	name := pod.Text("metadata", "annotations", "kubectl.kubernetes.io/default-container")
	if namedObject(containers, name) != nil || len(containers) == 0 {
		return name
	}
	return containers[0].Text("name")
}

// namedObject returns the object with a name, or nil.
func namedObject(all []Object, name string) Object {
	for _, o := range all {
		if o.Text("name") == name {
			return o
		}
	}
	return nil
}

// Runs returns the runs in the status of a pod: for each container the last two.
func Runs(pod Object) (all []Run) {
	for _, c := range containersOf(pod) {
		all = append(all, c.runs()...)
	}
	return all
}

func (c *container) runs() (all []Run) {
	count, _ := c.status.Number("restartCount")
	count = max(count, 0)
	base := Run{Container: c.status.Text("name"), Role: c.role, Restart: count, memory: c.memory}
	now, last := c.status.Map("state"), c.status.Map("lastState", "terminated")
	over, running := now.Map("terminated"), now.Map("running")
	if restart, exists := PreviousRun(count, over == nil && running == nil, last.Text("reason")); last != nil && exists {
		r := base.ended(last)
		r.Restart, r.earlier, r.recovered = restart, over != nil, running != nil || over != nil && exitOf(over) == 0
		all = append(all, r)
	}
	switch {
	case over != nil:
		all = append(all, base.ended(over))
	case running != nil:
		base.Began = running.Moment("startedAt")
		all = append(all, base)
	}
	return all
}

func (r Run) ended(t Object) Run {
	r.Over, r.Began, r.Ended = true, t.Moment("startedAt"), t.Moment("finishedAt")
	r.Exit, r.Reason, r.Message = exitOf(t), t.Text("reason"), t.Text("message")
	return r
}

// exitOf returns an exit code. Those of Windows need more than 32 bits.
func exitOf(t Object) int {
	text, _ := t.Scalar("exitCode")
	code, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return code
}

// lostStatus is the reason of an end that the kubelet did not observe. The kubelet
// increments the restart count together with it.
const lostStatus = "ContainerStatusUnknown"

// PreviousRun returns the number of the run in the lastState of a container, whose status has a
// restart count. The count is incremented when a container starts, so while it waits, the
// count is the number of the run that ended last. reason is the reason of lastState.
func PreviousRun(count int, waits bool, reason string) (restart int, exists bool) {
	if waits && reason != lostStatus {
		return count, true
	}
	return count - 1, count > 0
}
