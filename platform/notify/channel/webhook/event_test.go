package webhook

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	cloudevents "github.com/cloudevents/sdk-go/v2/event"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// encode returns the body of a message, after the SDK of CloudEvents has accepted it.
func encode(t interface {
	Helper()
	Fatalf(string, ...any)
}, m *message.Message,
) (*Event, map[string]any) {
	t.Helper()
	e := NewEvent(m)
	body, err := e.Encode()
	if err != nil {
		t.Fatalf("the event does not encode: %v", err)
	}
	if len(body) > maxBody || !utf8.Valid(body) {
		t.Fatalf("got %d bytes, valid: %v; want at most the limit, and valid UTF-8", len(body), utf8.Valid(body))
	}
	var event cloudevents.Event
	if err := json.Unmarshal(body, &event); err != nil {
		t.Fatalf("the SDK: %v in %s", err, body)
	}
	if err := event.Validate(); err != nil {
		t.Fatalf("the SDK: %v in %s", err, body)
	}
	var all map[string]any
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatalf("the event is not a JSON object: %v", err)
	}
	return e, all
}

// TestEventOfTheDesign: the body has the documented form.
func TestEventOfTheDesign(t *testing.T) {
	_, got := encode(t, failed())
	want := map[string]any{
		"specversion": "1.0", "id": "gpu-west/0bcbde3e-8960-4961-ad34-668f0e3945bb/48377/Failed/my-failures/ops-hook",
		"source": "vedette/gpu-west", "type": "io.vedette.job.failed.v1", "subject": "team-llm/llama3-70b-dpo-mix-v4-seed-1337",
		"time": "2026-11-22T02:21:42.108Z", "datacontenttype": "application/json",
		"data": map[string]any{
			"job": map[string]any{
				"cluster": "gpu-west", "type": "pytorchjobs.kubeflow.org", "namespace": "team-llm", "name": "llama3-70b-dpo-mix-v4-seed-1337",
				"uid": "0bcbde3e-8960-4961-ad34-668f0e3945bb", "queue": "gpu-h100", "owner": "liwei", "gpus": 32.0, "nodes": 4.0,
			},
			"from": "Running", "to": "Failed", "reason": "OOMKilled", "message": "Job has reached the specified backoff limit", "exitCode": 137.0, "node": "gpu-h100-17", "attempt": 3.0, "attempts": 3.0,
			"waitedSeconds": 2592.0, "ranSeconds": 10512.0, "title": "Failed, OOMKilled: llama3-70b-dpo-mix-v4-seed-1337",
			"sentence": "Worker 2 used all of its 480 GiB of memory on gpu-h100-17 and was killed.", "log": []any{"WARN shuffle_buffer", "Killed"},
			"late": false, "rule": "my failures", "url": "https://vedette.example/jobs/gpu-west/0bcbde3e",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
}

// TestEventWithoutFacts: unknown facts are absent.
func TestEventWithoutFacts(t *testing.T) {
	_, got := encode(t, &message.Message{ID: "test/1", Kind: message.Test, Title: "Test of ops-hook", Notice: &message.Notice{Kind: message.Test}})
	want := map[string]any{
		"specversion": "1.0", "id": "test/1", "source": "vedette", "type": "io.vedette.test.v1", "datacontenttype": "application/json",
		"data": map[string]any{"title": "Test of ops-hook", "late": false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
}

// TestLongDigestDropsSucceededFirst: a digest with too many jobs has the number of missing
// jobs, and keeps the failures.
func TestLongDigestDropsSucceededFirst(t *testing.T) {
	m := &message.Message{ID: "digest/1", Kind: message.Digest, Title: "200 failed", Happened: time.Unix(1e9, 0)}
	for i := range 400 {
		to := job.Failed
		if i%8 != 0 {
			to = job.Succeeded
		}
		m.Items = append(m.Items, message.Notice{To: to, Job: message.Job{Name: fmt.Sprint("train-", i), Namespace: "ml", UID: "0bcbde3e-8960-4961-ad34-668f0e3945bb"}})
	}
	e, _ := encode(t, m)
	counts := map[job.State]int{}
	for _, job := range e.Data.Jobs {
		counts[job.To]++
	}
	if len(e.Data.Jobs)+e.Data.More != 400 || counts[job.Failed] != 50 || counts[job.Succeeded] == 0 || len(e.Data.Truncated) != 1 || e.Data.Truncated[0] != "jobs" {
		t.Errorf("%d jobs and %d more: %v, truncated %v", len(e.Data.Jobs), e.Data.More, counts, e.Data.Truncated)
	}
	if len(m.Items) != 400 || m.Items[0].To != job.Failed || m.Items[1].To != job.Succeeded {
		t.Error("the message was modified")
	}
}

// TestLongLogLosesItsBeginning: the oldest lines are left out, and the event names the
// missing part.
func TestLongLogLosesItsBeginning(t *testing.T) {
	m := failed()
	m.Log = nil
	for i := range 100 {
		m.Log = append(m.Log, fmt.Sprint(i, strings.Repeat("x", 290)))
	}
	e, _ := encode(t, m)
	n := len(e.Data.Log)
	if n < 40 || n == 100 || !strings.HasPrefix(e.Data.Log[n-1], "99x") || fmt.Sprint(e.Data.Truncated) != "[log]" || len(m.Log) != 100 {
		t.Errorf("got %d lines, truncated %v; want the last 40 to 99 and [log]", n, e.Data.Truncated)
	}
}

// TestAnyMessageFits: for all texts, the body is valid, within the limit, and keeps the
// required fields.
func TestAnyMessageFits(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		raw := rapid.OneOf(rapid.String(), rapid.StringN(0, 400, 4000), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 900), func(b []byte) string { return string(b) }))
		text := rapid.Map(raw, message.Clean) // as Compose returns it
		m := failed()
		m.ID = raw.Draw(t, "ID") + "x"
		m.Notice.Job.Name, m.Notice.Job.Namespace, m.Notice.Job.Queue = text.Draw(t, "name")+"n", text.Draw(t, "namespace"), text.Draw(t, "queue")
		m.Notice.Cause.Reason, m.Notice.Cause.Pod, m.Rule = message.Reason(text.Draw(t, "reason")+"r"), text.Draw(t, "pod"), text.Draw(t, "rule")
		m.Title, m.Sentence, m.Log = message.Clean(text.Draw(t, "title")), message.Clean(text.Draw(t, "sentence")), nil
		for range rapid.IntRange(0, 100).Draw(t, "lines") {
			m.Log = append(m.Log, message.CleanLine(text.Draw(t, "line")))
		}
		lines := len(m.Log)
		e, got := encode(t, m)
		data := got["data"].(map[string]any)
		if data["to"] != "Failed" || data["reason"] == nil || data["url"] != m.URL || data["job"] == nil {
			t.Fatalf("something that must stay is missing: %v", data)
		}
		if short := len(e.Data.Log) < lines; short != strings.Contains(fmt.Sprint(e.Data.Truncated), "log") {
			t.Fatalf("%d of %d lines, truncated %v", len(e.Data.Log), lines, e.Data.Truncated)
		}
		if len(e.Data.Log) > 0 && e.Data.Log[len(e.Data.Log)-1] != m.Log[lines-1] {
			t.Fatalf("the newest line is missing")
		}
	})
}

// TestIDs: IDs are valid in a header, have no periods, and differ if the keys differ.
func TestIDs(t *testing.T) {
	for key, want := range map[string]string{
		"gpu-west/uid/7/Failed/r/c": "gpu-west/uid/7/Failed/r/c",
		"gpu.west/a":                "gpu%2Ewest/a",
		"a%2Eb":                     "a%252Eb",
		"a b\r\nX-Evil: 1":          "a%20b%0D%0AX-Evil:%201",
		"失败":                        "%E5%A4%B1%E8%B4%A5",
	} {
		if got := idOf(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
	testinput.Check(t, func(t *rapid.T) {
		a, b := rapid.StringN(0, 400, 1000).Draw(t, "a"), rapid.StringN(0, 400, 1000).Draw(t, "b")
		if id := idOf(a); len(id) > maxID || strings.ContainsAny(id, ". \r\n\"") || (id == idOf(b)) != (a == b) {
			t.Fatalf("got ID %q, want at most %d safe bytes, the same only for the same key", id, maxID)
		}
	})
}
