package message_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// item is a notice of a digest.
func item(kind message.Kind, name, owner string, gpus int, clock string, ran time.Duration) message.Notice {
	n := message.Notice{Kind: kind, Job: newJob(name), Happened: at(clock), Attempt: 3, Attempts: 3, Ran: &ran}
	n.Job.UID, n.Job.Owner, n.Job.GPUs = "uid-"+name, owner, gpus
	return n
}

// picture returns nine typical jobs.
func picture() []message.Notice {
	oomed := item(message.Failed, "llama3-70b-dpo-mix-v4-seed-1337", "liwei", 32, "10:21:42", 2*time.Hour+55*time.Minute)
	oomed.Cause = oom()
	second := item(message.Failed, "qwen2-72b-pretrain-stage3-seed-42", "ana", 64, "10:35:43", 47*time.Minute+6*time.Second)
	second.Cause = oom()
	exited := item(message.Failed, "whisper-large-zh-38", "emre", 8, "10:29:28", time.Minute)
	exited.Cause = message.Cause{Reason: message.ExitError, ExitCode: new(1), Node: "gpu-a100-3"}
	image := item(message.Failed, "segment-anything-ft-1", "chen", 8, "10:14:45", 0)
	image.Cause = message.Cause{Reason: message.ImagePull}
	waits := item(message.WaitsLong, "reward-model-v9-seed-2024", "liwei", 32, "10:42:00", 0)
	waits.Waited, waits.Timer, waits.Wait = minutes(65), &message.Timer{After: 30 * time.Minute}, &message.Wait{Place: 7, Start: at("11:34:00")}
	later := item(message.WaitsLong, "dlrm-1tb-embed-lr3e-4-bs256", "goro", 0, "10:42:00", 0)
	later.Waited, later.Timer, later.Wait = new(33*time.Minute+51*time.Second), &message.Timer{After: 30 * time.Minute}, &message.Wait{Place: 2, Start: at("10:50:00")}
	aborted := item(message.Aborted, "sequence-rank-v12-seed-7", "ines", 0, "10:39:31", time.Minute)
	aborted.Actor = "ines"
	gap := message.Notice{Kind: message.GapClosed, Job: message.Job{Cluster: "gpu-west"}, Gap: &message.Gap{From: at("09:50:00"), To: at("09:52:00")}}
	return []message.Notice{
		item(message.Succeeded, "dinov3-pretrain-lr1e-4-bs256", "ben", 8, "10:34:09", 37*time.Minute+42*time.Second), aborted, second, waits, exited, oomed, image, later, gap,
		item(message.Succeeded, "ctr-calibration-sweep", "ines", 0, "10:01:54", 30*time.Minute+32*time.Second),
	}
}

func TestDigest(t *testing.T) {
	var all strings.Builder
	for _, language := range []string{message.English, message.Chinese} {
		o := options(language)
		o.Rule, o.Role = "team digest", "llm-oncall"
		m, err := message.ComposeDigest(picture(), at("09:42:00"), at("10:42:00"), o)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "== %s\n%s\n", language, describe(m))
		mixed := []message.Notice{}
		for _, kind := range []message.Kind{message.Started, message.NearDeadline, message.RunningLong, message.NoProgress, message.Restarted, message.Deleted, message.StateChanged} {
			n := full(kind)
			n.Job.UID = string(kind)
			mixed = append(mixed, n)
		}
		if m, err = message.ComposeDigest(mixed, at("09:42:00"), at("10:42:00"), o); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "== %s, other kinds\n%s\n", language, describe(m))
		if m, err = message.ComposeDigest(nil, time.Time{}, time.Time{}, message.Options{Language: language}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "== %s, nothing\n%s\n", language, describe(m))
	}
	golden(t, "digest.txt", all.String())
}

// TestDigestCountsJobsOnce: the last notice of a job counts, and an end takes precedence
// over a deletion.
func TestDigestCountsJobsOnce(t *testing.T) {
	at := func(kind message.Kind, clock string) message.Notice {
		return item(kind, "train", "ann", 8, clock, time.Minute)
	}
	for _, c := range []struct {
		items []message.Notice
		want  string
	}{
		{[]message.Notice{at(message.Started, "10:00:00"), at(message.Succeeded, "10:10:00")}, "1 succeeded since 09:00"},
		{[]message.Notice{at(message.Succeeded, "10:10:00"), at(message.Started, "10:00:00")}, "1 succeeded since 09:00"},
		{[]message.Notice{at(message.Failed, "10:00:00"), at(message.Deleted, "10:10:00")}, "1 failed since 09:00"},
		{[]message.Notice{at(message.WaitsLong, "10:00:00"), at(message.Started, "10:10:00")}, "1 started since 09:00"},
		{[]message.Notice{full(message.Test)}, "No jobs since 09:00"},
		{[]message.Notice{full(message.GapClosed)}, "1 gap since 09:00"},
		{[]message.Notice{full(message.Escalation), full(message.Failed)}, "1 failed since 09:00"},
	} {
		m, err := message.ComposeDigest(c.items, shanghaiNine(), shanghaiNine().Add(2*time.Hour), options("en"))
		if err != nil || m.Title != c.want {
			t.Errorf("%q, %v; want %q", m.Title, err, c.want)
		}
	}
}

func shanghaiNine() time.Time { return at("09:00:00") }

// TestDigestGroups: failures are grouped by cause and node, then by cause.
func TestDigestGroups(t *testing.T) {
	var items []message.Notice
	add := func(reason message.Reason, node string, code int) {
		n := item(message.Failed, fmt.Sprint("train-", len(items)), "ann", 8, "10:00:00", time.Minute)
		n.Cause = message.Cause{Reason: reason, Node: node}
		if code != 0 {
			n.Cause.ExitCode = &code
		}
		items = append(items, n)
	}
	add(message.ExitError, "n2", 7)
	add(message.ExitError, "n2", 7)
	add(message.NodeLost, "n1", 0)
	add(message.NodeLost, "n1", 0)
	add(message.NodeLost, "n1", 0)
	add(message.ExitError, "n2", 8)
	add(message.ExitError, "n3", 8)
	add(message.OOMKilled, "n2", 137)
	add(message.OOMKilled, "n3", 137)
	add("", "", 0)
	add("", "", 0)
	m, err := message.ComposeDigest(items, at("09:42:00"), at("10:42:00"), options("en"))
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, s := range m.Sections {
		titles = append(titles, fmt.Sprint(s.Title, " ", s.Count))
		if s.State != job.Failed {
			t.Errorf("%q has the color of %q", s.Title, s.State)
		}
	}
	want := []string{"Failed, node lost on n1 3", "Failed, exit code 7 on n2 2", "Failed, OOMKilled 2", "Failed, other causes 4"}
	if !slices.Equal(titles, want) {
		t.Errorf("%q, want %q", titles, want)
	}
	if want := "3 of 11 failures: node lost on n1. 11 jobs, 09:42 to 10:42."; m.Sentence != want {
		t.Errorf("%q, want %q", m.Sentence, want)
	}
}

// TestDigestIsBounded: a digest of many jobs shows 500, and the number of the others.
func TestDigestIsBounded(t *testing.T) {
	var items []message.Notice
	for i := range 1200 {
		items = append(items, item(message.Failed, fmt.Sprint("train-", i), "ann", 8, "10:00:00", time.Minute))
	}
	m, err := message.ComposeDigest(items, at("09:42:00"), at("10:42:00"), options("en"))
	if err != nil || len(m.Sections[0].Rows) != 500 || len(m.Items) != 500 || m.More != "and 700 more" || !strings.HasPrefix(m.Title, "1,200 failed") {
		t.Errorf("got %d rows, %q, title %q, error %v; want 500 rows, 700 more, 1,200 failed", len(m.Sections[0].Rows), m.More, m.Title, err)
	}
}
