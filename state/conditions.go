package state

// common maps the phases and conditions of types to states. Conditions are checked in this
// order: final conditions come first, because earlier ones often stay true.
var common = []struct {
	word  string
	state State
}{
	{"Failed", Failed},
	{"Error", Failed},
	{"Succeeded", Succeeded},
	{"Completed", Succeeded},
	{"Complete", Succeeded},
	{"Finished", Succeeded},
	{"Aborted", Aborted},
	{"Terminated", Aborted},
	{"Suspended", Suspended},
	{"Restarting", Restarting},
	{"Running", Running},
	{"Starting", Starting},
	{"Pending", Queued},
	{"Queued", Queued},
	{"Created", Submitted},
	{"Submitted", Submitted},
}

// health are the conditions of objects that do not end; they have no common state.
var health = []string{"Ready", "Available", "Established", "Healthy"}

// ofPhase is the rule for types without their own rule.
func ofPhase(object map[string]any) Status {
	if phase := text(object, "status", "phase"); phase != "" {
		s := Status{Raw: phase, At: conditions(object)[phase].trueSince(), Reason: text(object, "status", "reason"), Message: text(object, "status", "message")}
		for _, c := range common {
			if c.word == phase {
				s.State = c.state
			}
		}
		return s
	}
	return ofConditions(object)
}

// ofConditions returns the status that the conditions of an object show.
func ofConditions(object map[string]any) Status {
	conds := conditions(object)
	for _, known := range common {
		if c := conds[known.word]; c.holds() {
			return c.as(known.state)
		}
	}
	for _, name := range health {
		c, there := conds[name]
		switch {
		case !there:
		case c.holds():
			return c.as("")
		case c.status == "False":
			s := c.as("")
			s.Raw = "Not" + name
			return s
		}
	}
	return Status{}
}
