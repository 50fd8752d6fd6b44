package job

import (
	"cmp"
	"strconv"
	"time"
)

// Ending is a failure of a container, or of a whole pod.
type Ending struct {
	Cause Cause
	// Reason and Message are those of the API.
	Reason, Message string
	At              time.Time // zero if the pod does not have it
	// Seen is when the failure was recorded. A caller that knows it sets it: it orders the
	// ends of pods in the same second.
	Seen time.Time

	Pod, Node string
	// Replica and Index are the place of the pod in its job, such as "worker" and 2. Index is
	// nil if the labels do not have it.
	Replica string
	Index   *int

	Container string // empty if the whole pod ended
	Role      Role
	Restart   int  // the number of earlier runs of the container
	Exit      *int // nil if no exit code is the cause
	// Memory is the memory limit of a container that ran out of memory, as in the pod.
	Memory any
	// Deadline is the deadline that the pod exceeded.
	Deadline time.Duration

	recovered, earlier bool
}

// FirstEnding returns the ending that is the cause of a pod's failure, or the reason why it cannot
// start. It returns nil if the pod has none.
func FirstEnding(pod Object) *Ending {
	var first *Ending
	all := Endings(pod)
	for i := range all {
		if e := &all[i]; !e.earlier && (first == nil || e.Compare(first) < 0) {
			first = e
		}
	}
	return first
}

// Endings returns the endings in the status of a pod that may be the cause of a failure: the last
// two of each container, or that of the whole pod.
func Endings(pod Object) (all []Ending) {
	base := Ending{Pod: pod.Text("metadata", "name"), Node: pod.Text("spec", "nodeName")}
	base.Replica, base.Index = placeOf(pod.Map("metadata", "labels"))
	if e, ok := byPlatform(pod, base); ok {
		return []Ending{e}
	}
	containers := containersOf(pod)
	for i := range containers {
		c := &containers[i]
		for _, r := range c.runs() {
			if !r.Failed() || r.Role == NativeSidecar {
				continue
			}
			all = append(all, base.Of(&r))
		}
		if reason := c.status.Text("state", "waiting", "reason"); causes[reason] == CauseImagePull {
			e := base
			e.Container, e.Role, e.Cause = c.status.Text("name"), c.role, CauseImagePull
			e.Reason, e.Message = reason, c.status.Text("state", "waiting", "message")
			all = append(all, e)
		}
	}
	return all
}

// Of returns the ending of a failed run of the same pod.
func (e Ending) Of(r *Run) Ending {
	code := r.Exit
	e.Container, e.Role, e.Restart, e.At, e.Exit = r.Container, r.Role, r.Restart, r.Ended, &code
	e.Cause, e.Reason, e.Message = causeOfExit(r.Reason), r.Reason, r.Message
	e.recovered, e.earlier = r.recovered, r.earlier
	if e.Cause == CauseOOMKilled {
		e.Memory = r.memory
	}
	return e
}

// byPlatform returns how the platform ended a pod.
func byPlatform(pod Object, e Ending) (Ending, bool) {
	e.Reason, e.Message = pod.Text("status", "reason"), pod.Text("status", "message")
	e.Cause = causes[e.Reason]
	for _, c := range pod.List("status", "conditions") {
		if c.Text("type") == "DisruptionTarget" && c.Text("status") == "True" && e.Cause == "" {
			e.Reason, e.Message, e.At = c.Text("reason"), c.Text("message"), c.Moment("lastTransitionTime")
			e.Cause = causes[e.Reason]
		}
	}
	if !e.Cause.ofPlatform() {
		return Ending{}, false
	}
	if n, ok := pod.Number("spec", "activeDeadlineSeconds"); ok && e.Cause == CauseDeadlineExceeded {
		e.Deadline = time.Duration(n) * time.Second
	}
	if e.At.IsZero() {
		e.At = firstEnd(pod)
	}
	return e, true
}

// firstEnd returns when the first container of a pod ended; zero if none has.
func firstEnd(pod Object) (at time.Time) {
	for _, r := range Runs(pod) {
		if r.Over && !r.earlier && !r.recovered && (at.IsZero() || r.Ended.Before(at)) {
			at = r.Ended
		}
	}
	return at
}

// RecordedEnding returns the ending that the reason and the message of a failed pod's Status show,
// for a pod whose fields are not known.
func RecordedEnding(reason, message string) Ending {
	e := Ending{Reason: ContainerReason(reason), Message: message}
	text, _ := ExitCodeIn(message)
	if code, err := strconv.Atoi(text); err == nil {
		e.Exit = &code
	}
	if e.Cause = CauseOf(reason); e.Cause == "" && e.Exit != nil {
		e.Cause = CauseError
	}
	return e
}

// Word returns the word for the ending by which equal endings are counted: its cause, with the
// exit code if that is all that is known, such as "Error, exit code 1". An ending without a
// cause has the reason of the API.
func (e *Ending) Word() string {
	if e.Cause == CauseError && e.Exit != nil {
		return string(e.Cause) + ", " + ExitCodeMessage(int64(*e.Exit))
	}
	return cmp.Or(string(e.Cause), e.Reason)
}

// EndingOfJob returns the cause of a job's failure. reason and message are those of the job, and pod
// is the first ending of its last attempt, or nil. A deadline or a quota of the job ended its
// pods; otherwise the pod explains more than the job. It returns nil if neither is known.
func EndingOfJob(reason, message string, pod *Ending) *Ending {
	own := &Ending{Cause: CauseOf(reason), Reason: reason, Message: message}
	if name, found := OverQuota(message); found {
		own.Cause, own.Message = CauseQuotaExceeded, name
	}
	switch {
	case own.EndsPods():
		return own
	case pod != nil:
		return pod
	case own.Cause == "", own.Cause == CauseError:
		return nil
	}
	return own
}

// EndsPods reports whether the cause of a job has ended its pods, and not the other way around.
func (e *Ending) EndsPods() bool {
	return e != nil && (e.Cause == CauseDeadlineExceeded || e.Cause == CauseQuotaExceeded)
}

// Final reports whether the container has neither ended again nor recovered since.
func (e *Ending) Final() bool { return !e.earlier && !e.recovered }

// SeenIn sets the time when the pod entered its recorded state. If the pod has failed, that
// is more precise than the whole seconds of the API.
func (e *Ending) SeenIn(since time.Time, failed bool) {
	if failed && e.Final() {
		e.Seen = since
	}
	if e.At.IsZero() {
		e.At = since
	}
}

// Moment returns the most precise time of the ending; zero if it is unknown.
func (e *Ending) Moment() time.Time {
	if !e.Seen.IsZero() {
		return e.Seen
	}
	return e.At
}

// Same reports whether two endings have the same cause and exit code.
func (e *Ending) Same(other *Ending) bool {
	return e.Cause == other.Cause && (e.Exit == nil) == (other.Exit == nil) && (e.Exit == nil || *e.Exit == *other.Exit)
}

// Compare orders the endings of the containers and the pods of one attempt: the cause of its
// failure is first.
func (e *Ending) Compare(other *Ending) int {
	return cmp.Or(
		rankOf(e.recovered)-rankOf(other.recovered),
		rankOf(e.At.IsZero())-rankOf(other.At.IsZero()),
		e.At.Truncate(time.Second).Compare(other.At.Truncate(time.Second)),
		rankOf(e.Stopped())-rankOf(other.Stopped()),
		rankOf(e.Seen.IsZero())-rankOf(other.Seen.IsZero()),
		e.Seen.Compare(other.Seen),
		cmp.Compare(e.Role, other.Role),
		cmp.Compare(e.Pod, other.Pod),
		cmp.Compare(e.Container, other.Container),
		cmp.Compare(e.Restart, other.Restart),
	)
}

// rankOf returns the rank of an ending that a property puts after the others.
func rankOf(has bool) int {
	if has {
		return 1
	}
	return 0
}

// Stopped reports whether the container was stopped from outside.
func (e *Ending) Stopped() bool { return e.Exit != nil && StoppedBySignal(*e.Exit, e.Reason) }

// StoppedBySignal reports whether an exit code and its reason show that a container was stopped by
// SIGTERM, or by SIGKILL if it did not run out of memory.
func StoppedBySignal(exit int, reason string) bool {
	return exit == 128+15 || exit == 128+9 && causeOfExit(reason) != CauseOOMKilled
}

// placeOf returns the place of a pod in its job by its labels.
func placeOf(labels Object) (replica string, index *int) {
	for _, names := range [][2]string{
		{"training.kubeflow.org/replica-type", "training.kubeflow.org/replica-index"},
		{"volcano.sh/task-spec", "volcano.sh/task-index"},
		{"jobset.sigs.k8s.io/replicatedjob-name", "batch.kubernetes.io/job-completion-index"},
	} {
		replica := labels.Text(names[0])
		if n, err := strconv.Atoi(labels.Text(names[1])); replica != "" && err == nil && n >= 0 {
			return replica, &n
		}
	}
	return "", nil
}
