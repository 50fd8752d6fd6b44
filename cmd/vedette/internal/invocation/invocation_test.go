package invocation

import "testing"

func TestName(t *testing.T) {
	for arg0, want := range map[string]string{
		"vedette":                              "vedette",
		"/tmp/go-build1/b001/exe/vedette":      "vedette",
		"/usr/local/bin/kubectl-vedette":       "kubectl vedette",
		"kubectl-vedette":                      "kubectl vedette",
		`C:\Program Files\KUBECTL-VEDETTE.EXE`: "kubectl vedette",
		"./kubectl_complete-vedette":           "kubectl vedette",
		"/opt/kubectl-vedette/vedette":         "vedette",
		"/opt/renamed":                         "vedette",
		"":                                     "vedette",
	} {
		if _, got := Name(arg0); got != want {
			t.Errorf("%s: got %q, want %q", arg0, got, want)
		}
	}
	if !Completes("/bin/kubectl_complete-vedette") || Completes("/bin/kubectl-vedette") {
		t.Error("kubectl_complete-vedette completes arguments, and kubectl-vedette does not")
	}
}
