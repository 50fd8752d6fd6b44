package email

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// failedMessage is a typical failure.
func failedMessage() *message.Message {
	code := 137
	segment := func(s job.State, minutes float64, label string) message.Segment {
		return message.Segment{State: s, Share: minutes / 241, Label: label, Holds: s != job.Queued}
	}
	const portal = "https://vedette.example"
	return &message.Message{
		ID:   "gpu-west/0bcbde3e-8960-4961-ad34-668f0e3945bb/48377/Failed/my-failures/mail:liwei@example.com",
		Kind: message.Failed, Language: message.English, State: job.Failed, StateWord: "Failed",
		Title: "Failed, OOMKilled: llama3-70b-dpo-mix-v4-seed-1337", Head: "Failed, OOMKilled", Name: "llama3-70b-dpo-mix-v4-seed-1337",
		Sentence: "Worker 2 used all of its 480 GiB of memory on gpu-h100-17 and was killed. Attempts 2 and 3 ended the same way; no retries were left.",
		Facts: []message.Fact{
			{Label: "Cause", Value: "OOMKilled, exit code 137"},
			{Label: "Memory limit", Value: "480 GiB"},
			{Label: "Attempts", Value: "3 of 3"},
			{Label: "Waited, ran", Value: "43m 12s, 2h 55m"},
			{Label: "GPUs", Value: "32 on 4 nodes"},
			{Label: "Queue", Value: "gpu-h100"},
		},
		Log: []string{
			"10:19  [rank18] step 4,210 loss 1.2839 lr 1.92e-05 39,802 tok/s", "10:20  WARN shuffle_buffer 438.6 GiB of 480.0 GiB",
			"10:20  WARN shuffle_buffer 461.9 GiB of 480.0 GiB", "10:21  WARN shuffle_buffer 478.3 GiB of 480.0 GiB",
			"10:21  Traceback (most recent call last):", `         File "train.py", line 412, in next_batch`, "           self.buf.extend(shard.read())", "10:21  Killed",
		},
		LogTitle: "Last log lines", LogNote: "worker-2, attempt 3, 8 of 2,000 kept",
		Strip: []message.Segment{
			segment(job.Queued, 43, "06:20 queued"),
			segment(job.Starting, 5.5, "07:03 attempt 1"), segment(job.Running, 72, ""),
			segment(job.Restarting, 4.5, ""),
			segment(job.Starting, 5.5, "08:22 attempt 2"), segment(job.Running, 51.5, ""),
			segment(job.Restarting, 4.5, ""),
			segment(job.Starting, 5.5, "09:23 attempt 3"), segment(job.Running, 49, ""),
		},
		StripEnd: "10:21",
		Buttons: []message.Button{
			{Text: "Open job", URL: portal + "/jobs/gpu-west/0bcbde3e", Primary: true},
			{Text: "Retry", URL: portal + "/jobs/gpu-west/0bcbde3e?do=retry"},
			{Text: "All logs", URL: portal + "/jobs/gpu-west/0bcbde3e/logs"},
		},
		Footer: message.Footer{
			Place: "gpu-west / team-llm", Why: "You get this as owner, by the rule “my failures”.",
			Unsubscribe: portal + "/auth/unsubscribe/a.b", Mute: message.Link{Text: "Mute this job", URL: portal + "/mute?job=0bcbde3e"}, Change: message.Link{Text: "Change the rule", URL: portal + "/settings?rule=my+failures"}, Zone: "Times UTC+8",
		},
		URL: portal + "/jobs/gpu-west/0bcbde3e", Happened: time.Date(2026, 11, 22, 2, 21, 42, 108e6, time.UTC),
		Thread: "0bcbde3e-8960-4961-ad34-668f0e3945bb@gpu-west", Dedup: "vedette/gpu-west/0bcbde3e/my failures", Rule: "my failures", Role: "owner", Place: "gpu-west / team-llm",
		Notice: &message.Notice{Kind: message.Failed, Cause: message.Cause{Reason: message.OOMKilled, ExitCode: &code, Node: "gpu-h100-17"}},
	}
}

// digestMessage is a typical digest.
func digestMessage() *message.Message {
	const portal = "https://vedette.example"
	row := func(name, owner, gpus, text, at string) message.Row {
		return message.Row{Name: name, URL: portal + "/find/gpu-west/" + name, Owner: owner, GPUs: gpus, Text: text, Time: at}
	}
	section := func(s job.State, title string, rows ...message.Row) message.Section {
		return message.Section{State: s, Title: title, Rows: rows, Count: len(rows)}
	}
	return &message.Message{
		ID: "digest/2026-11-22T02:42/team-digest/llm-oncall", Kind: message.Digest, Language: message.English, State: job.Failed,
		Title: "4 failed, 2 waiting, 1 aborted, 2 succeeded since 09:42", Head: "4 failed, 2 waiting, 1 aborted, 2 succeeded",
		Sentence: "2 of 4 failures: OOMKilled on gpu-h100-17. 9 jobs, 09:42 to 10:42.", Place: "team-*, hourly",
		Sections: []message.Section{
			section(job.Failed, "Failed, OOMKilled on gpu-h100-17", row("llama3-70b-dpo-mix-v4-seed-1337", "liwei", "32 GPUs", "ran 2h 55m, 3 of 3", "10:21:42"), row("qwen2-72b-pretrain-stage3-seed-42", "ana", "64 GPUs", "ran 47m 06s, 3 of 3", "10:35:43")),
			section(job.Failed, "Failed, other causes", row("whisper-large-zh-38", "emre", "8 GPUs", "exit code 1", "10:29:28"), row("segment-anything-ft-1", "chen", "8 GPUs", "image not found", "10:14:45")),
			section(job.Queued, "Waiting longer than 30m", row("reward-model-v9-seed-2024", "liwei", "32 GPUs", "7th, likely 11:34", "1h 05m"), row("dlrm-1tb-embed-lr3e-4-bs256", "goro", "–", "2nd, likely 10:50", "33m 51s")),
			section(job.Aborted, "Aborted", row("sequence-rank-v12-seed-7", "ines", "–", "by its owner", "10:39:31")),
			section(job.Succeeded, "Succeeded", row("dinov3-pretrain-lr1e-4-bs256", "ben", "8 GPUs", "ran 37m 42s", "10:34:09"), row("ctr-calibration-sweep", "ines", "–", "ran 30m 32s", "10:01:54")),
		},
		Buttons: []message.Button{{Text: "Open 4 failed", URL: portal + "/jobs?state=Failed", Primary: true}, {Text: "Open all 9", URL: portal + "/jobs?digest=1"}},
		Footer: message.Footer{
			Why:  "You get this as llm-oncall, by the rule “team digest”.",
			Mute: message.Link{Text: "Mute for today", URL: portal + "/mute?digest=today"}, Change: message.Link{Text: "Change the rule", URL: portal + "/settings?rule=team+digest"},
			Zone: "Times UTC+8", Note: "Not watched 09:50 to 09:52 in gpu-west; no changes were found afterwards.",
		},
		URL:   portal + "/jobs?state=Failed",
		Items: []message.Notice{{To: job.Failed, Cause: message.Cause{Node: "gpu-h100-17"}}},
	}
}
