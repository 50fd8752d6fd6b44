package insight_test

import (
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vedette-io/vedette/platform/portal/insight"
)

const gpuMessage = "0/36 nodes are available: 2 node(s) were unschedulable, 3 node(s) had untolerated taint {team: a, 2 b}, 31 Insufficient nvidia.com/gpu. " +
	"preemption: 0/36 nodes are available: 31 No preemption victims found for incoming pod, 5 Preemption is not helpful for scheduling."

// TestPlacement: messages of the scheduler, old and new ones.
func TestPlacement(t *testing.T) {
	for _, c := range []struct {
		message  string
		fit, all int
		reasons  map[string]int
		ok       bool
	}{
		{gpuMessage, 0, 36, map[string]int{"were unschedulable": 2, "had untolerated taint {team: a, 2 b}": 3, "Insufficient nvidia.com/gpu": 31}, true},
		{"0/4 nodes are available: 4 Insufficient cpu.", 0, 4, map[string]int{"Insufficient cpu": 4}, true},
		{"0/3 nodes are available: 1 Insufficient cpu, 2 Insufficient memory, 3 node(s) didn't match Pod's node affinity/selector.", 0, 3, map[string]int{"Insufficient cpu": 1, "Insufficient memory": 2, "didn't match Pod's node affinity/selector": 3}, true},
		{"0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims.", 0, 5, map[string]int{"pod has unbound immediate PersistentVolumeClaims": -1}, true},
		{"0/5 nodes are available: persistentvolumeclaim \"a, 2 b\" not found.", 0, 5, map[string]int{"persistentvolumeclaim \"a": -1, "b\" not found": 2}, true},
		// kube-scheduler 1.36, where other plugins act before preemption
		{"0/5 nodes are available: 1 node(s) had untolerated taint(s), 3 Insufficient nvidia.com/gpu. no new claims to deallocate, preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.", 0, 5, map[string]int{"had untolerated taint(s)": 1, "Insufficient nvidia.com/gpu": 3}, true},
		{"0/5 nodes are available: persistentvolumeclaim \"missing\" not found. not found", 0, 5, map[string]int{"persistentvolumeclaim \"missing\" not found": -1}, true},
		{"0/5 nodes are available: 2 Insufficient cpu, 3 a plugin. of tomorrow.", 0, 5, map[string]int{"Insufficient cpu": 2, "a plugin. of tomorrow": 3}, true},
		{"0/2 nodes are available.", 0, 2, map[string]int{}, true},
		{"no nodes available to schedule pods", 0, 0, map[string]int{}, true},
		{"0/2 nodes are available: 9 Insufficient cpu.", 0, 2, map[string]int{"9 Insufficient cpu": -1}, true},
		{"3/2 nodes are available: 1 Insufficient cpu.", 0, 0, map[string]int{}, false},
		{"x/2 nodes are available: 1 Insufficient cpu.", 0, 0, map[string]int{}, false},
		{"0/99999999999999999999 nodes are available: 1 Insufficient cpu.", 0, 0, map[string]int{}, false},
		{"skip schedule deleting pod: default/a", 0, 0, map[string]int{}, false},
		{"", 0, 0, map[string]int{}, false},
	} {
		fit, all, reasons, ok := insight.Reasons(c.message)
		if ok != c.ok || ok && (fit != c.fit || all != c.all || !maps.Equal(reasons, c.reasons)) {
			t.Errorf("%q: %d of %d, %v, %v", c.message, fit, all, reasons, ok)
		}
	}
}

// TestPlacementSentence: the sentence has the reasons in plain words, most nodes first.
func TestPlacementSentence(t *testing.T) {
	for language, want := range map[string]string{
		"en": "None of 36 nodes fits: too few GPUs left (31), a taint that it does not tolerate (3), cordoned (2).",
		"zh": "36 个节点都不合适：GPU 剩余不足（31）、有它不容忍的污点（3）、已停止调度（2）。",
	} {
		if got := insight.PlacementSentence(gpuMessage, language); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for message, want := range map[string]string{
		"0/5 nodes are available: 1 node(s) had untolerated taint {a: b}, 1 node(s) had untolerated taint {c: d}, 3 Insufficient cpu.": "None of 5 nodes fits: too little cpu left (3), a taint that it does not tolerate (2).",
		"0/5 nodes are available: persistentvolumeclaim \"missing\" not found. not found":                                              "None of 5 nodes fits: its volume claim does not exist.",
		"0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found":                                         "None of 5 nodes fits: its volume claim is not bound.",
	} {
		if got := insight.PlacementSentence(message, "en"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := insight.PlacementSentence("0/2 nodes are available: 2 something of tomorrow.", "en"); got != "None of 2 nodes fits: something of tomorrow (2)." {
		t.Errorf("got %q, want None of 2 nodes fits: something of tomorrow (2).", got)
	}
}

// TestGang: messages of Volcano.
func TestGang(t *testing.T) {
	const gang = "2/3 tasks in gang unschedulable: pod group is not ready, 1 Running, 2 Pending, 3 minAvailable; Pending: 2 Unschedulable"
	for message, want := range map[string]string{
		gang: "Volcano starts its pods together, and 2 of 3 have no place.",
		gang + ". Origin reason is: queue resource quota insufficient":                                                               "Volcano starts its pods together, and 2 of 3 have no place. Volcano says: queue resource quota insufficient.",
		gang + ". Origin reason is a-worker-1: 0/2 nodes are unavailable: 1 Insufficient cpu, 1 node(s) pod number exceeded.":        "Volcano starts its pods together, and 2 of 3 have no place. None of 2 nodes fits: too little cpu left (1), as many pods as they may run (1).",
		gang + ". Origin reason is a-worker-1: all nodes are unavailable: 2 node(s) resource fit failed.":                            "Volcano starts its pods together, and 2 of 3 have no place. Volcano says: all nodes are unavailable: 2 node(s) resource fit failed.",
		"3/0 tasks in gang unschedulable: pod group is not ready, 3 minAvailable. Origin reason is: resource in cluster is overused": "Volcano says: resource in cluster is overused.",
		"x/3 tasks in gang unschedulable: a": "no gang",
		"something of tomorrow":              "no gang",
	} {
		if got := insight.GangSentence(message, "en"); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", message, got, want)
		}
	}
}

// FuzzPlacement: any text is read without a panic, and numbers of nodes stay within the total.
func FuzzPlacement(f *testing.F) {
	f.Add(gpuMessage)
	f.Add("0/1 nodes are available: {{{}, 1 }, 1 a")
	f.Add("1/1 nodes are available: , 1 , 1 , 1 a")
	f.Fuzz(func(t *testing.T, message string) {
		fit, all, reasons, ok := insight.Reasons(message)
		if !ok && len(reasons) > 0 || fit > all || fit < 0 {
			t.Fatalf("%d of %d nodes fit, %v", fit, all, ok)
		}
		for reason := range reasons {
			if ok && !strings.Contains(message, reason) {
				t.Fatalf("the message lacks %q", reason)
			}
		}
		if got := insight.PlacementSentence(message, "en"); utf8.ValidString(message) && !utf8.ValidString(got) {
			t.Fatalf("the sentence is no UTF-8: %q", got)
		}
	})
}

// FuzzObjects: no body of an object makes a reader fail.
func FuzzObjects(f *testing.F) {
	for _, body := range []string{
		`{"spec":{"podSets":[{"count":4,"template":{"spec":{"containers":[{"resources":{"requests":{"nvidia.com/gpu":"8","cpu":1e99}}}]}}}]},"status":{"conditions":[{"type":"QuotaReserved","status":"True"}]}}`,
		`{"spec":{"resourceGroups":[{"flavors":[{"resources":[{"name":"nvidia.com/gpu","nominalQuota":"9223372036854775807"},{"name":"nvidia.com/gpu","nominalQuota":-1}]}]}]},"status":{"flavorsReservation":[{"resources":[{"name":"nvidia.com/gpu","total":"9E"}]}]}}`,
		`{"spec":{"minResources":{"nvidia.com/gpu":{}},"capability":{"nvidia.com/gpu":[]}},"status":{"conditions":7}}`,
		`{"status":{"containerStatuses":[{"state":{"terminated":{"exitCode":-2147483648}}},{"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(_ *testing.T, body []byte) { insight.ReadAll(body) })
}
