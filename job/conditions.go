package job

// commonConditions maps the phases and conditions of types to states. Conditions are checked in this
// order: final conditions come first, because earlier ones often stay true.
var commonConditions = []struct {
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

// healthConditions are the conditions of objects that do not end; they have no common state.
var healthConditions = []string{"Ready", "Available", "Established", "Healthy"}

// StatusOfPhase is the rule for types without their own rule: the phase of an object, or its
// conditions.
func StatusOfPhase(object Object) Status {
	if phase := object.Text("status", "phase"); phase != "" {
		s := Status{Raw: phase, At: conditions(object)[phase].trueSince(), Reason: object.Text("status", "reason"), Message: object.Text("status", "message")}
		for _, c := range commonConditions {
			if c.word == phase {
				s.State = c.state
			}
		}
		return s
	}
	return statusOfConditions(object)
}

// statusOfConditions returns the status that the conditions of an object show.
func statusOfConditions(object Object) Status {
	conds := conditions(object)
	for _, known := range commonConditions {
		if c := conds[known.word]; c.holds() {
			return c.as(known.state)
		}
	}
	for _, name := range healthConditions {
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
