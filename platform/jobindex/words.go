package jobindex

import (
	"slices"
	"strings"
	"sync"
)

// words are the distinct values of a column. Rows have their numbers.
type words struct {
	codes map[string]uint32
	all   []string
	bytes int64

	mu     sync.Mutex // guards the fields below, because several views read at the same time
	ranks  []int64
	sorted []string
}

// newWords returns words of which the first one is empty.
func newWords() *words { return &words{codes: map[string]uint32{"": 0}, all: []string{""}} }

// wordBytes is the overhead of a word: two headers, a number, and its part of the map.
const wordBytes = 64

// code returns the number of a word, which it adds if it is new.
func (w *words) code(word string) uint32 {
	c, ok := w.codes[word]
	if !ok {
		word = strings.Clone(word)
		c = uint32(len(w.all))
		w.codes[word], w.all = c, append(w.all, word)
		w.bytes += int64(len(word)) + wordBytes
	}
	return c
}

// verdicts evaluates a test for each word.
func (w *words) verdicts(test func(string) bool) []bool {
	all := make([]bool, len(w.all))
	for i, word := range w.all {
		all[i] = test(word)
	}
	return all
}

// order returns the ranks of all words by their numbers, and the sorted words. Ranks are
// odd; see rank.
func (w *words) order() (ranks []int64, sorted []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.ranks) != len(w.all) {
		w.sorted = slices.Sorted(slices.Values(w.all))
		w.ranks = make([]int64, len(w.all))
		for i, word := range w.sorted {
			w.ranks[w.codes[word]] = int64(2*i + 1)
		}
	}
	return w.ranks, w.sorted
}

// rank returns the rank of a word among sorted words. It is even for a word that is not
// among them.
func rank(sorted []string, word string) int64 {
	i, found := slices.BinarySearch(sorted, word)
	if found {
		return int64(2*i + 1)
	}
	return int64(2 * i)
}
