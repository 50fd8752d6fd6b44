package state

import "time"

// field returns the value at a path of an object; nil if it is missing.
func field(object map[string]any, path ...string) any {
	var v any = object
	for _, name := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

func text(object map[string]any, path ...string) string {
	s, _ := field(object, path...).(string)
	return s
}

func annotation(object map[string]any, name string) string {
	return text(object, "metadata", "annotations", name)
}

func number(object map[string]any, path ...string) int64 {
	switch n := field(object, path...).(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 0
}

// moment reads a time in the API's format; zero if it is missing or invalid.
func moment(object map[string]any, path ...string) time.Time {
	return parse(text(object, path...))
}

func parse(at string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, at)
	if at == "" || err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// created is when the object was created.
func created(object map[string]any) time.Time { return moment(object, "metadata", "creationTimestamp") }

// told is when the deletion of the object was requested. Its deletionTimestamp is the end
// of its grace period.
func told(object map[string]any) time.Time {
	at := moment(object, "metadata", "deletionTimestamp")
	if at.IsZero() {
		return at
	}
	return at.Add(-time.Duration(number(object, "metadata", "deletionGracePeriodSeconds")) * time.Second)
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// each calls f for every object in the array at a path.
func each(object map[string]any, f func(map[string]any), path ...string) {
	list, _ := field(object, path...).([]any)
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			f(m)
		}
	}
}

// condition is one of status.conditions.
type condition struct {
	kind, status, reason, message string
	since, updated                string // times, parsed only when needed
}

func conditions(object map[string]any) map[string]condition {
	all := map[string]condition{}
	each(object, func(c map[string]any) {
		all[text(c, "type")] = condition{
			text(c, "type"), text(c, "status"), text(c, "reason"), text(c, "message"), text(c, "lastTransitionTime"), text(c, "lastUpdateTime"),
		}
	}, "status", "conditions")
	return all
}

func (c condition) holds() bool { return c.status == "True" }

// trueSince is when the condition became true; zero if it is not true.
func (c condition) trueSince() time.Time {
	if !c.holds() {
		return time.Time{}
	}
	return parse(c.since)
}

func (c condition) as(s State) Status {
	return Status{State: s, Raw: c.kind, Reason: c.reason, Message: c.message, At: parse(c.since)}
}

// begun is the time since which an object waits to start: its creation, or the time when it
// was resumed.
func begun(object map[string]any, conds map[string]condition) time.Time {
	if c := conds["Suspended"]; c.status == "False" {
		return parse(c.since)
	}
	return created(object)
}
