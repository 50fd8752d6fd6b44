package jobtrace

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// TraceID returns the ID of the trace of a job in hexadecimal digits, for links to a
// tracing system. It depends only on the UIDs of the cluster and of the job.
func TraceID(clusterUID, jobUID string) string {
	return hex.EncodeToString(traceID(clusterUID, jobUID))
}

// SpanID returns the ID of the root span of a job in hexadecimal digits.
func SpanID(clusterUID, jobUID string) string {
	return hex.EncodeToString(spanID(traceID(clusterUID, jobUID), rootSpan, 0))
}

// Kinds of spans, as input of their IDs. Changing a word changes all IDs.
const (
	rootSpan    = "job"
	attemptSpan = "attempt"
	stateSpan   = "state"
)

// traceID returns 16 bytes. A result with only zero bytes is infeasible.
func traceID(clusterUID, jobUID string) []byte {
	sum := sha256.Sum256([]byte("vedette job trace\x00" + clusterUID + "\x00" + jobUID))
	return sum[:16]
}

// spanID returns the 8 bytes of the n-th span of a kind in a trace. The index identifies a
// span, not its version, so that a corrected trace replaces the spans of the previous one.
func spanID(trace []byte, kind string, n int) []byte {
	sum := sha256.Sum256([]byte(string(trace) + kind + "\x00" + strconv.Itoa(n)))
	return sum[:8]
}
