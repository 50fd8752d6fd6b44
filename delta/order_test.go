package delta_test

import (
	"testing"

	"github.com/vedette-io/vedette/delta"
)

// scenario is a script and what its consumers see.
type scenario struct {
	name   string
	limits delta.Limits
	lines  string
	want   string
}

func playAll(t *testing.T, scenarios []scenario) {
	t.Helper()
	for _, c := range scenarios {
		t.Run(c.name, func(t *testing.T) { play(t, c.limits, c.lines, c.want) })
	}
}

func TestCoalescedOrder(t *testing.T) {
	playAll(t, []scenario{
		{
			"a deletion joins its key, ahead of what came before it",
			delta.Limits{},
			"add a 1 1; add b 2 2; delete a 1 3",
			"a: Added 1@1, Deleted 1@3; b: Added 2@2",
		},
		{
			"a key keeps its position",
			delta.Limits{},
			"add a 1 1; add b 2 2; add c 3 3; update b 2 4; update a 1 5",
			"a: Added 1@1, Updated 1@5; b: Added 2@2, Updated 2@4; c: Added 3@3",
		},
		{
			"a key that was taken stands behind",
			delta.Limits{},
			"add a 1 1; add b 2 2; take; update a 1 3; done a",
			"a: Added 1@1; b: Added 2@2; a: Updated 1@3",
		},
		{
			"nobody waits for a key that is in process, except the key",
			delta.Limits{},
			"add a 1 1; add b 2 2; take; update a 1 3; take; take; len; done b; done a",
			"a: Added 1@1; b: Added 2@2; len 3 30; a: Updated 1@3",
		},
		{
			"nor does what stands behind the rest of it",
			delta.Limits{},
			"add a 1 1; take; update a 1 2; add b 2 3; take; len; done b; done a",
			"a: Added 1@1; b: Added 2@3; len 3 30; a: Updated 1@2",
		},
		{
			"what fails stands behind, ahead of what came of it meanwhile",
			delta.Limits{},
			"add a 1 1; add b 2 2; add c 3 3; take; update a 1 4; fail a; len",
			"a: Added 1@1; len 4 40; b: Added 2@2; c: Added 3@3; a: Added 1@1, Updated 1@4",
		},
		{
			"what panics does too",
			delta.Limits{},
			"add a 1 1; add b 2 2; take; panic a; update a 1 4",
			"a: Added 1@1; b: Added 2@2; a: Added 1@1, Updated 1@4",
		},
		{
			"what comes meanwhile is folded with what failed",
			delta.Limits{},
			"add a 1 1; delete a 1 2; take; delete a 1 3; fail a",
			"a: Added 1@1, Deleted 1@2; a: Added 1@1, Deleted 1@3",
		},
		{
			"a closed queue is empty when nothing can come back",
			delta.Limits{},
			"add a 1 1; take; close; add b 2 2; take; fail a",
			"a: Added 1@1; add b 2 2: delta queue is closed; a: Added 1@1",
		},
		{"a closed and empty queue", delta.Limits{}, "close; take", "delta queue is closed"},
	})
}

func TestCoalescedBarriers(t *testing.T) {
	playAll(t, []scenario{
		{
			"a bookmark comes after what was put before it",
			delta.Limits{},
			"add a 1 1; bookmark 2; add b 2 3",
			"a: Added 1@1; |: Bookmarked>2; b: Added 2@3",
		},
		{
			"and may come after more of a key that waited",
			delta.Limits{},
			"add a 1 1; bookmark 2; update a 1 3",
			"a: Added 1@1, Updated 1@3; |: Bookmarked>2",
		},
		{
			"it waits until what was taken before is through",
			delta.Limits{},
			"add a 1 1; bookmark 2; add b 2 3; take; take; len; done a",
			"a: Added 1@1; len 3 20; |: Bookmarked>2; b: Added 2@3",
		},
		{
			"and through in peace",
			delta.Limits{},
			"add a 1 1; add b 2 2; bookmark 2; add c 3 3; take; fail a",
			"a: Added 1@1; b: Added 2@2; a: Added 1@1; |: Bookmarked>2; c: Added 3@3",
		},
		{
			"what came of it meanwhile comes along",
			delta.Limits{},
			"add a 1 1; bookmark 2; take; update a 1 3; fail a",
			"a: Added 1@1; a: Added 1@1, Updated 1@3; |: Bookmarked>2",
		},
		{
			"or stays behind",
			delta.Limits{},
			"add a 1 1; bookmark 2; take; update a 1 3; done a",
			"a: Added 1@1; |: Bookmarked>2; a: Updated 1@3",
		},
		{
			"nothing is taken beside it",
			delta.Limits{},
			"bookmark 2; add a 1 3; take; take; len; done |",
			"|: Bookmarked>2; len 2 10; a: Added 1@3",
		},
		{
			"one that fails is the next",
			delta.Limits{},
			"bookmark 2; add a 1 3; take; fail |; take; panic |",
			"|: Bookmarked>2; |: Bookmarked>2; |: Bookmarked>2; a: Added 1@3",
		},
		{
			"of two with nothing between the last is kept",
			delta.Limits{},
			"add a 1 1; bookmark 2; bookmark 3; add b 2 4; bookmark 5; len",
			"len 4 20; a: Added 1@1; |: Bookmarked>3; b: Added 2@4; |: Bookmarked>5",
		},
		{
			"not one that is in process",
			delta.Limits{},
			"bookmark 2; take; bookmark 3; fail |; len",
			"|: Bookmarked>2; len 2 0; |: Bookmarked>2; |: Bookmarked>3",
		},
		{
			"nor the end of a list",
			delta.Limits{},
			"replace 2; bookmark 3; replace 4",
			"|: ReplacedEnd>2#1; |: Bookmarked>3#1; |: ReplacedEnd>4#2",
		},
	})
}

func TestCoalescedFolds(t *testing.T) {
	playAll(t, []scenario{
		{"two deletions", delta.Limits{}, "delete a 1 1; delete a 1 2; len", "len 1 10; a: Deleted 1@2"},
		{"not of two objects", delta.Limits{}, "delete a 1 1; delete a 2 2", "a: Deleted 1@1, Deleted 2@2"},
		{"a duplicate", delta.Limits{}, "update a 1 1; update a 1 1; len", "len 1 10; a: Updated 1@1"},
		{"not of another version", delta.Limits{}, "update a 1 1; update a 1 2", "a: Updated 1@1, Updated 1@2"},
		{"not of another kind", delta.Limits{}, "add a 1 1; update a 1 1", "a: Added 1@1, Updated 1@1"},
		{"not without a version", delta.Limits{}, "update a 1 0; update a 1 0", "a: Updated 1@0, Updated 1@0"},
		{"not what stands apart", delta.Limits{}, "add a 1 1; delete a 1 2; add a 1 1", "a: Added 1@1, Deleted 1@2, Added 1@1"},
		{
			"a duplicate takes the later epoch",
			delta.Limits{},
			"replace 5 a/1/1; replace 6 a/1/1", "a: Replaced 1@1#2; |: ReplacedEnd>5#1; |: ReplacedEnd>6#2",
		},
		{
			"another object in the place has a deletion before it",
			delta.Limits{},
			"update a 1 1; update a 2 5", "a: Updated 1@1, Deleted(missed) 1@1>5, Updated 2@5",
		},
		{
			"also before its own deletion",
			delta.Limits{},
			"update a 1 1; delete a 2 5", "a: Updated 1@1, Deleted(missed) 1@1>5, Deleted 2@5",
		},
		{
			"the deletion that was missed gives way to the one that was seen",
			delta.Limits{},
			"add a 1 1; replace 5; delete a 1 4", "a: Added 1@1, Deleted 1@4#1; |: ReplacedEnd>5#1",
		},
		{
			"the oldest states in between",
			delta.Limits{},
			"add a 1 1; update a 1 2; update a 1 3; update a 1 4; update a 1 5; update a 1 6; update a 1 7; update a 1 8; update a 1 9; update a 1 10; len",
			"len 8 80; a: Added 1@1, Updated 1@4, Updated 1@5, Updated 1@6, Updated 1@7, Updated 1@8, Updated 1@9, Updated 1@10",
		},
		{
			"not the last state of one object, nor the first of the next",
			delta.Limits{},
			"add a 1 1; update a 1 2; delete a 1 3; add a 2 4; update a 2 5; update a 2 6; delete a 2 7; add a 3 8; update a 3 9",
			"a: Added 1@1, Updated 1@2, Deleted 1@3, Added 2@4, Updated 2@6, Deleted 2@7, Added 3@8, Updated 3@9",
		},
		{
			"objects that came and went in between, the oldest first",
			delta.Limits{},
			"add a 1 1; delete a 1 2; add a 2 3; delete a 2 4; add a 3 5; delete a 3 6; add a 4 7; delete a 4 8; add a 5 9",
			"a: Added 1@1, Deleted 1@2, Added 3@5, Deleted 3@6, Added 4@7, Deleted 4@8, Added 5@9",
		},
		{
			"but not the first and the last",
			delta.Limits{},
			"add a 1 1; update a 1 2; delete a 1 3; delete a 2 4; delete a 3 5; delete a 4 6; add a 5 7; update a 5 8; delete a 5 9",
			"a: Added 1@1, Updated 1@2, Deleted 1@3, Deleted 3@5, Deleted 4@6, Added 5@7, Updated 5@8, Deleted 5@9",
		},
	})
}

func TestCoalescedReplace(t *testing.T) {
	playAll(t, []scenario{
		{
			"everything, then the end",
			delta.Limits{},
			"replace 9 a/1/1 b/2/2; update a 1 10", "a: Replaced 1@1#1, Updated 1@10#1; b: Replaced 2@2#1; |: ReplacedEnd>9#1",
		},
		{
			"what waits and is not in the list is gone",
			delta.Limits{},
			"add a 1 1; add b 2 2; update b 2 3; replace 9 a/1/1",
			"a: Added 1@1, Replaced 1@1#1; b: Added 2@2, Updated 2@3, Deleted(missed) 2@3>9#1; |: ReplacedEnd>9#1",
		},
		{
			"unless it is gone already",
			delta.Limits{},
			"add a 1 1; delete a 1 2; replace 9", "a: Added 1@1, Deleted 1@2; |: ReplacedEnd>9#1",
		},
		{
			"what is in process and not in the list is gone",
			delta.Limits{},
			"add a 1 1; take; replace 9; done a", "a: Added 1@1; a: Deleted(missed) 1@1>9#1; |: ReplacedEnd>9#1",
		},
		{
			"also if it fails",
			delta.Limits{},
			"add a 1 1; take; replace 9; fail a", "a: Added 1@1; a: Added 1@1, Deleted(missed) 1@1>9#1; |: ReplacedEnd>9#1",
		},
		{
			"once",
			delta.Limits{},
			"add a 1 1; take; update a 1 2; replace 9; replace 10; done a",
			"a: Added 1@1; a: Updated 1@2, Deleted(missed) 1@2>9#1; |: ReplacedEnd>9#1; |: ReplacedEnd>10#2",
		},
		{
			"not what was processed: that is the consumer's part",
			delta.Limits{},
			"add a 1 1; take; done a; replace 9", "a: Added 1@1; |: ReplacedEnd>9#1",
		},
		{
			"a state that was to be told again is gone too",
			delta.Limits{},
			"sync a 1 1; replace 9", "a: Sync 1@1, Deleted(missed) 1@1>9#1; |: ReplacedEnd>9#1",
		},
		{
			"an object of another time in the same place",
			delta.Limits{},
			"add a 1 100; replace 9 a/2/3", "a: Added 1@100, Deleted(missed) 1@100>3#1, Replaced 2@3#1; |: ReplacedEnd>9#1",
		},
		{
			"one that does not come to its end removes nothing",
			delta.Limits{Deltas: 1},
			"add a 1 1; replace 8; close; take", "replace 8 waits; a: Added 1@1",
		},
		{
			"synced when the end is through",
			delta.Limits{},
			"replace 9 a/1/1; bookmark 10; synced; take; done a; synced; take; synced; fail |; synced; take; done |; synced; replace 10; take; done |; take; done |; synced",
			`synced false; a: Replaced 1@1#1; synced false; |: ReplacedEnd>9#1; synced false; synced false; |: ReplacedEnd>9#1; synced true
			|: Bookmarked>10#1; |: ReplacedEnd>10#2; synced true`,
		},
		{"a bookmark does not make it synced", delta.Limits{}, "bookmark 9; take; done |; synced", "|: Bookmarked>9; synced false"},
	})
}

func TestCoalescedResync(t *testing.T) {
	playAll(t, []scenario{
		{"of what is at rest", delta.Limits{}, "sync a 1 1; update a 1 2", "a: Sync 1@1, Updated 1@2"},
		{"not of what waits", delta.Limits{}, "update a 1 2; sync a 1 1; sync b 2 1; sync b 2 1", "a: Updated 1@2; b: Sync 2@1"},
		{"not of what is in process", delta.Limits{}, "update a 1 2; take; sync a 1 1; done a; sync a 1 2", "a: Updated 1@2; a: Sync 1@2"},
		{"and then it does not wait for room", delta.Limits{Deltas: 1}, "update a 1 2; sync a 1 1; take; sync a 1 1", "a: Updated 1@2"},
	})
}

func TestCoalescedIsBounded(t *testing.T) {
	playAll(t, []scenario{
		{
			"by deltas",
			delta.Limits{Deltas: 2},
			"add a 1 1; update a 1 2; add b 2 3; take; done a; len",
			"add b 2 3 waits; a: Added 1@1, Updated 1@2; len 1 10; b: Added 2@3",
		},
		{
			"by bytes",
			delta.Limits{Bytes: 25},
			"add a 1 1; add b 2 2; add c 3 3; take; done a; len",
			"add c 3 3 waits; a: Added 1@1; len 2 20; b: Added 2@2; c: Added 3@3",
		},
		{
			"one too large passes alone",
			delta.Limits{Bytes: 5},
			"add a 1 1; add b 2 2; take; done a; len",
			"add b 2 2 waits; a: Added 1@1; len 1 10; b: Added 2@2",
		},
		{
			"what is in process counts",
			delta.Limits{Deltas: 1},
			"add a 1 1; take; add b 2 2; fail a; take; done a",
			"a: Added 1@1; add b 2 2 waits; a: Added 1@1; b: Added 2@2",
		},
		{"a barrier counts", delta.Limits{Deltas: 1}, "bookmark 1; add a 1 2; take; done |", "add a 1 2 waits; |: Bookmarked>1; a: Added 1@2"},
		{"a barrier waits", delta.Limits{Deltas: 1}, "add a 1 2; bookmark 1; take; done a", "bookmark 1 waits; a: Added 1@2; |: Bookmarked>1"},
	})
}
