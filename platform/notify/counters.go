package notify

import "sync/atomic"

// Stats are the counts of a notifier since it was created.
type Stats struct {
	// Transitions counts the transitions that were read. Corrected counts those that only
	// correct other transitions; they cause no messages.
	Transitions, Corrected uint64
	// Created counts deliveries. Collected counts messages that went into digests.
	Created, Collected uint64
	// Muted counts messages that a mute suppressed. Own counts messages that were
	// suppressed because their receiver caused the transition.
	Muted, Own uint64
	// Silenced counts messages that silences have held back.
	Silenced uint64
	// Unknown counts messages for owners who are not in the table of people.
	Unknown uint64
	// RuleErrors counts conditions that could not be evaluated.
	RuleErrors uint64
	// Timers counts timers that have fired. Escalated counts messages that nobody
	// acknowledged.
	Timers, Escalated uint64
}

// counters hold Stats. The planner updates them, and any goroutine reads them.
type counters struct {
	transitions, corrected, created, collected, muted, silenced, own, unknown, ruleErrors, timers, escalated atomic.Uint64
}

func (c *counters) stats() Stats {
	return Stats{
		Transitions: c.transitions.Load(), Corrected: c.corrected.Load(), Created: c.created.Load(), Collected: c.collected.Load(), Muted: c.muted.Load(),
		Silenced: c.silenced.Load(), Own: c.own.Load(), Unknown: c.unknown.Load(), RuleErrors: c.ruleErrors.Load(), Timers: c.timers.Load(), Escalated: c.escalated.Load(),
	}
}
