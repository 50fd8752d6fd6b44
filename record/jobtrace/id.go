package jobtrace

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// TraceID returns the ID of the trace of a job in hexadecimal digits, as links to a tracing
// system have it. It depends on nothing but the UIDs of the cluster and of the job.
func TraceID(clusterUID, jobUID string) string {
	return hex.EncodeToString(traceID(clusterUID, jobUID))
}

// SpanID returns the ID of the root span of a job in hexadecimal digits.
func SpanID(clusterUID, jobUID string) string {
	return hex.EncodeToString(spanID(traceID(clusterUID, jobUID), rootSpan, 0))
}

// The kinds of spans, as their IDs have them. Changing a word changes all IDs.
const (
	rootSpan    = "job"
	attemptSpan = "attempt"
	stateSpan   = "state"
)

// traceID returns 16 bytes, which are not all zero for any input that can be found.
func traceID(clusterUID, jobUID string) []byte {
	sum := sha256.Sum256([]byte("vedette job trace\x00" + clusterUID + "\x00" + jobUID))
	return sum[:16]
}

// spanID returns the 8 bytes of the n-th span of a kind in a trace. A place and not a version
// identifies a span, so that a corrected trace replaces the spans of the one before.
func spanID(trace []byte, kind string, n int) []byte {
	sum := sha256.Sum256([]byte(string(trace) + kind + "\x00" + strconv.Itoa(n)))
	return sum[:8]
}
