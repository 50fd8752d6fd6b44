package logkeeper

import (
	"hash/fnv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/wire"
)

// task is a request for the log of one run of a container.
type task struct {
	pod  wire.Key
	uid  string // of the pod
	node string
	run  ending
	// ended is set if the run has ended. Otherwise its pod is being deleted.
	ended bool
	// unsure is set if another or an earlier recorder may have stored the log.
	unsure bool
	owner  owner     // the controller of the pod; zero without one
	seen   time.Time // when the end was read from the server; zero if it existed at the start
	// restartable is set if the container may restart.
	restartable bool
	// labeled are the owners in the labels of the pod.
	labeled []owner
}

// newTask returns a task for a run of a container of a pod.
func newTask(pod *corev1.Pod, run ending, ended bool, seen time.Time) task {
	t := task{
		pod: wire.Key{Namespace: pod.Namespace, Name: pod.Name}, uid: string(pod.UID), node: pod.Spec.NodeName,
		run: run, ended: ended, seen: seen, restartable: restarts(pod, run), labeled: labeled(pod),
	}
	t.owner, _ = controller(pod)
	return t
}

func (t *task) id() runID { return runID{t.uid, t.run.container, t.run.restart} }

// spread is the maximum delay of a fetch in favor of another recorder.
const spread = 400 * time.Millisecond

// deferral returns the delay of the fetch in favor of other recorders. It differs between
// recorders, and between pods.
func (t *task) deferral(recorder string) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(recorder + "\x00" + t.uid)) // never fails
	x := h.Sum64()
	x ^= x >> 33 // otherwise the last bytes of the text change few bits
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return time.Duration(x % uint64(spread))
}

// log describes the log of the run. owners are the owners of the pod, nearest first.
func (t *task) log(cluster string, owners []owner) joblog.Log {
	l := joblog.Log{
		ClusterUID: cluster, PodUID: t.uid, Namespace: t.pod.Namespace, Pod: t.pod.Name, Container: t.run.container, Restart: t.run.restart,
		OwnerUID: t.owner.uid, OwnerKind: t.owner.kind, OwnerName: t.owner.name, Node: t.node,
		Started: t.run.started, Ended: t.run.ended, ExitCode: t.run.exitCode, Reason: t.run.reason,
	}
	if l.Started.Unix() <= 0 {
		l.Started = time.Time{}
	}
	job := t.owner
	for _, o := range t.labeled {
		if o.uid != "" {
			job = o
		}
	}
	if len(owners) > 0 {
		if last := owners[len(owners)-1]; job.uid == t.owner.uid || last.uid != t.owner.uid {
			job = last
		}
	}
	l.JobUID, l.JobKind, l.JobName = job.uid, job.kind, job.name
	return l
}
