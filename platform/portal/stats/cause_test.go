package stats

import (
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// failedAt returns the end of a pod whose container ended with an exit code, with its body, or as
// its transition alone shows it.
func failedAt(at time.Time, code int64, reason, message string, withBody bool) podEnd {
	body := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","status":{"phase":"Failed","containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":%d,"reason":%q,"message":%q}}}]}}`, code, reason, message)
	s := job.ReadStatus(job.ParseObject([]byte(body)))
	c := history.Change{Transition: history.Transition{To: string(job.Failed), Reason: s.Reason, Message: s.Message, Happened: at}}
	if !withBody {
		body = ""
	}
	return endOfPod(&c, []byte(body))
}

// TestCausesOfPods checks that the statistics find the cause in the body of a pod, and in its
// transition if the body is missing.
func TestCausesOfPods(t *testing.T) {
	for _, c := range []struct {
		code            int64
		reason, message string
		want            string
	}{
		{1, "Error", "", "Error, exit code 1"},
		{7, "", "", "Error, exit code 7"},
		{137, "OOMKilled", "", "OOMKilled"},
		{1, "Error", "the data is missing", "Error, exit code 1"},
		{9, "Error", "exit code 1: the data is missing", "Error, exit code 9"},
	} {
		for _, body := range []bool{true, false} {
			if got := failedAt(time.Time{}, c.code, c.reason, c.message, body); got.cause != c.want {
				t.Errorf("exit code %d, reason %q, message %q, with the body %v: got the cause %q, want %q", c.code, c.reason, c.message, body, got.cause, c.want)
			}
		}
	}
	init := history.Change{Transition: history.Transition{To: string(job.Failed), Reason: "Init:Error", Message: "exit code 7"}}
	if got := endOfPod(&init, nil).cause; got != "Error, exit code 7" {
		t.Errorf("an init container: got %q", got)
	}
}

// TestSignalsComeLast checks that the end of a pod by a signal comes after another end in
// the same second.
func TestSignalsComeLast(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	cause := failedAt(at, 200, "Error", "", true)
	for _, code := range []int64{137, 143} {
		effect := failedAt(at, code, "Error", "", true)
		if got := effect.compare(&cause); got != 1 {
			t.Errorf("exit code %d compared with 200: got %d, want 1", code, got)
		}
	}
}
