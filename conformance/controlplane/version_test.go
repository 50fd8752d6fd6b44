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

// outcome records the end of a test.
type outcome struct {
	testing.TB
	skipped, failed bool
}

func (o *outcome) Helper() {}

func (o *outcome) Skipf(string, ...any) {
	o.skipped = true
	runtime.Goexit()
}

func (o *outcome) Fatalf(string, ...any) {
	o.failed = true
	runtime.Goexit()
}

func TestNeeds(t *testing.T) {
	for _, c := range []struct {
		version, since  string
		skipped, failed bool
	}{
		{"1.28.15", "1.32", true, false},
		{"1.31.0", "1.32", true, false},
		{"1.32.0", "1.32", false, false},
		{"1.37.2", "1.37", false, false},
		{"", "1.32", false, false},
		{"", "1.99", false, true},
	} {
		t.Setenv(VersionVariable, c.version)
		o, done := &outcome{TB: t}, make(chan struct{})
		go func() {
			defer close(done)
			Needs(o, c.since, "a feature")
		}()
		<-done
		if o.skipped != c.skipped || o.failed != c.failed {
			t.Errorf("%s needs %s: skipped %v, failed %v", c.version, c.since, o.skipped, o.failed)
		}
	}
}
