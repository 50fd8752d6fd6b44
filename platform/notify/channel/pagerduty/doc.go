// Package pagerduty sends messages as alerts to PagerDuty, by its Events API v2.
//
// # Data flow
//
//	message.Message -> event (trigger, or resolve for Message.Resolve) -> POST /v2/enqueue
//
// All messages of a job and a rule have one dedup_key, so PagerDuty keeps one alert for
// them, and a repeat changes nothing. A message whose state was left resolves the alert.
// An escalation is critical, a failure is an error, a timer is a warning, and everything
// else that a rule sends is an info.
//
// # Ownership
//
// Several goroutines may use a Channel at the same time. Close closes idle connections.
//
// # Guarantees
//   - Text is plain text: PagerDuty shows no markup from events.
//   - No error shows the routing key.
//
// # Limits
//
// A summary has at most 200 characters, the details 8 KB, with at most 10 lines of the
// log. PagerDuty takes about 480 events a minute for one key; the channel sends 240.
//
// # Errors
//
// 202 is success. 400, and other codes of 4xx, are Permanent: PagerDuty will not take the
// event later either. 429 is Throttled, and 5xx is Temporary.
package pagerduty
