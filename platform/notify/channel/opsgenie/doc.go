// Package opsgenie sends messages as alerts to Opsgenie, and to Jira Service Management
// with the same API.
//
// # Data flow
//
//	message.Message -> alert -> POST /v2/alerts
//	message.Message with Resolve -> POST /v2/alerts/ALIAS/close
//
// All messages of a job and a rule have one alias, so Opsgenie keeps one open alert for
// them, and a repeat only counts. A message whose state was left closes the alert. An
// escalation is P1, a failure P2, a timer P3, and everything else that a rule sends P5.
//
// # Ownership
//
// Several goroutines may use a Channel at the same time. Close closes idle connections.
//
// # Guarantees
//   - Text is plain text: Opsgenie shows no markup of alerts that come by the API.
//   - No error shows the key.
//
// # Limits
//
// A message has at most 130 characters, the description and the details together 8 KB,
// with at most 10 lines of the log. Opsgenie accepts requests before it handles them. It
// ignores the closing of an alert that does not exist, and answers 202 to it.
//
// # Errors
//
// 202 is success. 422, and other codes of 4xx, are Permanent. 429 is Throttled, and 5xx is
// Temporary.
package opsgenie
