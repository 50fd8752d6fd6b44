// Package jobtrace exports jobs as OpenTelemetry traces, by OTLP over HTTP.
//
// # Data flow
//
//	feed -> a batch of transitions -> the jobs that have ended -> their lives from the history
//	     -> one trace per job -> requests of bounded size -> collector; then the cursor moves
//
// A trace has a root span from the submission of the job to its end, a span per attempt, and a
// span per state. Late and corrected transitions, and gaps in the observation, are events of the root
// span. A trace has no links.
//
// # Ownership
//
// One goroutine runs an Exporter. Stats, TraceID and SpanID are safe for concurrent use. The
// Exporter owns its Config after New.
//
// # Guarantees
//
//  1. A job that ends is exported at least once, also across kills and outages of the
//     collector: the cursor moves after the collector has accepted the traces.
//  2. A job whose transitions change after its end is exported again as a whole.
//  3. The IDs depend only on the UIDs of the cluster and the job, and on the index of a span in
//     the job. A repetition has the same IDs, and TraceID computes them without a database.
//  4. An unavailable collector delays only the cursor of traces. A fault is logged when it
//     begins, changes and ends. No error or log line contains a header or its value.
//  5. A trace that the collector refuses does not affect others.
//
// # Limits
//
// A request has at most 32 traces or 2,000 spans, a trace 1,000 spans and 200 events, and a text
// 1,024 bytes. The root span counts the dropped spans and events. A batch of the feed has 200
// transitions, and its traces are built request by request. If a correction removes a span, a
// backend may keep the last span of the older export. Events reach back as far as the
// feed. Several recorders share the cursor, and may export a job twice.
//
// While the collector is unavailable, the cursor expires like any other (retention.Policy.CursorIdle, 7
// days), and retention then ignores it. The exporter checks that the collector answers
// before it moves an expired cursor to the oldest remaining transition.
//
// # Errors
//
// New reports invalid settings. Run retries after faults of the database and of the collector. It
// follows the protocol: connections that fail and the codes 429, 502, 503 and 504 are temporary,
// and Retry-After is honored up to 10 minutes. The codes 400, 413, 422 and 500 refuse a request,
// which is then split until the refused trace is alone. Other codes, such as 401 and 404, mean
// that the settings are wrong: nothing is dropped, and the cursor waits.
package jobtrace
