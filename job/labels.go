package job

import "strconv"

// Annotations and labels with the submitter of a job and its request.
const (
	// Submitter is the annotation with the person or program that submitted the job, as the
	// API server or the portal knows the name. It comes before UserLabel.
	SubmitterAnnotation = "vedette.io/submitter"
	// UserLabel is the label with the same name, as far as a label can have it: other
	// characters than letters, digits, "-", "_" and "." are replaced by "-".
	UserLabel = "vedette.io/user"
	// Template is the label with the name of the template that the job was made from.
	TemplateLabel = "vedette.io/template"
	// RequestKey is the annotation with the key of the request that created the job. Two
	// requests with one key create one job.
	RequestKeyAnnotation = "vedette.io/request-key"
)

// A label and an annotation of a job that is held until a user releases it.
const (
	// Held is the label with the value "true".
	HeldLabel = "vedette.io/held"
	// HeldQueue is the annotation with the queue of Kueue that the job gets when it is released.
	// Until then it has no queue, because Kueue would start it.
	HeldQueueAnnotation = "vedette.io/held-queue"
	// NoQueue is the queue of Kueue of a held job in a namespace where Kueue gives each job a
	// queue. No LocalQueue may have the name.
	NoQueue = "vedette-held"
)

// Annotations and labels of a job that repeats another one.
const (
	// RetryOf is the annotation with the UID of the job that this one repeats.
	RetryOfAnnotation = "vedette.io/retry-of"
	// RetryOfName is the annotation with the name of that job.
	RetryOfNameAnnotation = "vedette.io/retry-of-name"
	// RetryRoot is the label with the UID of the first job of the chain. The first job does
	// not have it.
	RetryRootLabel = "vedette.io/retry-root"
	// Attempt is the annotation with the number of the job in the chain, from 2. The first
	// job does not have it.
	AttemptAnnotation = "vedette.io/attempt"
)

// MaxAttempt is the largest number of an attempt of a chain.
const MaxAttempt = 1_000_000

// AttemptNumber returns the number that a value of AttemptAnnotation claims: from 1 to
// MaxAttempt, and 1 for any other text.
func AttemptNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > MaxAttempt {
		return 1
	}
	return n
}

// Annotations of a job that was cancelled.
const (
	// CancelledBy names the person or program that cancelled the job. A job without it was
	// not cancelled.
	CancelledByAnnotation = "vedette.io/cancelled-by"
	// CancelReason is the reason that the person gave. It may be missing.
	CancelReasonAnnotation = "vedette.io/cancel-reason"
	// CancelledAt is the time in RFC 3339.
	CancelledAtAnnotation = "vedette.io/cancelled-at"
	// Cancel is the kind of the cancellation: CancelDelete, CancelSuspend or CancelCommand.
	CancelAnnotation = "vedette.io/cancel"
)

// The values of Cancel.
const (
	// CancelDelete: the object is deleted right after the annotation is written.
	CancelDelete = "delete"
	// CancelSuspend: the object stays. The state is Aborted as long as it is suspended.
	CancelSuspend = "suspend"
	// CancelCommand: the operator of the type gets a command to stop the job, and the object
	// stays.
	CancelCommand = "command"
)

// KueueQueueLabel is the label of jobs that Kueue admits. Kueue keeps them suspended while they
// wait for quota.
const KueueQueueLabel = "kueue.x-k8s.io/queue-name"
