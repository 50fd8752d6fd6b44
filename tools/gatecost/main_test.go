package main

import (
	"testing"
	"time"
)

// TestNeutral: only kinds of files that may grow are changed.
func TestNeutral(t *testing.T) {
	for name, changes := range map[string]bool{"store/store.go": true, "docs/faq.md": true, "Makefile": true, "platform/portal/ui/src/main.tsx": true, "reflector/testdata/order.txt": false, "platform/portal/ui/dist/index.html": false, "go.mod": false} {
		if got := neutral(name) != ""; got != changes {
			t.Errorf("%s is changed: %v, want %v", name, got, changes)
		}
	}
}

// TestEstimate: the estimate of a plan is read as the gate prints it.
func TestEstimate(t *testing.T) {
	m := estimate.FindStringSubmatch("gate test in x:\n  unit (1:00)\nestimate: 12:05, without 3 packages that never ran here\n")
	if m == nil || m[1] != "12" || m[2] != "05" {
		t.Errorf("read %q", m)
	}
	report([]window{{computed: time.Minute}, {computed: 2 * time.Minute, measured: 3 * time.Minute}})
}
