// Package wait waits in tests for asynchronous conditions.
package wait

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/kube"
)

// Until waits until holds returns no problem. It calls holds at once, and then ten times
// a second, on the goroutine of the test. After the time limit, the test ends with the
// last problem.
func Until(t testing.TB, within time.Duration, what string, holds func() (problem string)) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(within)
	for {
		problem := holds()
		if problem == "" {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s: not within %v: %s", what, within, problem)
		}
	}
}

// Served waits until discovery lists a type. A CustomResourceDefinition becomes
// Established a moment earlier, and seconds earlier on a loaded machine.
func Served(t testing.TB, cluster *kube.Cluster, resource string) {
	t.Helper()
	Until(t, time.Minute, resource+" are served", func() string {
		if _, err := cluster.Resolve(t.Context(), resource); err != nil {
			return err.Error()
		}
		return ""
	})
}
