package notify_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// receiver is a channel that calls a function for each message. It keeps the accepted
// messages.
type receiver struct {
	answer func(ctx context.Context, key string) error // nil accepts all
	rate   channel.Rate
	limit  time.Duration

	mu     sync.Mutex
	keys   []string // accepted messages, in order
	at     []time.Time
	tries  int
	closed int
}

func (r *receiver) Send(ctx context.Context, m *message.Message, _ channel.Receiver) (channel.Receipt, error) {
	r.mu.Lock()
	r.tries++
	answer := r.answer
	r.mu.Unlock()
	var err error
	if answer != nil {
		err = answer(ctx, m.ID)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.keys, r.at = append(r.keys, m.ID), append(r.at, time.Now())
	}
	return channel.Receipt{Status: "200"}, err
}

func (r *receiver) Traits() channel.Traits {
	return channel.Traits{Kind: "test", Rate: r.rate, Timeout: max(r.limit, 200*time.Millisecond)}
}

func (r *receiver) Check(context.Context) error { return nil }

func (r *receiver) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed++
	return nil
}

// arrived returns the keys of the accepted messages, in order.
func (r *receiver) arrived() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.keys)
}

// compose makes messages whose ID is the key.
func compose(_ context.Context, d *delivery.Delivery) (*message.Message, channel.Receiver, error) {
	return &message.Message{ID: d.Key}, channel.Receiver{Address: d.Receiver}, nil
}

// quick returns options for tests in real time. On a slow machine too, no claim of a live
// worker ends.
func quick(db *sqldb.DB, name string) notify.WorkerOptions {
	return notify.WorkerOptions{
		DB: db, Compose: compose, Name: name, Poll: 10 * time.Millisecond, Lease: time.Hour, Grace: 5 * time.Second,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Policy: delivery.Policy{Backoff: slices.Repeat([]time.Duration{5 * time.Millisecond}, 200), Pause: 5 * time.Millisecond, MaxPause: 20 * time.Millisecond},
	}
}

func openDB(t *testing.T, url string) *sqldb.DB {
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

// create creates n deliveries of a channel in some lanes. Their keys are lane/number.
func create(t *testing.T, db *sqldb.DB, name string, lanes, n int) (keys []string) {
	t.Helper()
	var all []delivery.Delivery
	for i := range n {
		d := delivery.Delivery{Key: fmt.Sprintf("%s/%d/%d", name, i%lanes, i), Kind: "Failed", Channel: name, Receiver: "a", Object: int64(i%lanes + 1), Event: []byte("{}")}
		all, keys = append(all, d), append(keys, d.Key)
	}
	err := db.Transact(t.Context(), func(tx *sqldb.Tx) error {
		_, err := delivery.Create(t.Context(), tx, all)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// start runs workers until the test ends or stop is called.
func start(t *testing.T, o notify.WorkerOptions, channels map[string]channel.Channel) (w *notify.Workers, stop func()) {
	t.Helper()
	w = notify.NewWorkers(o, channels)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return w, stop
}

// wait waits until the receiver has accepted n messages.
func (r *receiver) wait(t *testing.T, n int) {
	t.Helper()
	patience.Until(t, fmt.Sprintf("%d messages arrive", n), func() string {
		if got := len(r.arrived()); got < n {
			return fmt.Sprintf("%d arrived", got)
		}
		return ""
	})
}

// finished waits until all deliveries are finished.
func finished(t *testing.T, db *sqldb.DB) {
	t.Helper()
	patience.Until(t, "all deliveries are finished", func() string {
		if n := unsent(t, db); n > 0 {
			return fmt.Sprintf("%d are left", n)
		}
		return ""
	})
}

// unsent returns how many deliveries are not finished.
func unsent(t *testing.T, db *sqldb.DB) (n int) {
	t.Helper()
	counts, err := delivery.Counts(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range counts {
		if c.State != delivery.Dead {
			n += c.N
		}
	}
	return n
}

// inOrder reports the lanes whose keys did not first arrive in the order of their numbers.
func inOrder(t *testing.T, keys []string) {
	t.Helper()
	seen, last := map[string]bool{}, map[string]int{}
	for _, k := range keys {
		if seen[k] {
			continue // a repeat, after a crash of a worker
		}
		seen[k] = true
		lane := k[:strings.LastIndex(k, "/")]
		var n int
		if _, err := fmt.Sscanf(k[len(lane)+1:], "%d", &n); err != nil {
			t.Fatal(err)
		}
		if before, any := last[lane]; any && n < before {
			t.Errorf("lane %s: %d after %d", lane, n, before)
		}
		last[lane] = n
	}
}

// TestHardReceiver: two replicas send through a receiver that fails, stalls, throttles and
// panics at random. Every message arrives in the order of its lane, except those that
// panicked.
func TestHardReceiver(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := openDB(t, url)
		keys := create(t, db, "hard", 20, 300)
		random, faults := testinput.Rand(t), map[string][]int{}
		for _, k := range keys { // the last fault of a message is none, or a panic
			for n := 0; n < 14; faults[k] = append(faults[k], n) {
				n = random.IntN(100)
			}
		}
		var mu sync.Mutex
		poisoned := map[string]bool{}
		var arrived []string // by both replicas
		fault := func(key string) int {
			mu.Lock()
			defer mu.Unlock()
			if len(faults[key]) == 0 {
				return 100
			}
			n := faults[key][0]
			faults[key] = faults[key][1:]
			return n
		}
		answer := func(ctx context.Context, key string) error {
			switch n := fault(key); {
			case n < 10:
				return &channel.Error{Kind: channel.Temporary, Status: "500", Err: errors.New("down")}
			case n < 12:
				return &channel.Error{Kind: channel.Throttled, Status: "429", RetryAfter: 20 * time.Millisecond}
			case n < 14:
				<-ctx.Done()
				return ctx.Err()
			case n < 17:
				mu.Lock()
				poisoned[key] = true
				mu.Unlock()
				panic("at the disco")
			}
			mu.Lock()
			arrived = append(arrived, key)
			mu.Unlock()
			return nil
		}
		one, two := &receiver{answer: answer}, &receiver{answer: answer}
		w, stopOne := start(t, quick(db, "one"), map[string]channel.Channel{"hard": one})
		_, stopTwo := start(t, quick(db, "two"), map[string]channel.Channel{"hard": two})
		finished(t, db)
		stats := w.Stats()["hard"]
		stopOne()
		stopTwo()
		inOrder(t, arrived)
		seen := map[string]bool{}
		for _, k := range arrived {
			if seen[k] {
				t.Errorf("%s arrived twice", k)
			}
			seen[k] = true
		}
		for _, k := range keys {
			if seen[k] == poisoned[k] {
				t.Errorf("%s: arrived %v, panicked %v; want exactly one of them", k, seen[k], poisoned[k])
			}
		}
		if one.closed != 1 || two.closed != 1 || len(one.keys)+len(two.keys) != len(arrived) {
			t.Errorf("closed %d, %d times; sent %d, %d", one.closed, two.closed, len(one.keys), len(two.keys))
		}
		if stats.Sent != uint64(len(one.keys)) || stats.Latency.Count() < stats.Sent || stats.Lag.Count() != stats.Sent || stats.Rescued+stats.Lost > 0 {
			t.Errorf("got %+v, want each message sent and counted once", stats)
		}
	})
}

// TestSlowChannel: a channel that never responds delays no other channel.
func TestSlowChannel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := openDB(t, url)
		create(t, db, "slow", 50, 100)
		slow := &receiver{limit: 30 * time.Second, answer: func(ctx context.Context, _ string) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		fast := &receiver{}
		o := quick(db, "one")
		o.Grace = 50 * time.Millisecond
		w, stop := start(t, o, map[string]channel.Channel{"slow": slow, "fast": fast})
		patience.Until(t, "the slow channel is busy", func() string {
			if n := w.Stats()["slow"].Active; n <= 8 {
				return fmt.Sprintf("it has %d tries", n)
			}
			return ""
		})
		keys := create(t, db, "fast", 10, 200)
		w.Wake("fast")
		fast.wait(t, len(keys))
		inOrder(t, fast.arrived())
		stop()
		if n := unsent(t, db); n != 100 {
			t.Errorf("%d messages of the slow channel are left, want 100", n)
		}
		all, err := delivery.List(t.Context(), db, delivery.Filter{States: []delivery.State{delivery.Sending}})
		if err != nil || len(all) > 0 {
			t.Errorf("%d claims are left after the end, %v", len(all), err)
		}
	})
}

// TestDeadWorker: another worker takes over the claims of a crashed worker, and sends with
// the same keys. A late result of the crashed worker has no effect.
func TestDeadWorker(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := openDB(t, url)
		keys := create(t, db, "chat", 5, 10)
		dead, err := delivery.Claim(t.Context(), db, "chat", delivery.ClaimOptions{Worker: "dead", Limit: 3, Lease: 300 * time.Millisecond})
		if err != nil || len(dead.Deliveries) != 3 {
			t.Fatalf("claim: got %+v and error %v, want 3", dead, err)
		}
		r := &receiver{}
		w, _ := start(t, quick(db, "one"), map[string]channel.Channel{"chat": r})
		finished(t, db)
		got := r.arrived()
		inOrder(t, got)
		slices.Sort(got)
		if slices.Sort(keys); !slices.Equal(got, keys) || w.Stats()["chat"].Rescued != 3 {
			t.Errorf("arrived %q with %+v, want each message once, 3 of them rescued", got, w.Stats()["chat"])
		}
		f, err := delivery.Finish(t.Context(), db, "chat", []delivery.Outcome{{Delivery: dead.Deliveries[0], Result: delivery.Permanent}}, delivery.Policy{})
		if err != nil || f.Lost != 1 || f.Dead != 0 {
			t.Errorf("the crashed worker's result: %+v, %v", f, err)
		}
	})
}

// TestSetChannels: a replaced channel is closed when its tries have ended; the other
// channels continue.
func TestSetChannels(t *testing.T) {
	db := openDB(t, "sqlite:"+t.TempDir()+"/history.db")
	before, after, kept := &receiver{}, &receiver{}, &receiver{}
	w, stop := start(t, quick(db, "one"), map[string]channel.Channel{"a": before, "b": kept})
	create(t, db, "a", 1, 1)
	before.wait(t, 1)
	w.SetChannels(map[string]channel.Channel{"a": after, "b": kept, "c": &receiver{}})
	patience.True(t, "the old channel is closed", func() bool {
		before.mu.Lock()
		defer before.mu.Unlock()
		return before.closed == 1
	})
	create(t, db, "a", 1, 3)
	after.wait(t, 2) // the first key is a repeat
	if got := slices.Sorted(maps.Keys(w.Stats())); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("statistics of %q", got)
	}
	stop()
	if before.closed != 1 || after.closed != 1 || kept.closed != 1 {
		t.Errorf("closed %d, %d and %d times, want once each", before.closed, after.closed, kept.closed)
	}
}

// TestCreateWhileSending: the planner adds to lanes while their deliveries are sent. All
// of them are sent.
func TestCreateWhileSending(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := openDB(t, url)
		r := &receiver{}
		w, stop := start(t, quick(db, "one"), map[string]channel.Channel{"chat": r})
		n := 0
		for range 60 {
			var all []delivery.Delivery
			for range 5 {
				all = append(all, delivery.Delivery{Key: fmt.Sprintf("chat/%d/%d", n%3, n), Kind: "Failed", Channel: "chat", Object: int64(n%3 + 1), Event: []byte("{}")})
				n++
			}
			patience.NoError(t, "the planner commits", func() error {
				return db.Transact(t.Context(), func(tx *sqldb.Tx) error {
					_, err := delivery.Create(t.Context(), tx, all)
					return err
				})
			})
			w.Wake("chat")
		}
		r.wait(t, n)
		stop()
		inOrder(t, r.arrived())
	})
}

// TestOutageOfDatabase: workers continue when the server is back, and no message is sent
// with another key. A message whose result was not stored is sent again.
func TestOutageOfDatabase(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		server := dbtest.Of(t, kind)
		if server == nil {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			db := openDB(t, dbtest.Empty(t, kind))
			keys := create(t, db, "chat", 20, 400)
			r := &receiver{answer: func(ctx context.Context, _ string) error {
				select {
				case <-time.After(10 * time.Millisecond): // an input: a send takes some time
				case <-ctx.Done():
				}
				return ctx.Err()
			}}
			log := &logBuffer{}
			o := quick(db, "one")
			o.Parallel, o.Lease = 8, 10*time.Second // claims whose answer the outage took end
			o.Logger = slog.New(slog.NewTextHandler(log, nil))
			_, stop := start(t, o, map[string]channel.Channel{"chat": r})
			r.wait(t, 51)
			server.Kill()
			patience.True(t, "the workers notice the outage", func() bool { return log.count("cannot be claimed or stored") > 0 })
			if err := server.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			patience.Until(t, "all are sent", func() string {
				counts, err := delivery.Counts(t.Context(), db)
				if err != nil || len(counts) > 0 {
					return fmt.Sprintf("%+v, %v", counts, err)
				}
				return ""
			})
			stop()
			got := r.arrived()
			inOrder(t, got)
			slices.Sort(got)
			slices.Sort(keys)
			if !slices.Equal(slices.Compact(got), keys) || len(r.arrived()) > len(keys)+o.Parallel*4 {
				t.Errorf("%d arrived, want %d", len(r.arrived()), len(keys))
			}
			if n := log.count("cannot be claimed or stored"); n < 1 || n > 3 {
				t.Errorf("%d lines about the database:\n%s", n, log.b.String())
			}
		})
	}
}
