package notify

import "time"

// Quicken makes the planners check timers, digests and escalations continuously.
func (n *Notifier) Quicken() { n.planning.every = 5 * time.Millisecond }

// Rounds returns how many transactions the planners have committed.
func (n *Notifier) Rounds() uint64 { return n.planning.rounds.Load() }

// WaitForLogs sets the maximum time that a message waits for a log. Call it before Run.
func (n *Notifier) WaitForLogs(d time.Duration) { n.logs.wait = d }
