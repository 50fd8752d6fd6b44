package joblog

import (
	"math"
	"slices"
	"strings"
)

// merge returns the union of two lists of entries, both ordered by time. For each time it
// takes the lines of the list with more lines; of equally many, those with more
// redactions. So merge depends neither on the order nor on the number of its calls, and no
// time loses lines.
func merge(a, b []entry) []entry {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0, slices.Equal(a, b):
		return a
	}
	all := make([]entry, 0, max(len(a), len(b)))
	for len(a) > 0 || len(b) > 0 {
		at := int64(math.MaxInt64)
		if len(a) > 0 {
			at = a[0].at
		}
		if len(b) > 0 {
			at = min(at, b[0].at)
		}
		n, m := instant(a, at), instant(b, at)
		all = append(all, better(a[:n], b[:m])...)
		a, b = a[n:], b[m:]
	}
	return all
}

// instant returns the number of entries at the beginning that have the given time.
func instant(all []entry, at int64) (n int) {
	for n < len(all) && all[n].at == at {
		n++
	}
	return n
}

// better returns the list of one time that merge takes.
func better(a, b []entry) []entry {
	if len(a) != len(b) {
		if len(a) > len(b) {
			return a
		}
		return b
	}
	marks, smaller := 0, 0
	for i := range a {
		marks += strings.Count(a[i].text, redacted) - strings.Count(b[i].text, redacted)
		if smaller == 0 {
			smaller = strings.Compare(a[i].text, b[i].text)
		}
	}
	if marks > 0 || marks == 0 && smaller <= 0 {
		return a
	}
	return b
}

// floor is the end of the lines that were removed because of a limit: all lines before at,
// and the first lines of that time. A Put does not store them again.
type floor struct {
	at    int64
	lines int64
}

// above returns the entries that are not below the floor, and the number of those that
// are.
func (f floor) above(all []entry) (rest []entry, below int64) {
	n := 0
	for n < len(all) && all[n].at < f.at {
		n++
	}
	n += min(instant(all[n:], f.at), int(min(f.lines, math.MaxInt32)))
	return all[n:], int64(n)
}

// after returns the floor after the removal of the next entry.
func (f floor) after(removed entry) floor {
	if f.at != removed.at {
		f = floor{at: removed.at}
	}
	f.lines++
	return f
}
