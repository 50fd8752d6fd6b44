// Package notified tests that each message arrives, once or more and in order, while notifiers,
// receivers and databases fail. `-latency` measures how soon messages arrive.
package notified
