// Package nearest finds the known name that a misspelled name most likely means.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// Of returns the name in names with the smallest distance to name, ignoring case; the first
// one if several are as near. It returns "" if there are no names.
func Of(name string, names []string) string {
	best, least := "", -1
	for _, n := range names {
		if d := Distance(strings.ToLower(name), strings.ToLower(n)); least < 0 || d < least {
			best, least = n, d
		}
	}
	return best
}

// Candidate is a known thing with the names that people may have misspelled.
type Candidate struct {
	Text  string // of a suggestion
	Names []string
}

// maxSuggestions is the maximum number of texts that Suggest returns.
const maxSuggestions = 3

// Suggest returns the texts of the candidates that a misspelled name most likely means, the
// most likely first, each once. At most a third of the name may be wrong.
func Suggest(name string, candidates []Candidate) (texts []string) {
	name = strings.ToLower(name)
	distances := map[string]int{}
	for _, c := range candidates {
		least := max(1, len(name)/3) + 1
		for _, known := range c.Names {
			least = min(least, Distance(name, strings.ToLower(known)))
		}
		if _, again := distances[c.Text]; !again && least <= max(1, len(name)/3) {
			distances[c.Text], texts = least, append(texts, c.Text)
		}
	}
	slices.SortStableFunc(texts, func(a, b string) int { return cmp.Compare(distances[a], distances[b]) })
	return texts[:min(len(texts), maxSuggestions)]
}

// Distance returns the number of bytes to insert, delete, replace or swap with a neighbor to
// turn a into b. Each byte is changed at most once (optimal string alignment).
func Distance(a, b string) int {
	// Row i has the distances of the first i bytes of a to every prefix of b.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
