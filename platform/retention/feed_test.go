package retention_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// cursor moves a cursor to a position that it has read at a time.
func (d *database) cursor(name string, position int, seen time.Time) {
	d.Helper()
	d.Exec("DELETE FROM feed_cursors WHERE name = '" + name + "'")
	d.Exec(fmt.Sprintf("INSERT INTO feed_cursors (name, position, token, owner, created_at, seen_at, expired_at) VALUES ('%s', %d, 1, '', 0, %d, 0)", name, position, seen.UnixMicro()))
}

// TestFeedIsShortened: positions that all live cursors have read, and that are old enough,
// are deleted, in several steps.
func TestFeedIsShortened(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(lives(1200, 2, 1))
		now := time.Now()
		head, err := feed.Head(t.Context(), d.DB)
		if err != nil || head != 2400 {
			t.Fatalf("head of the feed: got %d and error %v, want 2400", head, err)
		}
		for _, c := range []struct {
			name   string
			at     time.Time // time of the pruning
			keep   time.Duration
			cursor int
			oldest string
		}{
			{"all is young", now, time.Hour, 2400, "0"},
			{"a cursor has read some", now.Add(2 * time.Hour), time.Hour, 2300, "2300"},
			{"it is kept forever", now.Add(2 * time.Hour), retention.Forever, 2400, "2300"},
			{"a cursor has read all", now.Add(2 * time.Hour), time.Hour, 2400, "2400"},
		} {
			d.cursor("slow", c.cursor, c.at)
			d.cursor("fast", 2400, c.at)
			if _, err := retention.PruneBeside(t.Context(), d.DB, retention.Policy{KeepFeed: c.keep}, c.at); err != nil {
				t.Fatal(err)
			}
			if got := d.Rows("SELECT oldest FROM feed_head"); got[0] != c.oldest {
				t.Errorf("%s: the feed begins after %s, want %s", c.name, got[0], c.oldest)
			}
			d.Want("SELECT COUNT(*) FROM feed WHERE position <= "+c.oldest, "0")
		}
		d.write(lives(1, 1, 100_000))
		if head, err = feed.Head(t.Context(), d.DB); err != nil || head != 2401 {
			t.Errorf("got head %d and error %v, want 2401", head, err)
		}
	})
}

// TestCursorExpires checks that an idle cursor preserves its transitions at first. Then it
// expires, with a log line and an error for its consumer, and the transitions are removed.
func TestCursorExpires(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(lives(5, 4, 1))
		now := time.Now()
		d.cursor("idle", 0, now)
		d.cursor("busy", 0, now.Add(8*24*time.Hour))
		policy := retention.Policy{Keep: time.Hour}
		prune := func(at time.Time, objects int, expired ...string) {
			t.Helper()
			done, err := retention.PruneBeside(t.Context(), d.DB, policy, at)
			if err != nil || done.Objects != objects || !slices.Equal(done.Expired, expired) {
				t.Errorf("got %d objects, expired %q, error %v; want %d and %q", done.Objects, done.Expired, err, objects, expired)
			}
		}
		prune(now.Add(6*24*time.Hour), 0)
		prune(now.Add(8*24*time.Hour), 0, "idle") // busy has not read them
		prune(now.Add(8*24*time.Hour), 0)         // a cursor expires only once
		d.cursor("busy", 10, now.Add(8*24*time.Hour))
		if _, err := feed.Head(t.Context(), d.DB); err != nil {
			t.Fatal(err)
		}
		prune(now.Add(8*24*time.Hour), 5)
		err := feed.Consume(patience.Context(t, "the consumer ends"), d.DB, "idle", func(context.Context, *sqldb.Tx, []feed.Transition) error { return nil })
		if !errors.Is(err, feed.ErrExpired) {
			t.Errorf("got error %v, want %v", err, feed.ErrExpired)
		}
	})
}

// TestExpiryIsLogged: Run names the cursors that have expired.
func TestExpiryIsLogged(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.cursor("forgotten", 0, time.Now().Add(-8*24*time.Hour))
		log, ctx := &lines{}, t.Context()
		ctx, cancel := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() {
			done <- retention.Run(ctx, d.DB, retention.Policy{Every: 10 * time.Millisecond}, slog.New(slog.NewTextHandler(log, nil)))
		}()
		d.Until("SELECT COUNT(*) FROM feed_cursors WHERE expired_at > 0", "1")
		patience.True(t, "the log has the expiry", func() bool { return log.has("have expired") })
		cancel()
		if err := <-done; err != nil || !log.has("forgotten") || strings.Count(log.text.String(), "have expired") != 1 {
			t.Errorf("got error %v and log %s, want the expiry logged once", err, &log.text)
		}
	})
}
