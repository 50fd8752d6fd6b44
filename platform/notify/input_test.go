package notify

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/feed"
)

// TestLate: a message says that it is late if the transition was found afterwards, or was seen
// long after it happened, as after a time without a recorder.
func TestLate(t *testing.T) {
	happened := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		of   feed.Transition
		late bool
	}{
		{"at once", feed.Transition{Source: feed.Watched, Happened: happened, Seen: happened.Add(time.Minute)}, false},
		{"by a watch that was resumed", feed.Transition{Source: feed.Watched, Happened: happened, Seen: happened.Add(3 * time.Minute)}, true},
		{"in the first list", feed.Transition{Source: feed.Listed, Happened: happened, Seen: happened.Add(time.Hour)}, false},
		{"by a later list", feed.Transition{Source: feed.Relisted, Happened: happened, Seen: happened}, true},
		{"behind a later state", feed.Transition{Kind: feed.Late, Source: feed.Watched, Happened: happened, Seen: happened}, true},
	} {
		if got := isLate(&c.of); got != c.late {
			t.Errorf("%s: got %v, want %v", c.name, got, c.late)
		}
	}
}
