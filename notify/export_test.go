package notify

import "time"

// Quicken lets the planner look at timers, digests and escalations all the time.
func (n *Notifier) Quicken() { n.planner.every = 5 * time.Millisecond }

// Rounds returns how many transactions the planner has committed.
func (n *Notifier) Rounds() uint64 { return n.planner.rounds.Load() }
