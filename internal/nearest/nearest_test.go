package nearest

import "testing"

// TestOf: Of finds the name that was meant.
func TestOf(t *testing.T) {
	names := []string{"nodenames", "nodeName", "nodeSelector", "hostNetwork", "containers", "initContainers"}
	for name, want := range map[string]string{
		"nodename": "nodeName", "NODENAME": "nodeName", "node": "nodeName", "selector": "nodeSelector", "container": "containers",
		"hostnetwrok": "hostNetwork", "initcontainer": "initContainers", "nodeSelectors": "nodeSelector",
	} {
		if got := Of(name, names); got != want {
			t.Errorf("Of(%q): got %s, want %s", name, got, want)
		}
	}
	if got := Of("x", nil); got != "" {
		t.Errorf("Of an empty list: got %q, want none", got)
	}
}

// TestDistance: Distance counts insertions, deletions, replacements and swaps, in both
// directions.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"abc", "", 3},
		{"kitten", "sitting", 3},
		{"ab", "ba", 1},
		{"abcd", "badc", 2},
		{"ca", "abc", 3},
		{"abc", "bc", 1},
		{"ab", "a", 1},
		{"deploymnets", "deployments", 1},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Distance(c.b, c.a); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
