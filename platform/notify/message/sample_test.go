package message_test

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
)

var shanghai = time.FixedZone("CST", 8*3600)

// at returns a time on the day of the samples.
func at(clock string) time.Time {
	t, err := time.ParseInLocation("2006-01-02 15:04:05", "2026-11-22 "+clock, shanghai)
	if err != nil {
		panic(err) // in a test
	}
	return t
}

func minutes(n float64) *time.Duration { return new(time.Duration(n * float64(time.Minute))) }

func newJob(name string) message.Job {
	return message.Job{
		Cluster: "gpu-west", ClusterUID: "5a1f", Type: "pytorchjobs.kubeflow.org", Kind: "PyTorchJob", Namespace: "team-llm", Name: name,
		UID: "0bcbde3e-8960-4961-ad34-668f0e3945bb", Queue: "gpu-h100", Owner: "liwei", GPUs: 32, Nodes: 4,
	}
}

func life() []message.Span {
	return []message.Span{
		{State: job.Queued, From: at("06:20:00"), To: at("07:03:12")},
		{State: job.Starting, From: at("07:03:12"), To: at("07:08:00"), Attempt: 1},
		{State: job.Running, From: at("07:08:00"), To: at("08:18:00"), Attempt: 1},
		{State: job.Restarting, From: at("08:18:00"), To: at("08:22:00"), Attempt: 1},
		{State: job.Starting, From: at("08:22:00"), To: at("08:27:00"), Attempt: 2},
		{State: job.Running, From: at("08:27:00"), To: at("09:19:00"), Attempt: 2},
		{State: job.Restarting, From: at("09:19:00"), To: at("09:23:00"), Attempt: 2},
		{State: job.Starting, From: at("09:23:00"), To: at("09:28:00"), Attempt: 3},
		{State: job.Running, From: at("09:28:00"), To: at("10:21:42"), Attempt: 3},
	}
}

// full returns a notice of a kind with all facts.
func full(kind message.Kind) message.Notice {
	n := message.Notice{
		Kind: kind, Job: newJob("llama3-70b-dpo-mix-v4-seed-1337"), Version: 48377, From: job.Running, To: job.Running, Happened: at("10:21:42"), Seen: at("10:21:43"),
		Attempt: 3, Attempts: 3, Waited: minutes(43.2), Ran: minutes(175.2), Life: life(),
	}
	switch kind {
	case message.Started:
		n.From, n.LikelyEnd, n.Attempt, n.Ran = job.Starting, at("14:30:00"), 1, nil
	case message.NearDeadline:
		n.Timer = &message.Timer{After: 30 * time.Minute, Left: 28*time.Minute + 5*time.Second, Deadline: at("10:50:00"), Needed: 72 * time.Minute}
	case message.RunningLong:
		n.Timer = &message.Timer{After: time.Hour, P90: 2*time.Hour + 10*time.Minute}
	case message.NoProgress:
		n.Timer = &message.Timer{After: 30 * time.Minute, Quiet: 31 * time.Minute, Since: at("09:50:00"), Signal: message.SignalLog}
	case message.WaitsLong:
		n.From, n.To, n.Job.Name, n.Waited, n.Ran, n.Attempt, n.Life = job.Submitted, job.Queued, "reward-model-v9-seed-2024", minutes(65), nil, 0, nil
		n.Timer = &message.Timer{After: time.Hour}
		n.Wait = &message.Wait{
			Quota: new(256), Used: new(256), Free: new(0), Place: 7, InLine: 19, PlaceBefore: 11, BeforeGPUs: new(176), BeforeJobs: 6, BeforeHigher: 2,
			Start: at("11:34:00"), StartEarly: at("11:10:00"), StartLate: at("12:40:00"), Fewer: 16, FewerStart: at("10:58:00"), LikeMedian: 117 * time.Minute, LikeJobs: 120, LikeDays: 30,
		}
	case message.Restarted:
		n.To, n.Attempt, n.Attempts, n.Cause = job.Restarting, 2, 3, oom()
	case message.Failed:
		n.To, n.Cause, n.SameCause = job.Failed, oom(), []int{2, 3}
		n.Log = &message.Log{Source: "worker-2", Attempt: 3, Kept: 2000, Lines: []string{"10:21  Traceback (most recent call last):", "10:21    self.buf.extend(shard.read())", "10:21  Killed"}}
	case message.Succeeded:
		n.To = job.Succeeded
	case message.Aborted:
		n.To, n.Cause, n.Actor = job.Aborted, message.Cause{Reason: message.Preempted, Other: "team-cv/dinov3-pretrain"}, "liwei"
	case message.Deleted:
		n.To, n.Actor, n.KeptUntil = job.Deleted, "ana", time.Date(2027, 2, 20, 0, 0, 0, 0, shanghai)
	case message.StateChanged:
		n.From, n.To, n.Reason, n.Ran, n.Attempt, n.Life = job.Submitted, job.Queued, "Inadmissible", nil, 0, nil
	case message.GapClosed:
		n.Job = message.Job{Cluster: "gpu-west"}
		n.Gap = &message.Gap{From: at("07:18:00"), To: at("07:31:00"), Why: "API server unreachable", Changes: 4, Counts: []message.Count{{State: job.Failed, Jobs: 1}, {State: job.Running, Jobs: 3}}}
	case message.Escalation:
		of := full(message.Failed)
		n.Escalated = &message.Escalated{Notice: &of, Age: 15 * time.Minute, Told: "liwei", At: at("10:21:44"), Channel: "feishu"}
	case message.Test:
		n = message.Notice{Kind: kind, Happened: at("10:21:42"), Probe: &message.Probe{Channel: "feishu-llm", Actor: "liwei", Rules: []string{"my failures", "waits over 1h"}}}
	}
	return n
}

func oom() message.Cause {
	return message.Cause{Reason: message.OOMKilled, Pod: "llama3-70b-dpo-mix-v4-seed-1337-worker-2", Role: "worker", Index: new(2), Node: "gpu-h100-17", ExitCode: new(137), Limit: "480 GiB"}
}

// minimal returns a notice of a kind with only the job.
func minimal(kind message.Kind) message.Notice {
	n := message.Notice{Kind: kind, Job: message.Job{Cluster: "gpu-west", Namespace: "team-llm", Name: "train-7", UID: "7f3a"}, Seen: at("10:21:43")}
	switch kind {
	case message.GapClosed:
		n.Job, n.Gap = message.Job{Cluster: "gpu-west"}, &message.Gap{}
	case message.Escalation:
		of := minimal(message.Failed)
		n.Escalated = &message.Escalated{Notice: &of}
	case message.Test:
		n = message.Notice{Kind: kind, Probe: &message.Probe{}}
	}
	return n
}

func options(language string) message.Options {
	return message.Options{
		ID: "gpu-west/0bcbde3e/48377/Failed/my-failures/feishu", Language: language, Portal: "https://vedette.example/", Location: shanghai, Rule: "my failures",
		Role: message.RoleOwner, Private: true,
	}
}
