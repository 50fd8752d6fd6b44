package notify

import "sync/atomic"

// Stats are what a notifier has done since it was created.
type Stats struct {
	// Transitions are the transitions that were read, and Corrected those of them that only
	// correct others: nobody is told.
	Transitions, Corrected uint64
	// Created are deliveries, and Collected messages that went into digests.
	Created, Collected uint64
	// Muted are messages that somebody has muted, and Own those whose receiver caused them.
	Muted, Own uint64
	// Unknown are messages for owners who are not in the table of people.
	Unknown uint64
	// RuleErrors are conditions that could not be evaluated.
	RuleErrors uint64
	// Timers are timers that have fired, and Escalated messages that nobody acknowledged.
	Timers, Escalated uint64
}

// counters are Stats that the planner updates and any goroutine reads.
type counters struct {
	transitions, corrected, created, collected, muted, own, unknown, ruleErrors, timers, escalated atomic.Uint64
}

func (c *counters) stats() Stats {
	return Stats{
		Transitions: c.transitions.Load(), Corrected: c.corrected.Load(), Created: c.created.Load(), Collected: c.collected.Load(), Muted: c.muted.Load(),
		Own: c.own.Load(), Unknown: c.unknown.Load(), RuleErrors: c.ruleErrors.Load(), Timers: c.timers.Load(), Escalated: c.escalated.Load(),
	}
}
