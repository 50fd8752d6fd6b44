package feed_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// naiveReader keeps the last row ID, which is wrong: it misses late commits.
type naiveReader struct{ last string }

func (r *naiveReader) read(d *database) []string {
	d.Helper()
	rows := d.Rows("SELECT t.id, o.uid, t.version FROM transitions t JOIN objects o ON o.id = t.object_id WHERE t.id > " + r.last + " ORDER BY t.id")
	for i, line := range rows {
		f := strings.Fields(line)
		r.last, rows[i] = f[0], f[1]+"/"+f[2]
	}
	return rows
}

// TestLateCommit commits a transaction after a later one has committed. A reader that keeps
// the last row ID misses its transitions; a reader of the feed does not.
func TestLateCommit(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(change("a", 1))
		reader := naiveReader{last: "0"}
		naive := reader.read(d)
		read, at := d.read(0)
		inserted, release, committed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			committed <- d.WriteHeld(t.Context(), []modeltest.Revision{change("held", 2)}, func() error {
				close(inserted)
				<-release
				return nil
			})
		}()
		<-inserted
		look := func() {
			naive = append(naive, reader.read(d)...)
			names, now := d.read(at)
			read, at = append(read, names...), now
		}
		oneWriter := strings.HasPrefix(d.url, "sqlite")
		if !oneWriter { // SQLite locks the file, so the second writer would wait
			d.write(change("b", 3))
		}
		if names, _ := d.read(0); oneWriter && len(names) != 1 || !oneWriter && !slices.Equal(names, []string{"a/1", "b/3"}) {
			t.Errorf("got %q in the feed before the commit", names)
		}
		look()
		close(release)
		if err := <-committed; err != nil {
			t.Fatal(err)
		}
		if oneWriter {
			d.write(change("b", 3))
		}
		look()
		slices.Sort(read)
		if want := []string{"a/1", "b/3", "held/2"}; !slices.Equal(read, want) {
			t.Errorf("got %q in the feed, want %q", read, want)
		}
		if lost := !slices.Contains(naive, "held/2"); lost == oneWriter {
			t.Errorf("got %q with the reader of row IDs", naive)
		}
	})
}

// TestSequencersAtOnce: several processes number what several others write. Each
// transition gets one position, and positions have no gaps.
func TestSequencersAtOnce(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		const writers, commits = 3, 30
		writing, stop := context.WithCancel(t.Context())
		var sequencers, work sync.WaitGroup
		for range 4 {
			sequencers.Go(func() {
				for writing.Err() == nil {
					if _, err := feed.Sequence(t.Context(), d.DB); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for w := range writers {
			work.Go(func() {
				for i := range commits {
					some := []modeltest.Revision{change(fmt.Sprint("w", w), wire.Version(i+1)), change(fmt.Sprint("x", w), wire.Version(i+1))}
					for d.Database.Write(t.Context(), some) != nil && t.Context().Err() == nil { // retry after a deadlock, like a recorder
					}
				}
			})
		}
		work.Wait()
		stop()
		sequencers.Wait()
		last := map[string]wire.Version{}
		position := feed.Position(0)
		for tr, err := range feed.Read(t.Context(), d.DB, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if position++; tr.Position != position || tr.Kind != feed.New {
				t.Fatalf("got %s as %v at position %d, want %d", nameOf(tr), tr.Kind, tr.Position, position)
			}
			if last[tr.Object.UID]++; last[tr.Object.UID] != tr.Version {
				t.Fatalf("%s follows version %v, want the version before it", nameOf(tr), last[tr.Object.UID]-1)
			}
		}
		if position != 2*writers*commits {
			t.Errorf("%d transitions, want %d", position, 2*writers*commits)
		}
		d.Want("SELECT COUNT(*) FROM feed_outbox", "0")
	})
}

// TestSequencer: it numbers entries after each notified commit, and at its end.
func TestSequencer(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s := feed.NewSequencer(d.DB, slog.Default)
		ctx, stop := context.WithCancel(t.Context())
		var run sync.WaitGroup
		run.Go(func() { s.Run(ctx) })
		for v := range wire.Version(5) {
			d.write(change("a", v+1))
			s.Wake()
			d.Until("SELECT COUNT(*) FROM feed", fmt.Sprint(v+1))
		}
		stop()
		run.Wait()
		d.write(change("a", 6))
		s.Wake()
		s.Run(ctx)
		d.Want("SELECT COUNT(*) FROM feed", "6")
	})
}

// TestSequencerFaults: a fault is logged once, when it occurs twice in a row.
func TestSequencerFaults(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		log := &lines{}
		s := feed.NewSequencer(d.DB, func() *slog.Logger { return slog.New(slog.NewTextHandler(log, nil)) })
		d.Exec("ALTER TABLE feed_outbox RENAME TO away")
		ctx, stop := context.WithCancel(t.Context())
		var run sync.WaitGroup
		run.Go(func() { s.Run(ctx) })
		patience.Until(t, "the fault is logged", func() string {
			s.Wake()
			return log.lacks("cannot assign positions")
		})
		d.Exec("ALTER TABLE away RENAME TO feed_outbox")
		patience.Until(t, "the end of the fault is logged", func() string {
			s.Wake()
			return log.lacks("assigning positions")
		})
		stop()
		run.Wait()
		if n := log.count("cannot assign positions"); n != 1 {
			t.Errorf("got %d lines about the fault: %s", n, &log.text)
		}
	})
}

// TestPositions: positions that cannot be read are errors.
func TestPositions(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(change("a", 1), change("a", 2))
		fails := func(after feed.Position, want error) {
			t.Helper()
			last := error(nil)
			for tr, err := range feed.Read(t.Context(), d.DB, after) {
				if last = err; err == nil {
					t.Errorf("got %s after position %d", nameOf(tr), after)
				}
			}
			if !errors.Is(last, want) {
				t.Errorf("after %d: %v, want %v", after, last, want)
			}
		}
		fails(3, feed.ErrAhead)
		d.Exec("UPDATE feed_head SET oldest = 1")
		fails(0, feed.ErrExpired)
		if names, _ := d.read(1); !slices.Equal(names, []string{"a/2"}) {
			t.Errorf("got %v, want %v", names, []string{"a/2"})
		}
	})
}
