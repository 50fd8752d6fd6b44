package notify

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// counting counts the subscriptions that are read.
type counting struct {
	sqldb.Querier
	rows, all int // rows, and queries of all of them
}

func (c *counting) Query(ctx context.Context, query string, args []any, each func(*sql.Rows) error) error {
	if !strings.Contains(query, "WHERE") {
		c.all++
	}
	return c.Querier.Query(ctx, query, args, func(rows *sql.Rows) error {
		c.rows++
		return each(rows)
	})
}

func opened(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestReadsWhatChanged: after the first time, the planner reads the subscriptions that have changed,
// and all of them only every 10 minutes. It drops those that were removed.
func TestReadsWhatChanged(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := opened(t, url)
		subscribe := func(name string) int64 {
			id, err := delivery.Subscribe(t.Context(), db, delivery.Subscription{Person: "ann", Name: name, Channel: "chat", Address: name}, "", 0)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		var ids []int64
		for n := range 20 {
			ids = append(ids, subscribe(fmt.Sprint("job-", n)))
		}
		c, now := &counting{Querier: db}, time.Unix(1000, 0)
		var s subscriptions
		read := func(what string, rows, all int, names ...string) {
			t.Helper()
			now = now.Add(subscriptionsEvery)
			c.rows, c.all = 0, 0
			if err := s.refresh(t.Context(), c, now); err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, name := range names {
				if got := s.match(&feed.Transition{From: "Queued", To: "Failed", Object: feed.Object{Name: name}}, now); len(got) == 1 {
					found = append(found, name)
				}
			}
			if c.rows != rows || c.all != all || !slices.Equal(found, names) {
				t.Errorf("%s: read %d rows with %d queries of all, found %v; want %d rows, %d queries and %v", what, c.rows, c.all, found, rows, all, names)
			}
		}
		read("at first", 20, 1, "job-0", "job-19")
		read("no change", 0, 0, "job-0")
		ids = append(ids, subscribe("new"))
		read("a new one", 1, 0, "new", "job-0")
		if err := delivery.Unsubscribe(t.Context(), db, ids[0], "ann", "ann"); err != nil {
			t.Fatal(err)
		}
		if err := delivery.MuteSubscription(t.Context(), db, ids[1], "ann", now.Add(time.Hour), "ann"); err != nil {
			t.Fatal(err)
		}
		read("one removed and one muted", 1, 0, "new")
		if got := s.match(&feed.Transition{From: "Queued", To: "Failed", Object: feed.Object{Name: "job-0"}}, now); len(got) > 0 {
			t.Error("a removed subscription is found")
		}
		if got := s.match(&feed.Transition{From: "Queued", To: "Failed", Object: feed.Object{Name: "job-1"}}, now); len(got) > 0 {
			t.Error("a muted subscription is found")
		}
		now = now.Add(rereadEvery)
		read("after 10 minutes", 20, 1, "new")
	})
}

// TestConcurrentSubscribers: a planner that reads only changes misses none of those that several
// writers make at the same time.
func TestConcurrentSubscribers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := opened(t, url)
		var work sync.WaitGroup
		for n := range 4 {
			work.Go(func() {
				for i := range 15 {
					person := fmt.Sprint("person-", n)
					id, err := delivery.Subscribe(t.Context(), db, delivery.Subscription{Person: person, Name: fmt.Sprint(i), Channel: "chat"}, "", 0)
					if err == nil && i%3 == 0 {
						err = delivery.Unsubscribe(t.Context(), db, id, person, person)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		ended := make(chan struct{})
		go func() { work.Wait(); close(ended) }()
		c, now := &counting{Querier: db}, time.Unix(1000, 0)
		var s subscriptions
		refresh := func() {
			s.checkedAt = time.Time{} // the time does not pass, so all are read only once
			if err := s.refresh(t.Context(), c, now); err != nil {
				t.Error(err)
			}
		}
		for open := true; open; {
			select {
			case <-ended:
				open = false
			default:
			}
			refresh()
		}
		if c.all != 1 {
			t.Errorf("all subscriptions were read %d times, want once", c.all)
		}
		all, err := delivery.Subscriptions(t.Context(), db, "")
		if err != nil {
			t.Fatal(err)
		}
		var want []int64
		for i := range all {
			want = append(want, all[i].ID)
		}
		if got := slices.Sorted(maps.Keys(s.all)); !slices.Equal(got, want) || len(want) != 40 {
			t.Errorf("got subscriptions %v, want %v", got, want)
		}
	})
}
