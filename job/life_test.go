package job_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/job"
)

// life is a sequence of writes of one object by its controller.
type life struct {
	name   string
	source string // of the writes and their states
	object string // without status
	writes []write
}

// write is one write of the status.
type write struct {
	status string
	want   string // "State" or "State: Reason"
}

// TestLives: each write of a controller has the state that the job has then, so a job changes
// its state only when it does something else.
func TestLives(t *testing.T) {
	for _, l := range allLives() {
		t.Run(l.name, func(t *testing.T) {
			if l.source == "" {
				t.Error("the life has no source")
			}
			for i, w := range l.writes {
				s := job.ReadStatus(lighten(parse(t, l.object+"status: {"+w.status+"}\n")))
				got := s.String()
				if _, reason, _ := strings.Cut(w.want, ": "); reason != "" {
					got += ": " + s.Reason
				}
				if got != w.want {
					t.Errorf("write %d, {%s}: got %q (%+v), want %q", i+1, w.status, got, s, w.want)
				}
			}
		})
	}
}

const (
	seenWrites = "seen on a real control plane of this version, see issue 43, A.4"
	controller = "kubernetes 1.36.3, pkg/controller/job/job_controller.go, trackJobStatusAndRemoveFinalizers"
	batchJob   = "apiVersion: batch/v1\nkind: Job\n"
	started    = "startTime: '2026-11-28T08:00:01Z', "
	succeeding = "conditions: [{type: SuccessCriteriaMet, status: 'True', reason: CompletionsReached}]"
)

// batchLives are lives of batch Jobs.
var batchLives = []life{
	{"success, 1.30", seenWrites, batchJob + "spec: {backoffLimit: 6}\n", []write{
		{"", "Submitted"},
		{started + "active: 1, ready: 0, uncountedTerminatedPods: {}", "Starting"},
		{started + "active: 1, ready: 1, uncountedTerminatedPods: {}", "Running"},
		{started + "active: 0, ready: 0, uncountedTerminatedPods: {succeeded: [a]}", "Running"},
		{started + "succeeded: 1, ready: 0, uncountedTerminatedPods: {}, conditions: [{type: Complete, status: 'True'}]", "Succeeded"},
	}},
	{"retry and success, 1.30", seenWrites, batchJob + "spec: {backoffLimit: 6}\n", []write{
		{started + "active: 1, ready: 1, uncountedTerminatedPods: {}", "Running"},
		{started + "active: 0, ready: 0, uncountedTerminatedPods: {failed: [a]}", "Restarting: PodFailed"},
		{started + "active: 0, ready: 0, failed: 1, uncountedTerminatedPods: {}", "Restarting: PodFailed"},
		{started + "active: 1, ready: 0, failed: 1, uncountedTerminatedPods: {}", "Restarting: PodFailed"},
		{started + "active: 1, ready: 1, failed: 1, uncountedTerminatedPods: {}", "Running"},
		{started + "active: 0, ready: 0, failed: 1, uncountedTerminatedPods: {succeeded: [b]}", "Running"},
		{started + "succeeded: 1, failed: 1, uncountedTerminatedPods: {}, conditions: [{type: Complete, status: 'True'}]", "Succeeded"},
	}},
	{"failure without a retry, 1.30", seenWrites, batchJob + "spec: {backoffLimit: 0}\n", []write{
		{started + "active: 1, ready: 1, uncountedTerminatedPods: {}", "Running"},
		{started + "active: 0, ready: 0, uncountedTerminatedPods: {failed: [a]}", "Running"},
		{started + "failed: 1, uncountedTerminatedPods: {}, conditions: [{type: Failed, status: 'True', reason: BackoffLimitExceeded}]", "Failed: BackoffLimitExceeded"},
	}},
	{"failure after the last retry, 1.36", seenWrites, batchJob + "spec: {backoffLimit: 1}\n", []write{
		{started + "active: 0, ready: 0, uncountedTerminatedPods: {failed: [a]}", "Restarting: PodFailed"},
		{started + "active: 1, ready: 0, failed: 1, uncountedTerminatedPods: {}", "Restarting: PodFailed"},
		{started + "active: 1, ready: 1, failed: 1, uncountedTerminatedPods: {}", "Running"},
		{started + "active: 0, ready: 0, failed: 1, uncountedTerminatedPods: {failed: [b]}", "Running"},
		{started + "failed: 2, uncountedTerminatedPods: {}, conditions: [{type: FailureTarget, status: 'True', reason: BackoffLimitExceeded}]", "Running"},
		{started + "failed: 2, uncountedTerminatedPods: {}, conditions: [{type: FailureTarget, status: 'True'}, {type: Failed, status: 'True', reason: BackoffLimitExceeded}]", "Failed: BackoffLimitExceeded"},
	}},
	{"sequential completions", controller, batchJob + "spec: {completions: 3, parallelism: 1, backoffLimit: 6}\n", []write{
		{started + "active: 1, ready: 0", "Starting"},
		{started + "active: 1, ready: 1", "Running"},
		{started + "active: 0, ready: 0, uncountedTerminatedPods: {succeeded: [a]}", "Running"},
		{started + "active: 1, ready: 0, succeeded: 1, uncountedTerminatedPods: {}", "Running"},
		{started + "active: 1, ready: 1, succeeded: 1", "Running"},
		{started + "active: 0, ready: 0, succeeded: 1, uncountedTerminatedPods: {succeeded: [b]}", "Running"},
		{started + "active: 0, ready: 0, succeeded: 2, uncountedTerminatedPods: {}", "Running"},
		{started + "active: 1, ready: 0, succeeded: 2", "Running"},
		{started + "active: 0, ready: 0, succeeded: 3, " + succeeding, "Running"},
	}},
	{"indexed, the first pod fails once", "issue 43, A.4: one failure, " + controller, batchJob + "spec: {completions: 6, parallelism: 1, completionMode: Indexed, backoffLimit: 3}\n", []write{
		{started + "active: 1, ready: 1", "Running"},
		{started + "active: 0, ready: 0, uncountedTerminatedPods: {failed: [a]}", "Restarting: PodFailed"},
		{started + "active: 1, ready: 0, failed: 1, uncountedTerminatedPods: {}", "Restarting: PodFailed"},
		{started + "active: 1, ready: 1, failed: 1", "Running"},
		{started + "active: 0, ready: 0, failed: 1, succeeded: 1, completedIndexes: '0'", "Running"}, // an index needs no second write
		{started + "active: 1, ready: 0, failed: 1, succeeded: 1, completedIndexes: '0'", "Running"},
		{started + "active: 1, ready: 1, failed: 1, succeeded: 1, completedIndexes: '0'", "Running"},
		{started + "active: 0, ready: 0, failed: 1, succeeded: 2, completedIndexes: '0,1'", "Running"},
		{started + "active: 1, ready: 0, failed: 1, succeeded: 2, completedIndexes: '0,1'", "Running"},
	}},
	{"an index that failed long ago", "KEP-3850, backoffLimitPerIndex; issue 43, A.4", batchJob + "spec: {completions: 10000, parallelism: 1, completionMode: Indexed, backoffLimitPerIndex: 1}\n", []write{
		{started + "active: 1, ready: 0, succeeded: 4711, failed: 1, failedIndexes: '3', completedIndexes: '0-2,4-4711'", "Running"},
		{started + "active: 0, ready: 0, succeeded: 4711, failed: 1, failedIndexes: '3', completedIndexes: '0-2,4-4711'", "Running"},
	}},
	{"parallel, one pod fails", controller, batchJob + "spec: {completions: 4, parallelism: 4, backoffLimit: 6}\n", []write{
		{started + "active: 4, ready: 0", "Starting"},
		{started + "active: 4, ready: 4", "Running"},
		{started + "active: 3, ready: 3, uncountedTerminatedPods: {failed: [a]}", "Running"},
		{started + "active: 4, ready: 3, failed: 1, uncountedTerminatedPods: {}", "Running"},
		{started + "active: 1, ready: 0, failed: 1, uncountedTerminatedPods: {succeeded: [b, c, d]}", "Running"},
		{started + "active: 1, ready: 0, failed: 1, succeeded: 3, uncountedTerminatedPods: {}", "Running"},
	}},
	{"suspended while it runs, and resumed", "kubernetes 1.36.3, job_controller.go, deleteJobPods: pods of a suspended Job do not count as failed", batchJob, []write{
		{started + "active: 1, ready: 1", "Running"},
		{"active: 0, ready: 0, uncountedTerminatedPods: {}, conditions: [{type: Suspended, status: 'True', reason: JobSuspended}]", "Suspended: JobSuspended"},
		{started + "active: 0, ready: 0, conditions: [{type: Suspended, status: 'False', reason: JobResumed}]", "Starting"},
		{started + "active: 1, ready: 0, conditions: [{type: Suspended, status: 'False', reason: JobResumed}]", "Starting"},
		{started + "active: 1, ready: 1, conditions: [{type: Suspended, status: 'False', reason: JobResumed}]", "Running"},
	}},
	{"success policy", "KEP-3998", batchJob + "spec: {completions: 10, parallelism: 10, completionMode: Indexed}\n", []write{
		{started + "active: 0, ready: 0, succeeded: 1, terminating: 9, conditions: [{type: SuccessCriteriaMet, status: 'True', reason: SuccessPolicy}]", "Running: SuccessPolicy"},
		{started + "succeeded: 1, conditions: [{type: SuccessCriteriaMet, status: 'True'}, {type: Complete, status: 'True', reason: SuccessPolicy}]", "Succeeded: SuccessPolicy"},
	}},
	{"pod failure policy", "KEP-3329", batchJob + "spec: {backoffLimit: 6}\n", []write{
		{started + "failed: 1, terminating: 3, conditions: [{type: FailureTarget, status: 'True', reason: PodFailurePolicy}]", "Running: PodFailurePolicy"},
	}},
	{"all pods failed at once, uncounted of another type", controller, batchJob + "spec: {backoffLimit: 6}\n", []write{
		{started + "active: 0, ready: 0, uncountedTerminatedPods: {failed: a, succeeded: 7}", "Starting"},
	}},
}

// allLives returns the lives of all kinds.
func allLives() []life { return slices.Concat(batchLives, operatorLives, kindLives, podLives) }
