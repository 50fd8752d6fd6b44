package notify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Health describes the state of notifications, from the database and the open channels.
type Health struct {
	// Behind is the number of transitions that wait for the planner. SeenAt is the time
	// when a planner was last active. Cursor is false if no planner has run yet.
	Cursor  bool
	Behind  int64
	SeenAt  time.Time
	Expired bool
	// Faults are the problems that need an action by a person, sorted by name.
	Faults []string
	// Counts are the unsent deliveries and the dead letters by channel and state.
	Counts []delivery.Count
	// Channels is the state of the channels that replicas share.
	Channels []delivery.Channel
}

// readHealth reads the part of the health that is in the database. known maps the channels
// of the file to the error that makes them unusable, or to nil.
func readHealth(ctx context.Context, db *sqldb.DB, known map[string]error, now time.Time) (h Health, err error) {
	cursors, err := feed.Cursors(ctx, db)
	if err != nil {
		return h, err
	}
	c, found := feed.Summary(cursors, cursorName)
	h.Cursor, h.Behind, h.SeenAt, h.Expired = found, c.Behind, c.SeenAt, c.Expired
	if h.Counts, err = delivery.Counts(ctx, db); err != nil {
		return h, db.Explain(err)
	}
	if h.Channels, err = delivery.Channels(ctx, db); err != nil {
		return h, db.Explain(err)
	}
	files, err := delivery.ReportedFiles(ctx, db)
	if err != nil {
		return h, db.Explain(err)
	}
	h.Faults = faults(&h, known)
	if err := delivery.UnlikeFiles(files, now); err != nil {
		h.Faults = append(h.Faults, err.Error())
		slices.Sort(h.Faults)
	}
	return h, nil
}

// faults returns the problems that need an action by a person.
func faults(h *Health, known map[string]error) (all []string) {
	if h.Expired {
		all = append(all, "the cursor of the planner has expired; transitions since then are in the history only")
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if err := known[name]; err != nil {
			all = append(all, fmt.Sprintf("%v; its messages wait", err))
		}
	}
	for _, c := range h.Channels {
		if !c.DisabledAt.IsZero() {
			all = append(all, fmt.Sprintf("channel %s is disabled: %s", c.Name, c.Reason))
		}
	}
	for _, c := range h.Counts {
		_, there := known[c.Channel]
		switch {
		case c.State == delivery.Dead:
			all = append(all, fmt.Sprintf("channel %s has %d dead letters", c.Channel, c.N))
		case !there:
			all = append(all, fmt.Sprintf("%d messages wait for channel %s, which the file no longer has", c.N, c.Channel))
		}
	}
	return all
}
