package job_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/vedette-io/vedette/job"
)

// TestExitCode checks that ExitCodeIn reads what the state of a Pod says.
func TestExitCode(t *testing.T) {
	for _, code := range []int64{1, 137, 255, -1, math.MaxInt32, 3221225786} {
		pod := map[string]any{"apiVersion": "v1", "kind": "Pod", "status": map[string]any{
			"phase": "Failed", "containerStatuses": []any{map[string]any{"state": map[string]any{"terminated": map[string]any{"exitCode": code}}}},
		}}
		message := job.ReadStatus(pod).Message
		if got, ok := job.ExitCodeIn(message); !ok || got != strconv.FormatInt(code, 10) {
			t.Errorf("exit code %d: got %q, %v from the message %q, want the code and true", code, got, ok, message)
		}
	}
	left := job.ReadStatus(map[string]any{"apiVersion": "v1", "kind": "Pod", "status": map[string]any{
		"phase": "Failed", "containerStatuses": []any{map[string]any{"state": map[string]any{"terminated": map[string]any{"exitCode": int64(9), "message": "the data is missing"}}}},
	}})
	if left.Message != "exit code 9: the data is missing" {
		t.Errorf("got the message %q, want the exit code before the message of the container", left.Message)
	}
	if code, ok := job.ExitCodeIn("exit code 9: exit code 1"); !ok || code != "9" {
		t.Errorf("a message of the container: got the exit code %q, %v; want 9", code, ok)
	}
	for _, message := range []string{"", "137", "out of memory", "ended with exit code 1", "exit code of the process", "exit code 1 and more"} {
		if got, ok := job.ExitCodeIn(message); ok {
			t.Errorf("message %q: got the exit code %q, want none", message, got)
		}
	}
}
