package notify

import "time"

// Quicken lets the planner look at timers, digests and escalations all the time.
func (n *Notifier) Quicken() { n.planner.every = 5 * time.Millisecond }

// Rounds returns how many transactions the planner has committed.
func (n *Notifier) Rounds() uint64 { return n.planner.rounds.Load() }

// WaitForLogs sets how long a message waits for a log. It is called before Run.
func (n *Notifier) WaitForLogs(d time.Duration) { n.logs.wait = d }
