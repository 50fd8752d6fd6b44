package channeltest

import (
	"fmt"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// Composed returns one message of every kind in a language, with the words of package
// message.
//
// Errors: those of message.Compose.
func Composed(language string) ([]*message.Message, error) {
	o := message.Options{
		ID: "key", Language: language, Portal: Portal, Location: time.FixedZone("UTC+8", 8*3600), Rule: "my failures", Role: "owner", Private: true,
	}
	var all []*message.Message
	var notices []message.Notice
	for _, k := range message.Kinds() {
		n := Notice(k)
		if k == message.Digest {
			continue
		}
		m, err := message.Compose(&n, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		all = append(all, m)
		notices = append(notices, n)
	}
	m, err := message.ComposeDigest(notices, at(0), at(60), o)
	if err != nil {
		return nil, fmt.Errorf("digest: %w", err)
	}
	return append(all, m), nil
}

// at returns a fixed time plus some minutes.
func at(minutes int) time.Time { return time.Date(2026, 11, 22, 2, minutes, 0, 0, time.UTC) }

//go:fix inline
func pointer[T any](v T) *T { return new(v) }

// states are the states in the notices of the kinds.
var states = map[message.Kind]job.State{
	message.Started: job.Running, message.NearDeadline: job.Running, message.RunningLong: job.Running, message.NoProgress: job.Running,
	message.WaitsLong: job.Queued, message.Restarted: job.Restarting, message.Failed: job.Failed, message.Succeeded: job.Succeeded,
	message.Aborted: job.Aborted, message.Deleted: job.Deleted, message.StateChanged: job.Suspended,
}

// Notice returns a notice of a kind, with all facts that its message can show.
func Notice(k message.Kind) message.Notice {
	n := message.Notice{
		Kind: k, Version: 48377, From: job.Running, To: states[k], Reason: "OOMKilled", Message: "it ended", Happened: at(21), Seen: at(22), Actor: "liwei",
		Job: message.Job{
			Cluster: "gpu-west", ClusterUID: "5d7f2ac1", Type: "pytorchjobs.kubeflow.org", Kind: "PyTorchJob", Namespace: "team-llm", Name: longName,
			UID: "0bcbde3e-8960-4961-ad34-668f0e3945bb", Queue: "gpu-h100", Owner: "liwei", GPUs: 32, Nodes: 4,
		},
		Cause: message.Cause{
			Reason: message.OOMKilled, Pod: "train-worker-2", Role: "worker", Index: new(2), Node: "gpu-h100-17", ExitCode: new(137), Limit: "480 GiB",
		},
		Attempt: 3, Attempts: 3, SameCause: []int{1, 2, 3}, Waited: pointer(43 * time.Minute), Ran: pointer(3 * time.Hour), LikelyEnd: at(600), KeptUntil: at(6000),
		Log: &message.Log{Source: "worker-2", Attempt: 3, Kept: 2000, Lines: []string{"10:41 Traceback (most recent call last):", "10:41 Killed"}},
	}
	switch {
	case k.Timer():
		n.Timer = &message.Timer{After: time.Hour, Left: 30 * time.Minute, Needed: time.Hour, Deadline: at(50), P90: 2 * time.Hour, Quiet: 20 * time.Minute, Since: at(1), Signal: "log line"}
		if k == message.WaitsLong {
			n.Wait = &message.Wait{Quota: new(256), Used: new(256), Free: new(0), Place: 7, InLine: 19, Start: at(60), StartEarly: at(50), StartLate: at(90), Fewer: 16, FewerStart: at(40)}
		}
	case k == message.GapClosed:
		n.Job = message.Job{Cluster: "gpu-west"}
		n.Gap = &message.Gap{From: at(1), To: at(14), Why: "API server unreachable", Changes: 4, Counts: []message.Count{{State: job.Failed, Jobs: 4}}}
	case k == message.Escalation:
		inner := Notice(message.Failed)
		n.Escalated = &message.Escalated{Notice: &inner, Age: 30 * time.Minute, Told: "liwei", At: at(21), Channel: "group"}
	case k == message.Test:
		n.Job = message.Job{}
		n.Probe = &message.Probe{Channel: "group", Actor: "ana", Rules: []string{"my failures"}}
	}
	return n
}
