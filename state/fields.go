package state

// field returns what stands at a path of an object, nil if nothing does.
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

func number(object map[string]any, path ...string) int64 {
	switch n := field(object, path...).(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 0
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
}

func conditions(object map[string]any) map[string]condition {
	all := map[string]condition{}
	each(object, func(c map[string]any) {
		all[text(c, "type")] = condition{text(c, "type"), text(c, "status"), text(c, "reason"), text(c, "message")}
	}, "status", "conditions")
	return all
}

func (c condition) holds() bool { return c.status == "True" }

func (c condition) as(s State) Status {
	return Status{State: s, Raw: c.kind, Reason: c.reason, Message: c.message}
}
