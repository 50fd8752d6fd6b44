package message_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", -time.Minute: "0s", 999 * time.Millisecond: "0s", 42 * time.Second: "42s", time.Minute: "1m", 63 * time.Second: "1m 03s", 43*time.Minute + 12*time.Second: "43m 12s",
		time.Hour: "1h", time.Hour + 59*time.Second: "1h", 134 * time.Minute: "2h 14m", 65 * time.Minute: "1h 05m", 51 * time.Hour: "2d 03h", 48 * time.Hour: "2d",
	} {
		if got := message.Duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// TestReasons: each reason has its sentences, with and without their optional facts.
func TestReasons(t *testing.T) {
	var all strings.Builder
	for _, reason := range []message.Reason{
		message.OOMKilled, message.ExitError, message.Evicted, message.NodeLost, message.DeadlineExceeded, message.Preempted, message.ImagePull, message.OverQuota, "", "Odd",
	} {
		known := message.Cause{
			Reason: reason, Pod: "train-worker-2", Role: "worker", Index: new(2), Node: "gpu-h100-17", Limit: "480 GiB", Why: "The node was low on resource: memory.", Other: "team-cv/dino", Quota: "gpu",
		}
		if reason == message.ExitError {
			known.ExitCode = new(1)
		}
		if reason == message.DeadlineExceeded {
			known.Limit = "2h"
		}
		for _, cause := range []message.Cause{known, {Reason: reason, Pod: "train-0"}, {Reason: reason, Node: "gpu-h100-17"}, {Reason: reason}} {
			for _, language := range []string{"en", "zh"} {
				n := minimal(message.Failed)
				n.Cause, n.Reason, n.Message = cause, "BackoffLimitExceeded", "Job has reached the specified backoff limit"
				m, err := message.Compose(&n, options(language))
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&all, "%-18s %s | %s", reason, m.Title, m.Sentence)
				for _, f := range m.Facts {
					fmt.Fprintf(&all, " | %s: %s %s", f.Label, f.Value, f.Note)
				}
				all.WriteString("\n")
			}
		}
	}
	golden(t, "reasons.txt", all.String())
}

// TestCounts: numbers have nouns in the right grammatical number.
func TestCounts(t *testing.T) {
	var all strings.Builder
	for i := range 4 {
		n := full(message.Started)
		n.Job.GPUs, n.Job.Nodes, n.LikelyEnd = i, i, time.Time{}
		r := full(message.Restarted)
		r.Attempt, r.Attempts = 4-i, 4
		s := full(message.Succeeded)
		s.Attempt = i
		w := full(message.WaitsLong)
		w.Wait.Place = i + 20
		g := full(message.GapClosed)
		g.Gap.Changes = i * 1234
		for _, notice := range []message.Notice{n, r, s, w, g} {
			m, err := message.Compose(&notice, options("en"))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&all, "%s | %s\n", m.Title, m.ShortSentence)
		}
	}
	golden(t, "counts.txt", all.String())
}

// TestStates: every state that a job enters has a sentence.
func TestStates(t *testing.T) {
	var all strings.Builder
	for _, to := range []job.State{job.Submitted, job.Queued, job.Suspended, job.Starting, job.Running, job.Restarting, job.Succeeded, job.Failed, job.Aborted, job.Deleted, ""} {
		for _, language := range []string{"en", "zh"} {
			for _, n := range []message.Notice{full(message.StateChanged), minimal(message.StateChanged)} {
				n.From, n.To, n.ToRaw, n.Reason = job.Submitted, to, "Paused", ""
				m, err := message.Compose(&n, options(language))
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&all, "%s | %s\n", m.Title, m.Sentence)
			}
		}
	}
	golden(t, "states.txt", all.String())
}

// TestLate: a message says that it is late, in every length.
func TestLate(t *testing.T) {
	for _, c := range []struct {
		language string
		happened time.Time
		replay   bool
		want     string
	}{
		{"en", at("07:20:00"), false, "Late: happened 07:20, found 07:31."},
		{"en", time.Time{}, false, "Late: found 07:31; when it happened is unknown."},
		{"zh", at("07:20:00"), false, "补录：07:20 发生，07:31 发现。"},
		{"zh", time.Time{}, false, "补录：07:31 发现，发生时间未知。"},
		{"en", at("07:20:00"), true, "Late: happened 07:20, found 07:31. Sent again: due 07:32."},
		{"zh", at("07:20:00"), true, "补录：07:20 发生，07:31 发现。补发：原定 07:32 发送。"},
		{"en", at("07:20:00").AddDate(0, 0, -1), false, "Late: happened Nov 21 07:20, found 07:31."},
		{"zh", at("07:20:00").AddDate(-1, 0, 0), false, "补录：2025 年 11 月 22 日 07:20 发生，07:31 发现。"},
	} {
		n, o := minimal(message.Failed), options(c.language)
		n.Late, n.Happened, n.Seen = true, c.happened, at("07:31:00")
		o.Replay, o.Due = c.replay, at("07:32:00")
		m, err := message.Compose(&n, o)
		if err != nil || !strings.HasSuffix(m.Sentence, c.want) || !strings.HasSuffix(m.ShortSentence, c.want) || !m.Late {
			t.Errorf("%q, %v; want %q", m.Sentence, err, c.want)
		}
	}
}

// TestLateTimer: a timer that fired late has only one time.
func TestLateTimer(t *testing.T) {
	for language, want := range map[string]string{"en": "it holds 32 GPUs. Late: it was not checked in time.", "zh": "占用 32 GPU。迟到：未能及时检查。"} {
		n := full(message.NoProgress)
		n.Late, n.Seen = true, at("06:20:00")
		m, err := message.Compose(&n, options(language))
		if err != nil || !strings.HasSuffix(m.Sentence, want) {
			t.Errorf("%q, %v; want %q", m.Sentence, err, want)
		}
	}
}

func TestWithoutPortal(t *testing.T) {
	for _, portal := range []string{"", "javascript:alert(1)", "https://user:pass@host", "//host", "https://host?x=1", ":"} {
		n, o := full(message.Failed), options("en")
		o.Portal = portal
		m, err := message.Compose(&n, o)
		if err != nil || len(m.Buttons) > 0 || m.URL != "" || m.Footer.Mute.URL != "" {
			t.Errorf("portal %q: got buttons %+v and error %v, want no link", portal, m.Buttons, err)
		}
		if want := "gpu-west / team-llm. You get this as owner, by the rule “my failures”. Times UTC+8"; m.Footer.Text() != want {
			t.Errorf("got %q, want %q", m.Footer.Text(), want)
		}
	}
	n := full(message.Failed)
	n.Job.Cluster, n.Job.UID = "a/b?c", ".."
	m, _ := message.Compose(&n, options("en"))
	if m.URL != "https://vedette.example/jobs" {
		t.Errorf("a UID of dots: %q", m.URL)
	}
}

// TestLogsArePrivate: only receivers that may read logs get them.
func TestLogsArePrivate(t *testing.T) {
	n, o := full(message.Failed), options("en")
	o.Private = false
	m, err := message.Compose(&n, o)
	if err != nil || m.Log != nil || m.LogTitle != "" || m.LogNote != "" || strings.Contains(message.Plain(m, 0), "Traceback") || m.Data().Log != nil {
		t.Errorf("got log %+v and error %v, want no log in the message", m.Log, err)
	}
}

func TestVerbatim(t *testing.T) {
	n, o := full(message.Failed), options("en")
	n.Job.Owner, o.Verbatim = "https://a.b\x1b", true
	m, err := message.Compose(&n, o)
	if err != nil || m.Data().Job.Owner != `https://a.b\x1b` {
		t.Errorf("got owner %q and error %v, want the link as text", m.Data().Job.Owner, err)
	}
}

// TestNoticeAsJSON: a notice can be stored and read as JSON, with unknown fields, and has
// the field names of older programs.
func TestNoticeAsJSON(t *testing.T) {
	for _, kind := range message.Kinds() {
		n := full(kind)
		text, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		var back message.Notice
		text = append([]byte(`{"fromTheFuture":[1,{}],`), text[1:]...)
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(n, back); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
	var all bytes.Buffer
	for _, kind := range []message.Kind{message.Failed, message.WaitsLong, message.NoProgress, message.GapClosed, message.Escalation, message.Test} {
		n := full(kind)
		n.Life = n.Life[:min(len(n.Life), 1)]
		text, err := json.MarshalIndent(n, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		all.Write(append(text, '\n'))
	}
	golden(t, "notices.json", all.String())
}

func TestData(t *testing.T) {
	var all bytes.Buffer
	digest, err := message.ComposeDigest(picture()[:2], at("09:42:00"), at("10:42:00"), options("en"))
	if err != nil {
		t.Fatal(err)
	}
	messages := []*message.Message{digest}
	for _, kind := range []message.Kind{message.Failed, message.WaitsLong, message.Escalation, message.Test} {
		n := full(kind)
		m, err := message.Compose(&n, options("en"))
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, message.Fit(m, func(m *message.Message) bool { return len(m.Log) < 2 }))
	}
	for _, m := range messages {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		if err := e.Encode(m.Data()); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "== %s\n%s\n", m.Kind.EventType(), text.String())
	}
	golden(t, "data.txt", all.String())
}

func TestPlain(t *testing.T) {
	var all strings.Builder
	for _, language := range []string{"en", "zh"} {
		n := full(message.Failed)
		m, err := message.Compose(&n, options(language))
		if err != nil {
			t.Fatal(err)
		}
		digest, err := message.ComposeDigest(picture(), at("09:42:00"), at("10:42:00"), options(language))
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(message.Plain(m, 72) + "\n----\n" + message.Plain(digest, 72) + "\n----\n")
	}
	golden(t, "plain.txt", all.String())
}

func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range message.Kinds() {
		name := kind.EventType()
		if seen[name] || !strings.HasPrefix(name, "io.vedette.") || !strings.HasSuffix(name, ".v1") {
			t.Errorf("%s: got event type %q, want its own one in io.vedette, version v1", kind, name)
		}
		seen[name] = true
	}
	for _, c := range []struct{ tag, want string }{{"zh-CN", "zh"}, {"ZH_tw", "zh"}, {" zh", "zh"}, {"en-US", "en"}, {"", "en"}, {"de", "en"}, {"zhx", "en"}} {
		if got := message.LanguageOf(c.tag); got != c.want {
			t.Errorf("language of %q: got %q, want %q", c.tag, got, c.want)
		}
	}
}

func BenchmarkCompose(b *testing.B) {
	n, o := full(message.Failed), options("en")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := message.Compose(&n, o); err != nil {
			b.Fatal(err)
		}
	}
}
