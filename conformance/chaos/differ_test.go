package chaos_test

import "fmt"

// differ describes the first difference between two sets of objects; "" if they are
// equal.
func differ(who string, has, want map[string]revision) string {
	for key, r := range want {
		if has[key] != r {
			return fmt.Sprintf("%s has %s at %v, want %v", who, key, has[key], r)
		}
	}
	for key, r := range has {
		if _, ok := want[key]; !ok && mine(key) {
			return fmt.Sprintf("%s has %s at %v, which was deleted", who, key, r)
		}
	}
	return ""
}

// contains reports whether part is a subsequence of steps.
func contains(steps, part []revision) bool {
	for _, p := range part {
		i := 0
		for ; i < len(steps) && steps[i] != p.plain(); i++ {
		}
		if i == len(steps) {
			return false
		}
		steps = steps[i+1:]
	}
	return true
}

// equal reports whether two sequences are the same, ignoring versions of deletions.
func equal(steps, told []revision) bool {
	return len(steps) == len(told) && contains(steps, told)
}

// from returns the steps of an object, beginning with the revision before them.
func from(before map[string]revision, steps map[string][]revision, key string) []revision {
	if r, ok := before[key]; ok {
		return append([]revision{r}, steps[key]...)
	}
	return steps[key]
}

// union returns the keys of both maps that the test writes.
func union(a, b map[string][]revision) map[string]bool {
	all := map[string]bool{}
	for _, m := range []map[string][]revision{a, b} {
		for key := range m {
			if mine(key) {
				all[key] = true
			}
		}
	}
	return all
}
