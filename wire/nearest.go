package wire

import "strings"

// nearest returns the name in names that needs the fewest insertions, deletions and
// changes of a byte to become name, ignoring case. It returns "" if there are no names.
func nearest(name string, names []string) string {
	best, least := "", -1
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); least < 0 || d < least {
			best, least = n, d
		}
	}
	return best
}

// distance is the Levenshtein distance of two texts, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances of the first i bytes of a to every prefix of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
