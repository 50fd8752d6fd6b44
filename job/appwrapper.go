package job

// appWrapperKinds are the types of AppWrapper.
var appWrapperKinds = []Kind{{Group: "workload.codeflare.dev", Name: "AppWrapper", Resource: "appwrappers", status: statusOfAppWrapper}}

// wrapperPhases are the phases of AppWrapper in which it is not on hold.
var wrapperPhases = map[string]State{
	"":            Submitted,
	"Resuming":    Starting,
	"Running":     Running,
	"Resetting":   Restarting,
	"Succeeded":   Succeeded,
	"Failed":      Failed,
	"Terminating": Aborted,
}

// statusOfAppWrapper follows the phase of AppWrapper (API group workload.codeflare.dev), and its
// conditions PodsReady and Unhealthy.
func statusOfAppWrapper(wrapper Object) Status {
	phase, conds := wrapper.Text("status", "phase"), conditions(wrapper)
	s := Status{State: wrapperPhases[phase], Raw: phase}
	switch ready, unhealthy := conds["PodsReady"], conds["Unhealthy"]; {
	case phase == "":
		s.At = wrapper.created()
	case phase == "Suspending" || phase == "Suspended":
		s.State = onHold(wrapper)
	case phase == "Running" && ready.status == "False":
		s.State = Starting
		s.because(ready)
	case phase == "Running":
		s.At = ready.trueSince()
	case unhealthy.holds():
		s.because(unhealthy)
	}
	return s
}
