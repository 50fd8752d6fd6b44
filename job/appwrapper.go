package job

// appWrapperKinds are the types of AppWrapper. Its objects are jobs of other types, whose pods
// all have its label (project-codeflare/appwrapper internal/controller/appwrapper/
// resource_management.go:221).
var appWrapperKinds = []Kind{{
	Group: "workload.codeflare.dev", Name: "AppWrapper", Resource: "appwrappers", Job: true, Indirect: true,
	Suspend: suspend("spec"), Manager: "workload.codeflare.dev/appwrapper-controller", PodLabel: "workload.codeflare.dev/appwrapper",
	Status: statusOfAppWrapper, nested: wrapped,
}}

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

// wrapped returns the objects in an AppWrapper.
func wrapped(o Object) (all []nested) {
	for _, component := range o.List("spec", "components") {
		all = append(all, nested{1, component.Map("template")})
	}
	return all
}
