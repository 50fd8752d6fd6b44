package jobview

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vedette-io/vedette/internal/linediff"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// DefaultContext is the number of unchanged lines around a difference.
const DefaultContext = 3

// Limits of the comparison of words. Its cost is the product of the numbers of words, and anybody
// who may create a job can write lines that have nothing in common.
const (
	maxWords    = 4096      // maximum size of a line whose words are compared, in bytes
	maxCompared = 2_000_000 // maximum number of compared pairs of words
)

// maxDiff is the maximum number of lines of a difference. Two bodies of 1.5 MB may differ in a
// million lines.
const maxDiff = 10_000

// Diff returns the difference between two bodies, at most 10,000 lines. Unchanged lines are folded,
// except context lines around each difference. In replaced lines, the different words are marked.
func Diff(from, to api.Body, context int) api.Diff {
	d := differ{compares: maxCompared, left: lines(from.YAML), right: lines(to.YAML), keptLeft: from.Bookkeeping, keptRight: to.Bookkeeping}
	gone, added := linediff.Compare(d.left, d.right)
	i, j := 0, 0
	for i < len(d.left) || j < len(d.right) {
		switch {
		case i < len(d.left) && gone[i], j < len(d.right) && added[j]:
			fromI, fromJ := i, j
			for i < len(d.left) && gone[i] {
				i++
			}
			for j < len(d.right) && added[j] {
				j++
			}
			d.replaced(fromI, i, fromJ, j)
		default:
			fromI := i
			for i < len(d.left) && j < len(d.right) && !gone[i] && !added[j] {
				i, j = i+1, j+1
			}
			d.same(fromI, i, j-i, context, j == len(d.right) && i == len(d.left))
		}
	}
	if d.out == nil {
		d.out = []api.DiffLine{}
	}
	return api.Diff{From: from.Version, To: to.Version, Lines: d.out, Differ: d.differ, Cut: d.cut}
}

// lines returns the lines of a text without their ends.
func lines(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// differ collects the lines of a difference.
type differ struct {
	left, right         []string
	keptLeft, keptRight []api.LineRange
	out                 []api.DiffLine
	differ, cut         int
	compares            int // remaining pairs of words
}

// same adds unchanged lines of the left side. Their numbers on the right side are higher by a
// shift. Lines far from any difference are folded.
func (d *differ) same(from, to, shift, context int, last bool) {
	before, after := context, context // lines to show after a difference, and before the next one
	if len(d.out) == 0 {
		before = 0
	}
	if last {
		after = 0
	}
	for i := from; i < to; i++ {
		if folded := to - from - before - after; i == from+before && folded > 1 {
			d.add(api.DiffLine{Op: "~", Left: i + 1, Right: i + 1 + shift, Count: folded})
			i += folded - 1
			continue
		}
		d.add(api.DiffLine{Op: "=", Left: i + 1, Right: i + 1 + shift, Text: d.left[i], Bookkeeping: within(d.keptLeft, i+1)})
	}
}

// replaced adds removed lines and the lines that replace them. The first removed line is the
// counterpart of the first added line, and so on.
func (d *differ) replaced(i, toI, j, toJ int) {
	d.differ += toI - i + toJ - j
	shown := min(toI-i+toJ-j, max(maxDiff-len(d.out), 0)) // of both sides together
	endI := min(toI, i+max(shown/2, shown-(toJ-j)))
	endJ := min(toJ, j+shown-(endI-i))
	d.cut += toI - endI + toJ - endJ
	gone, added := []api.DiffLine{}, []api.DiffLine{}
	for ; i < endI; i++ {
		gone = append(gone, api.DiffLine{Op: "-", Left: i + 1, Text: d.left[i], Bookkeeping: within(d.keptLeft, i+1)})
	}
	for ; j < endJ; j++ {
		added = append(added, api.DiffLine{Op: "+", Right: j + 1, Text: d.right[j], Bookkeeping: within(d.keptRight, j+1)})
	}
	for k := range min(len(gone), len(added)) {
		gone[k].Words, added[k].Words = d.markWords(gone[k].Text, added[k].Text)
	}
	d.out = append(append(d.out, gone...), added...)
}

// add adds an unchanged line or a fold, unless there are too many lines.
func (d *differ) add(line api.DiffLine) {
	if len(d.out) < maxDiff {
		d.out = append(d.out, line)
		return
	}
	d.cut += max(1, line.Count)
}

func within(all []api.LineRange, line int) bool {
	for _, r := range all {
		if r.From <= line && line <= r.To {
			return true
		}
	}
	return false
}

// markWords returns the different parts of two lines. Lines without a common word, long lines, and
// lines after too many comparisons have no marks: they differ as a whole.
func (d *differ) markWords(a, b string) (left, right []api.LineRange) {
	if len(a) > maxWords || len(b) > maxWords {
		return nil, nil
	}
	wordsA, wordsB := words(a), words(b)
	if d.compares -= len(wordsA) * len(wordsB); d.compares < 0 {
		return nil, nil
	}
	gone, added := linediff.Compare(wordsA, wordsB)
	common := false
	for i, w := range wordsA {
		common = common || !gone[i] && strings.TrimSpace(w) != ""
	}
	if !common {
		return nil, nil
	}
	return ranges(wordsA, gone), ranges(wordsB, added)
}

// words splits a line into words, blanks and single other characters.
func words(line string) (all []string) {
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	last := 0
	for i, r := range line {
		if k := kind(r); k == 0 || k != last || i == 0 {
			all = append(all, "")
			last = k
		}
		_, size := utf8.DecodeRuneInString(line[i:])
		all[len(all)-1] += line[i : i+size]
	}
	return all
}

// ranges returns the marked words as offsets in UTF-16 code units. From is inclusive and To is
// exclusive.
func ranges(words []string, marked []bool) (all []api.LineRange) {
	at := 0
	for i, w := range words {
		length := 0
		for _, r := range w {
			if length++; r > 0xffff {
				length++
			}
		}
		if marked[i] {
			if n := len(all); n > 0 && all[n-1].To == at {
				all[n-1].To = at + length
			} else {
				all = append(all, api.LineRange{From: at, To: at + length})
			}
		}
		at += length
	}
	return all
}
