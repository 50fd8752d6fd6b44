package job

import "time"

// condition is one of status.conditions.
type condition struct {
	kind, status, reason, message string
	since, updated                string // times, parsed only when needed
}

func conditions(object Object) map[string]condition {
	all := map[string]condition{}
	object.each(func(c Object) { all[c.Text("type")] = readCondition(c) }, "status", "conditions")
	return all
}

// conditionOf returns the condition of a kind.
func conditionOf(object Object, kind string) (found condition) {
	object.each(func(c Object) {
		if c.Text("type") == kind {
			found = readCondition(c)
		}
	}, "status", "conditions")
	return found
}

func readCondition(c Object) condition {
	return condition{
		c.Text("type"), c.Text("status"), c.Text("reason"), c.Text("message"), c.Text("lastTransitionTime"), c.Text("lastUpdateTime"),
	}
}

func (c condition) holds() bool { return c.status == "True" }

// trueSince is when the condition became true; zero if it is not true.
func (c condition) trueSince() time.Time {
	if !c.holds() {
		return time.Time{}
	}
	return parseTime(c.since)
}

func (c condition) as(s State) Status {
	return Status{State: s, Raw: c.kind, Reason: c.reason, Message: c.message, At: parseTime(c.since)}
}

// waitsSince is the time since which an object waits to start: its creation, or the time when it
// was resumed.
func waitsSince(object Object, conds map[string]condition) time.Time {
	if c := conds["Suspended"]; c.status == "False" {
		return parseTime(c.since)
	}
	return object.created()
}
