package stats

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// causeOfPod returns the cause of a pod whose container ended with an exit code.
func causeOfPod(code int64, reason, message string) string {
	s := job.ReadStatus(map[string]any{"apiVersion": "v1", "kind": "Pod", "status": map[string]any{
		"phase": "Failed", "containerStatuses": []any{
			map[string]any{"state": map[string]any{"terminated": map[string]any{"exitCode": code, "reason": reason, "message": message}}},
		},
	}})
	return causeOf(&history.Transition{Reason: s.Reason, Message: s.Message})
}

// TestCausesOfPods checks that the statistics find the exit code in the state of a pod.
func TestCausesOfPods(t *testing.T) {
	if word := causeOf(&history.Transition{Reason: "Init:Error", Message: "exit code 7"}); word != "Error, exit code 7" {
		t.Errorf("an init container: got %q", word)
	}
	for _, c := range []struct {
		code            int64
		reason, message string
		want            string
	}{
		{1, "Error", "", "Error, exit code 1"},
		{7, "", "", "Error, exit code 7"},
		{137, "OOMKilled", "", "OOMKilled"},
		{1, "Error", "the data is missing", "Error"},
		{1, "Error", "exit code 1: the data is missing", "Error"},
	} {
		if got := causeOfPod(c.code, c.reason, c.message); got != c.want {
			t.Errorf("exit code %d, reason %q, message %q: got the cause %q, want %q", c.code, c.reason, c.message, got, c.want)
		}
	}
}

// TestSignalsComeLast checks that the end of a pod by a signal comes after another end in
// the same second.
func TestSignalsComeLast(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	cause := podEnd{at: at, failed: true, cause: causeOfPod(200, "Error", "")}
	for _, code := range []int64{137, 143} {
		effect := podEnd{at: at, failed: true, cause: causeOfPod(code, "Error", "")}
		if got := effect.compare(&cause); got != 1 {
			t.Errorf("exit code %d compared with 200: got %d, want 1", code, got)
		}
	}
}
