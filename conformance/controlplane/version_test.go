package controlplane

import (
	"runtime"
	"testing"
)

func TestTagged(t *testing.T) {
	got := string(tagged([]byte(`// comment

module k8s.io/kubernetes

go 1.20

require (
	k8s.io/api v0.0.0
	k8s.io/sample-apiserver v0.0.0
)

replace (
	github.com/onsi/ginkgo/v2 => github.com/openshift/ginkgo/v2 v2.6.1
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/pod-security-admission => ./staging/src/k8s.io/pod-security-admission
	k8s.io/sample-apiserver => ./staging/src/k8s.io/sample-apiserver
)
`), "1.28.15"))
	const want = `// comment

module github.com/vedette-io/vedette/conformance/build/kubernetes

go 1.20

require (
	k8s.io/api v0.0.0
)

replace (
	github.com/onsi/ginkgo/v2 => github.com/openshift/ginkgo/v2 v2.6.1
	k8s.io/api => k8s.io/api v0.28.15
	k8s.io/pod-security-admission => k8s.io/pod-security-admission v0.28.15
)

require k8s.io/kubernetes v1.28.15
`
	if got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestProgramsOfVersion(t *testing.T) {
	for version, want := range map[string]string{
		DefaultVersion: "kubernetes", "1.28.15": "kubernetes-1.28.15", "1.28": "", "v1.28.15": "", "2.0.0": "", "": "", "1.28.15/..": "",
	} {
		t.Run(version, func(t *testing.T) {
			of, err := programsOf(version)
			if (err == nil) != (want != "") {
				t.Fatalf("got %v", err)
			}
			if err == nil && of[len(of)-1].name != want {
				t.Errorf("the servers are %q, want %q", of[len(of)-1].name, want)
			}
			if !programs[len(programs)-1].committed() || err == nil && of[len(of)-1].committed() != (version == DefaultVersion) {
				t.Error("only the module of the default version is committed")
			}
		})
	}
}

// skipped records a skip.
type skipped struct {
	testing.TB
	reason string
}

func (s *skipped) Helper() {}
func (s *skipped) Skipf(format string, args ...any) {
	s.reason = format
	runtime.Goexit()
}

func TestNeeds(t *testing.T) {
	for version, want := range map[string]bool{"1.28.15": true, "1.31.0": true, "1.32.0": false, "1.37.2": false, "": false} {
		t.Setenv(VersionVariable, version)
		s, done := &skipped{TB: t}, make(chan struct{})
		go func() {
			defer close(done)
			Needs(s, "1.32", "lists as streams")
		}()
		<-done
		if got := s.reason != ""; got != want {
			t.Errorf("%s: skipped is %v, want %v", version, got, want)
		}
	}
}
