package joblog_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestConcurrentPuts: four recorders write parts of the same logs concurrently. In the
// end, the last lines are stored once, and the others are counted once.
func TestConcurrentPuts(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		lines := numbered(0, 300)
		var work sync.WaitGroup
		random := testinput.Rand(t)
		for range 4 {
			db, begins := open(t, d.url), random.Perm(270)
			work.Go(func() {
				s := joblog.NewAt(db.DB, joblog.Limits{Lines: 100}, nil, func() time.Time { return start }, 1000, 20)
				for i := range 12 {
					from, to := begins[i], begins[i]+30
					if i >= 10 {
						from, to = 0, 300
					}
					if err := s.Put(t.Context(), of(fmt.Sprint(i%2), 0), lines[from:to]); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		work.Wait()
		s, _ := newStore(d, joblog.Limits{})
		for i := range 2 {
			if l, got := s.only(t, fmt.Sprint(i)); !same(got, lines[200:]) || l.LostLines != 200 {
				t.Errorf("got log %+v with lines %s, want the last 200 lines and 200 lost", l, words(got))
			}
		}
	})
}

// TestStaleWriter: a writer whose row changes before it has claimed it starts again, so
// the floor of the other writer is respected.
func TestStaleWriter(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			if kind == "sqlite" {
				return // this database has only one writer at a time
			}
			address := dbtest.Empty(t, kind)
			driver, err := sqldb.DriverOf(address)
			if err != nil {
				t.Fatal(err)
			}
			first, _ := newStore(open(t, address), joblog.Limits{Lines: 5})
			first.put(t, of("a", 0), numbered(0, 2))
			s := &stopping{Driver: driver, at: "SET version = version + 1", stop: func() {
				first.put(t, of("a", 0), numbered(0, 10))
				first.put(t, of("a", 0), numbered(10, 20))
			}}
			db, err := sqldb.OpenWith(t.Context(), s, address)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			s.left.Store(1)
			if err := joblog.New(db, joblog.Limits{Lines: 5}, nil).Put(t.Context(), of("a", 0), numbered(0, 8)); err != nil {
				t.Fatal(err)
			}
			if l, got := first.only(t, "a"); !same(got, numbered(15, 20)) || l.LostLines != 15 {
				t.Errorf("%d lost: %s", l.LostLines, words(got))
			}
		})
	}
}

// TestConcurrentShrink: two processes that apply the limit concurrently do not remove
// twice as much.
func TestConcurrentShrink(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s, now := newStore(d, joblog.Limits{})
		for i := range 30 {
			*now = now.Add(time.Second)
			s.put(t, ended(of(fmt.Sprint(i), 0), time.Hour, 0), noise(uint64(i), 20))
		}
		before, err := s.Totals(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var work sync.WaitGroup
		for range 3 {
			db := open(t, d.url)
			work.Go(func() {
				if err := joblog.Shrink(t.Context(), db.DB, before.Stored/2, *now); err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
		after, err := s.Totals(t.Context())
		if err != nil || after.Stored > before.Stored/2 || after.Stored < before.Stored*4/10 || after.Logs+after.Empty != 30 {
			t.Errorf("got %+v, before %+v, error %v; want 40%% to 50%% left of 30 logs", after, before, err)
		}
	})
}

// stopping is a driver that calls stop before one of the statements that have a text.
type stopping struct {
	sqldb.Driver
	at   string
	left atomic.Int64
	stop func()
}

func (s *stopping) Dialect() sqldb.Dialect {
	d := s.Driver.Dialect()
	rebind := d.Rebind
	d.Rebind = func(statement string) string {
		if strings.Contains(statement, s.at) && s.left.Add(-1) == 0 {
			s.stop()
		}
		if rebind == nil {
			return statement
		}
		return rebind(statement)
	}
	return d
}

func (s *stopping) Address(u *url.URL, getenv func(string) string) (sqldb.Address, error) {
	return s.Driver.Address(u, getenv)
}

// TestStoppedWriter: a writer that stops at any statement leaves either the earlier
// content or its complete content, and the row agrees with the text. The next writer
// continues.
func TestStoppedWriter(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			address := dbtest.Empty(t, kind)
			driver, err := sqldb.DriverOf(address)
			if err != nil {
				t.Fatal(err)
			}
			d := open(t, address)
			s := &stopping{Driver: driver, stop: func() {}}
			db, err := sqldb.OpenWith(t.Context(), s, address)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			lines := numbered(0, 200)
			reader, _ := newStore(d, joblog.Limits{})
			for at, done := 1, false; !done; at++ {
				pod := fmt.Sprint("pod-", at)
				limits := joblog.Limits{Lines: 150}
				writer := joblog.NewAt(db, limits, nil, func() time.Time { return start }, 500, 20)
				s.left.Store(0)
				if err := writer.Put(t.Context(), of(pod, 0), lines[:120]); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				s.stop = cancel
				s.left.Store(int64(at))
				err := writer.Put(ctx, ended(of(pod, 0), time.Minute, 1), lines[60:])
				done = s.left.Load() > 0
				cancel()
				l, got := reader.only(t, pod)
				before, after := same(got, lines[:120]) && !l.Complete, same(got, lines[50:]) && l.Complete
				if l.Lines != len(got) || !before && !after || err == nil && !after {
					t.Errorf("stopped at %d (%v): got %+v, want the state before or after the put:\n%s", at, err, l, words(got))
				}
				s.left.Store(0)
				if err := writer.Put(t.Context(), ended(of(pod, 0), time.Minute, 1), lines[60:]); err != nil {
					t.Fatal(err)
				}
				if l, got := reader.only(t, pod); !same(got, lines[50:]) || l.LostLines != 50 {
					t.Errorf("stopped at %d: got %+v, want all of the lines, 50 lost:\n%s", at, l, words(got))
				}
				if at > 100 {
					t.Fatal("Put has no end")
				}
			}
		})
	}
}

// TestReadWhileWritten: a reader of a log that is being written gets its lines in order,
// none twice.
func TestReadWhileWritten(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		writer := joblog.NewAt(d.DB, joblog.Limits{}, nil, func() time.Time { return start }, 2000, 10)
		reader := &store{Store: writer, d: d}
		all := numbered(0, 200)
		var even []joblog.Line
		for i := 0; i < len(all); i += 2 {
			even = append(even, all[i])
		}
		reader.put(t, of("a", 0), even)
		l, _ := reader.only(t, "a")
		var last time.Time
		n := 0
		for line, err := range writer.Lines(t.Context(), l) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; !line.Time.After(last) {
				t.Fatalf("%v after %v", line, last)
			}
			if last = line.Time; n == 20 { // now the chunks that were read have the lines before the tenth
				reader.put(t, of("a", 0), all)
			}
		}
		if !last.Equal(all[199].Time) || n < 150 {
			t.Errorf("%d lines up to %v", n, last)
		}
	})
}
