// Package linediff finds the lines in which two texts differ.
//
// It finds a shortest edit script (Myers) from both ends at once, so it needs memory only
// for the lines. For texts with hardly a common line it does not find the shortest one:
// its cost has a limit.
package linediff

import (
	"fmt"
	"slices"
	"strings"
)

// context is the number of lines shown around a difference.
const context = 3

// patience is the maximum number of edits of a shortest script; a stretch with more is
// treated as completely different.
const patience = 4000

// Unified returns the difference of a and b in the unified format, with two names; "" if
// they are equal.
func Unified(a, b, nameA, nameB string) string {
	if a == b {
		return ""
	}
	d := differ{a: split(a), b: split(b)}
	d.gone, d.new = Compare(d.a, d.b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", nameA, nameB)
	d.hunks(&out)
	return out.String()
}

// Compare returns the elements of two lists, such as lines or words, that are in only one
// of them: gone for elements of a, and added for elements of b. The others are equal, in
// their order.
func Compare(a, b []string) (gone, added []bool) {
	d := differ{a: a, b: b, gone: make([]bool, len(a)), new: make([]bool, len(b))}
	d.compare(0, len(a), 0, len(b))
	return d.gone, d.new
}

// split returns the lines of a text, with their line ends; the last line may have none.
func split(text string) []string {
	return slices.Collect(strings.Lines(text))
}

// differ marks the lines that are in only one text.
type differ struct {
	a, b      []string
	gone, new []bool
}

// compare marks the differences of two stretches.
func (d *differ) compare(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && d.a[a0] == d.b[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && d.a[a1-1] == d.b[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	if x, y, found := d.middle(a0, a1, b0, b1); found {
		d.compare(a0, x, b0, y)
		d.compare(x, a1, y, b1)
		return
	}
	for i := a0; i < a1; i++ {
		d.gone[i] = true
	}
	for i := b0; i < b1; i++ {
		d.new[i] = true
	}
}

// middle returns a point on a shortest path from one text to the other, where the searches
// from both ends meet. It finds none if a stretch is empty, or if the path is too long.
func (d *differ) middle(a0, a1, b0, b1 int) (x, y int, found bool) {
	n, m := a1-a0, b1-b0
	if n == 0 || m == 0 {
		return 0, 0, false
	}
	most := min((n+m+1)/2, patience)
	delta, size := n-m, 2*most+2
	// The furthest point on each diagonal, from the beginning and from the end.
	down, up := make([]int, size+1), make([]int, size+1)
	at := func(k int) int { return k + most + 1 }
	for i := range down {
		down[i], up[i] = -1, -1
	}
	down[at(1)], up[at(1)] = 0, 0
	for c := 0; c <= most; c++ {
		for k := -c; k <= c; k += 2 {
			x := forward(down, at(k), k, c)
			for x < n && x-k < m && x-k >= 0 && d.a[a0+x] == d.b[b0+x-k] {
				x++
			}
			down[at(k)] = x
			if r := delta - k; delta%2 != 0 && r > -c && r < c && x <= n && x-k <= m && x-k >= 0 && up[at(r)] >= 0 && x+up[at(r)] >= n {
				return d.inside(a0, b0, n, m, x, x-k)
			}
		}
		for k := -c; k <= c; k += 2 {
			x := forward(up, at(k), k, c)
			for x < n && x-k < m && x-k >= 0 && d.a[a1-1-x] == d.b[b1-1-(x-k)] {
				x++
			}
			up[at(k)] = x
			if r := delta - k; delta%2 == 0 && r >= -c && r <= c && x <= n && x-k <= m && x-k >= 0 && down[at(r)] >= 0 && x+down[at(r)] >= n {
				return d.inside(a0, b0, n, m, n-x, m-(x-k))
			}
		}
	}
	return 0, 0, false
}

// forward makes one step from a neighboring diagonal.
func forward(reached []int, at, k, c int) int {
	if k == -c || k != c && reached[at-1] < reached[at+1] {
		return reached[at+1]
	}
	return reached[at-1] + 1
}

// inside refuses a point that does not divide the stretch.
func (d *differ) inside(a0, b0, n, m, x, y int) (int, int, bool) {
	if x < 0 || y < 0 || x > n || y > m || x+y == 0 || x+y == n+m {
		return 0, 0, false
	}
	return a0 + x, b0 + y, true
}

// hunks writes the marked lines, with context.
func (d *differ) hunks(out *strings.Builder) {
	i, j := 0, 0 // the current lines
	for i < len(d.a) || j < len(d.b) {
		if i < len(d.a) && j < len(d.b) && !d.gone[i] && !d.new[j] {
			i, j = i+1, j+1
			continue
		}
		fromA, fromB := max(0, i-context), max(0, j-context)
		back := min(i-fromA, j-fromB)
		i, j = d.hunk(out, i-back, j-back, i, j)
	}
}

// hunk writes one hunk that begins with context, and returns its end.
func (d *differ) hunk(out *strings.Builder, startA, startB, i, j int) (int, int) {
	var body strings.Builder
	write := func(sign byte, line string) {
		body.WriteByte(sign)
		body.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			body.WriteString("\n\\ No newline at end of file\n")
		}
	}
	for k := startA; k < i; k++ {
		write(' ', d.a[k])
	}
	for {
		for i < len(d.a) && d.gone[i] {
			write('-', d.a[i])
			i++
		}
		for j < len(d.b) && d.new[j] {
			write('+', d.b[j])
			j++
		}
		same := 0
		for i+same < len(d.a) && j+same < len(d.b) && !d.gone[i+same] && !d.new[j+same] {
			same++
		}
		last := i+same == len(d.a) && j+same == len(d.b)
		if last || same > 2*context {
			same = min(same, context)
			for k := range same {
				write(' ', d.a[i+k])
			}
			i, j = i+same, j+same
			break
		}
		for k := range same {
			write(' ', d.a[i+k])
		}
		i, j = i+same, j+same
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n%s", span(startA, i), span(startB, j), body.String())
	return i, j
}

// span formats "start,count" of lines, from 1.
func span(start, end int) string {
	switch n := end - start; n {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	default:
		return fmt.Sprintf("%d,%d", start+1, n)
	}
}
