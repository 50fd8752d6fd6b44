package notify_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// inTime runs a test in fake time. The database is opened and closed within it.
func inTime(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	url := "sqlite:" + t.TempDir() + "/history.db"
	synctest.Test(t, func(t *testing.T) { test(t, openDB(t, url)) })
}

// inTimeEach is inTime with a database of each selected kind. The time stops while a
// goroutine waits for a server.
func inTimeEach(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	dbtest.Each(t, func(t *testing.T, url string) {
		synctest.Test(t, func(t *testing.T) { test(t, openDB(t, url)) })
	})
}

// logBuffer is a log that several goroutines write.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// count returns how many lines contain a text.
func (l *logBuffer) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), text)
}

// slow returns options for fake time, with the default times but fewer polls.
func slow(db *sqldb.DB, name string, log io.Writer) notify.WorkerOptions {
	return notify.WorkerOptions{DB: db, Compose: compose, Name: name, Poll: 5 * time.Second, Logger: slog.New(slog.NewTextHandler(log, nil))}
}

// TestRateOfReplicas: two replicas together do not exceed the rate limit of a channel.
func TestRateOfReplicas(t *testing.T) {
	inTime(t, func(t *testing.T, db *sqldb.DB) {
		create(t, db, "chat", 60, 60)
		r := &receiver{rate: channel.Rate{Count: 10, Per: time.Minute}}
		w := &receiver{rate: r.rate}
		_, stopOne := start(t, slow(db, "one", io.Discard), map[string]channel.Channel{"chat": r})
		_, stopTwo := start(t, slow(db, "two", io.Discard), map[string]channel.Channel{"chat": w})
		<-time.After(8 * time.Minute)
		stopOne()
		stopTwo()
		all := append(r.at, w.at...)
		for _, from := range all {
			n := 0
			for _, at := range all {
				if !at.Before(from) && at.Before(from.Add(time.Minute-time.Second)) {
					n++
				}
			}
			if n > 10 {
				t.Fatalf("%d messages within a minute", n)
			}
		}
		if len(all) != 60 {
			t.Errorf("%d messages were sent in 8 minutes, want all 60", len(all))
		}
	})
}

// TestOutageOfChannel: while a channel is down, few tries reach it and few lines are
// logged. Afterwards all messages are sent, in order, and no delivery is a dead letter.
func TestOutageOfChannel(t *testing.T) {
	inTime(t, func(t *testing.T, db *sqldb.DB) {
		create(t, db, "chat", 10, 100)
		var mu sync.Mutex
		down := true
		r := &receiver{answer: func(context.Context, string) error {
			mu.Lock()
			defer mu.Unlock()
			if down {
				return errors.New("connection refused")
			}
			return nil
		}}
		log := &logBuffer{}
		o := slow(db, "one", log)
		o.Poll = time.Minute
		_, stop := start(t, o, map[string]channel.Channel{"chat": r})
		<-time.After(24 * time.Hour)
		mu.Lock()
		down = false
		mu.Unlock()
		if r.mu.Lock(); r.tries < 100 || r.tries > 300 {
			t.Errorf("%d tries in a day", r.tries)
		}
		r.mu.Unlock()
		<-time.After(21 * time.Minute)
		stop()
		if n := len(r.arrived()); n != 100 {
			t.Errorf("%d messages were sent after the outage, want 100", n)
		}
		inOrder(t, r.arrived())
		if begun, over := log.count("does not take messages"), log.count("takes messages again"); begun != 1 || over != 1 {
			t.Errorf("got %d lines that the fault began and %d that it ended, want 1 each:\n%s", begun, over, log.b.String())
		}
	})
}

// TestDisabled: a channel that rejects its receiver permanently gets nothing until a
// person enables it. This is logged, also after a restart.
func TestDisabled(t *testing.T) {
	inTime(t, func(t *testing.T, db *sqldb.DB) {
		create(t, db, "hook", 1, 3)
		r := &receiver{answer: func(context.Context, string) error {
			return &channel.Error{Kind: channel.Disabled, Status: "HTTP 410"}
		}}
		log := &logBuffer{}
		_, stop := start(t, slow(db, "one", log), map[string]channel.Channel{"hook": r})
		<-time.After(time.Hour)
		stop()
		w, stop := start(t, slow(db, "one", log), map[string]channel.Channel{"hook": r})
		<-time.After(time.Hour)
		if r.tries != 1 || log.count("fault=disabled") != 2 || w.Stats()["hook"].Channel.DisabledAt.IsZero() {
			t.Errorf("got %d tries and %d lines, want 1 try, 2 lines and the channel disabled", r.tries, log.count("fault=disabled"))
		}
		r.mu.Lock()
		r.answer = nil
		r.mu.Unlock()
		if err := delivery.Enable(t.Context(), db, "hook", "liwei"); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * time.Minute)
		stop()
		if n := len(r.arrived()); n != 3 {
			t.Errorf("%d messages were sent by the enabled channel, want 3", n)
		}
		if log.count("takes messages again") != 1 {
			t.Errorf("the end of the fault is not logged:\n%s", log.b.String())
		}
	})
}

// TestPanic: a panic gives a dead letter with the position of the panic, without the
// value.
func TestPanic(t *testing.T) {
	inTime(t, func(t *testing.T, db *sqldb.DB) {
		create(t, db, "chat", 1, 2)
		r := &receiver{}
		o := slow(db, "one", io.Discard)

		o.Compose = func(ctx context.Context, d *delivery.Delivery) (*message.Message, channel.Receiver, error) {
			if d.Key == "chat/0/0" {
				panic("the password is secret")
			}
			return compose(ctx, d)
		}
		_, stop := start(t, o, map[string]channel.Channel{"chat": r})
		<-time.After(time.Minute)
		stop()
		if n := len(r.arrived()); n != 1 {
			t.Errorf("%d messages were sent, want the one after the panic", n)
		}
		all, err := delivery.List(t.Context(), db, delivery.Filter{States: []delivery.State{delivery.Dead}})
		if err != nil || len(all) != 1 || !strings.Contains(all[0].LastError, "TestPanic") || strings.Contains(all[0].LastError, "password") {
			t.Errorf("got %+v and error %v, want one dead message with the place of the panic, without the password", all, err)
		}
	})
}

// TestKeeper: old deliveries are removed, unsent ones stay, and deliveries for
// unconfigured channels are logged.
func TestKeeper(t *testing.T) {
	inTime(t, func(t *testing.T, db *sqldb.DB) {
		create(t, db, "chat", 1, 3)
		create(t, db, "gone", 1, 1)
		r := &receiver{}
		log := &logBuffer{}
		o := slow(db, "one", log)
		o.Poll, o.Lease, o.Keep = time.Hour, 4*time.Hour, 6*time.Hour
		_, stop := start(t, o, map[string]channel.Channel{"chat": r})
		<-time.After(5 * time.Hour)
		list := func() int {
			all, err := delivery.List(t.Context(), db, delivery.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			return len(all)
		}
		if n := list(); n != 4 {
			t.Errorf("%d deliveries after 5 hours", n)
		}
		<-time.After(3 * time.Hour)
		stop()
		if n := list(); n != 1 || log.count("deliveries=3") != 1 || log.count("channel gone: 1 deliveries") != 1 {
			t.Errorf("%d deliveries after 8 hours:\n%s", n, log.b.String())
		}
	})
}

// TestSlowSend: workers extend the claims of sends that take longer than the lease, so no
// other replica sends the same message.
func TestSlowSend(t *testing.T) {
	inTimeEach(t, func(t *testing.T, db *sqldb.DB) {
		keys := create(t, db, "slow", 4, 4)
		answer := func(ctx context.Context, _ string) error {
			select {
			case <-time.After(15 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		one, two := &receiver{limit: time.Minute, answer: answer}, &receiver{limit: time.Minute, answer: answer}
		for name, r := range map[string]*receiver{"one": one, "two": two} {
			o := slow(db, name, io.Discard)
			o.Poll, o.Lease = 100*time.Millisecond, 4*time.Second
			start(t, o, map[string]channel.Channel{"slow": r})
		}
		<-time.After(20 * time.Second)
		if n := unsent(t, db); n > 0 {
			t.Errorf("%d messages are not sent", n)
		}
		got := slices.Concat(one.arrived(), two.arrived())
		slices.Sort(got)
		if slices.Sort(keys); !slices.Equal(got, keys) || one.tries+two.tries != len(keys) {
			t.Errorf("got %d tries, arrived %q; want each message once", one.tries+two.tries, got)
		}
	})
}

// TestWake: a woken sender does not wait for its next poll.
func TestWake(t *testing.T) {
	inTime(t, func(t *testing.T, db *sqldb.DB) {
		r := &receiver{}
		o := slow(db, "one", io.Discard)
		o.Poll, o.Lease = time.Hour, 10*time.Hour
		w, stop := start(t, o, map[string]channel.Channel{"chat": r, "mail": &receiver{}})
		<-time.After(time.Minute)
		create(t, db, "chat", 2, 2)
		w.Wake()
		<-time.After(time.Second)
		if n := len(r.arrived()); n != 2 {
			t.Errorf("%d messages were sent at once, want 2", n)
		}
		create(t, db, "mail", 2, 2)
		w.Wake("chat")
		<-time.After(time.Minute)
		if n := unsent(t, db); n != 2 {
			t.Errorf("%d deliveries are left, want 2: mail was not woken", n)
		}
		stop()
	})
}

// TestComposeErrors: a message that cannot be composed waits between its tries, does not
// affect the state of the channel, and delays no other message.
func TestComposeErrors(t *testing.T) {
	inTime(t, func(t *testing.T, db *sqldb.DB) {
		keys := create(t, db, "chat", 4, 4)
		answers := map[string]error{
			keys[0]: errors.New("away"), keys[1]: &channel.Error{Kind: channel.Throttled}, keys[2]: &channel.Error{Kind: channel.Permanent, Err: errors.New("nobody has this name")},
		}
		var mu sync.Mutex
		calls := map[string]int{}
		r := &receiver{}
		o := slow(db, "one", io.Discard)
		o.Compose = func(ctx context.Context, d *delivery.Delivery) (*message.Message, channel.Receiver, error) {
			mu.Lock()
			defer mu.Unlock()
			if calls[d.Key]++; answers[d.Key] != nil {
				return nil, channel.Receiver{}, answers[d.Key]
			}
			return compose(ctx, d)
		}
		w, stop := start(t, o, map[string]channel.Channel{"chat": r})
		<-time.After(time.Hour)
		stop()
		s := w.Stats()["chat"]
		if calls[keys[0]] != 4 || calls[keys[1]] != 4 || calls[keys[2]] != 1 || len(r.arrived()) != 1 || s.Composing != 9 || s.Dead != 1 || s.Channel.Failures != 0 || r.tries != 1 {
			t.Errorf("got calls %v, arrived %q, %+v; want 4, 4 and 1 calls, one arrived and one dead", calls, r.arrived(), s)
		}
	})
}
