package shard_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/record/shard"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// lease is the lease of the tests.
const lease = time.Second

// world is a database and its recorders, each of which only writes.
type world struct {
	*testing.T
	url string
	d   *sqldb.DB

	mu      sync.Mutex
	holders map[string]map[string]int // number of running holders by shard and member
}

func newWorld(t *testing.T, url string) *world {
	t.Helper()
	d, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &world{T: t, url: url, d: d, holders: map[string]map[string]int{}}
}

// recorder is a member of the group.
type recorder struct {
	*shard.Coordinator
	stop func() // leaves the group
}

// start starts a recorder that offers shards and writes for those that it holds.
func (w *world) start(name string, replicas int, shards ...int) *recorder {
	w.Helper()
	c, err := shard.New(shard.Config{DB: w.d, Name: name, Replicas: replicas, Lease: lease, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err != nil {
		w.Fatal(err)
	}
	coordinating, end := context.WithCancel(w.Context())
	recording, cancel := context.WithCancel(w.Context())
	var coordinator, work sync.WaitGroup
	coordinator.Go(func() {
		if err := c.Run(coordinating); err != nil {
			w.Error(err)
		}
	})
	for _, n := range shards {
		work.Go(func() { w.record(recording, c, n) })
	}
	stop := sync.OnceFunc(func() {
		cancel()
		work.Wait()
		end()
		coordinator.Wait()
	})
	w.Cleanup(stop)
	return &recorder{c, stop}
}

// record writes for a shard while the member holds it.
func (w *world) record(ctx context.Context, c *shard.Coordinator, n int) {
	o := c.Offer(model.Scope{Cluster: 1, Resource: int64(n)}, func() shard.Sample { return shard.Sample{Ready: true} })
	defer o.Withdraw()
	for {
		l, err := o.Acquire(ctx)
		if err != nil {
			return
		}
		w.note(n, c.Name(), 1)
		working, done := l.Context(ctx)
		for working.Err() == nil {
			err := w.d.Transact(ctx, func(tx *sqldb.Tx) error { return l.Fence(ctx, tx) })
			if errors.Is(err, shard.ErrLost) && working.Err() == nil {
				<-working.Done()
			}
			select {
			case <-working.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
		done()
		w.note(n, c.Name(), -1)
		l.Release()
	}
}

func (w *world) note(n int, member string, change int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := fmt.Sprint(n)
	if w.holders[key] == nil {
		w.holders[key] = map[string]int{}
	}
	if w.holders[key][member] += change; w.holders[key][member] > 1 {
		w.Errorf("%s records shard %d twice", member, n)
	}
}

// held returns the number of shards of each member, as "a:2 b:2".
func (w *world) held() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	sum := map[string]int{}
	for _, members := range w.holders {
		for m, n := range members {
			sum[m] += n
		}
	}
	var text []string
	for m, n := range sum {
		if n > 0 {
			text = append(text, fmt.Sprintf("%s:%d", m, n))
		}
	}
	slices.Sort(text)
	return strings.Join(text, " ")
}

// until waits until the members hold these numbers of shards.
func (w *world) until(want string) {
	w.Helper()
	patience.Until(w, want, func() string {
		if w.held() == want {
			return ""
		}
		shards, members, err := shard.List(w.Context(), w.d)
		return fmt.Sprintf("got %s; %+v %+v %v", w.held(), shards, members, err)
	})
}

// each runs a test in fake time, because members that are slow would be taken for dead.
func each(t *testing.T, test func(w *world)) {
	dbtest.Each(t, func(t *testing.T, url string) {
		synctest.Test(t, func(t *testing.T) { test(newWorld(t, url)) })
	})
}

// TestShared: members share the shards, and the others take over when a member leaves. Its
// shards do not wait for the end of the lease.
func TestShared(t *testing.T) {
	each(t, func(w *world) {
		a := w.start("a", 1, 1, 2, 3, 4)
		w.until("a:4")
		b := w.start("b", 1, 1, 2, 3, 4)
		w.until("a:2 b:2")
		if s := a.Stats(); s.Members != 2 || s.Shards != 4 || s.Offered != 4 || s.Held != 2 || s.Claimed != 4 || s.Released != 2 || s.Removed != 0 {
			w.Errorf("got %+v", s)
		}
		began := time.Now()
		b.stop()
		w.until("a:4")
		if d := time.Since(began); d >= lease {
			w.Errorf("the takeover lasted %v", d)
		}
	})
}

// TestReplicas: each shard has two holders, and gets another one when a member leaves.
func TestReplicas(t *testing.T) {
	each(t, func(w *world) {
		a := w.start("a", 2, 1, 2, 3)
		w.until("a:3")
		w.start("b", 2, 1, 2, 3)
		w.until("a:3 b:3")
		w.start("c", 2, 1, 2, 3)
		w.until("a:2 b:2 c:2")
		a.stop()
		w.until("b:3 c:3")
	})
}

// TestOffers: nobody gets a shard that they do not offer.
func TestOffers(t *testing.T) {
	each(t, func(w *world) {
		w.start("a", 1, 1, 2)
		w.start("b", 1, 3)
		w.until("a:2 b:1")
		shards, members, err := shard.List(w.Context(), w.d)
		if err != nil || len(shards) != 0 || len(members) != 2 { // the cluster and the types have no rows here
			w.Errorf("got %+v %+v %v", shards, members, err)
		}
	})
}

// member inserts a member that gives no sign of life and holds shards.
func (w *world) member(name string, shards ...int) (id int64) {
	w.Helper()
	return w.insert(name, true, shards...)
}

// insert inserts a member that gives no sign of life, and offers or holds shards.
func (w *world) insert(name string, holds bool, shards ...int) (id int64) {
	w.Helper()
	err := w.d.Transact(w.Context(), func(tx *sqldb.Tx) (err error) {
		change, err := model.ChangeShards(w.Context(), tx)
		if err != nil {
			return err
		}
		if id, err = change.Join(w.Context(), model.ShardMember{Name: name}, 0); err != nil {
			return err
		}
		for _, n := range shards {
			s, err := change.Ensure(w.Context(), model.Scope{Cluster: 1, Resource: int64(n)})
			if err != nil {
				return err
			}
			if err := change.Offer(w.Context(), s, id); err != nil {
				return err
			}
			if !holds {
				continue
			}
			if err := change.Hold(w.Context(), s, id, 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return id
}

// fenced reports whether a member may still write for a shard.
func (w *world) fenced(n int, member int64) (held bool) {
	w.Helper()
	err := w.d.Transact(w.Context(), func(tx *sqldb.Tx) error {
		change, err := model.ChangeShards(w.Context(), tx)
		if err != nil {
			return err
		}
		s, err := change.Ensure(w.Context(), model.Scope{Cluster: 1, Resource: int64(n)})
		if err == nil {
			held, err = model.FenceShard(w.Context(), tx, s, member)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return held
}

// TestDead: the shards of a member that stopped without a word are taken over after the
// lease and not before. When it wakes up, its writes are refused.
func TestDead(t *testing.T) {
	each(t, func(w *world) {
		dead := w.member("dead", 1, 2)
		if !w.fenced(1, dead) {
			w.Fatal("the member cannot write while it lives")
		}
		began := time.Now()
		w.start("a", 1, 1, 2)
		w.until("a:2")
		if d := time.Since(began); d < lease {
			w.Errorf("the takeover came after %v, before the end of the lease", d)
		}
		if w.fenced(1, dead) || w.fenced(2, dead) {
			w.Error("the dead member can still write")
		}
	})
}

// TestRemoved: a member that others removed ends its work, joins again, and gets its part.
func TestRemoved(t *testing.T) {
	each(t, func(w *world) {
		a := w.start("a", 1, 1, 2)
		w.until("a:2")
		err := w.d.Transact(w.Context(), func(tx *sqldb.Tx) error {
			change, err := model.ChangeShards(w.Context(), tx)
			if err != nil {
				return err
			}
			m, err := model.ShardMemberOf(w.Context(), tx, "a")
			if err == nil {
				err = change.Remove(w.Context(), m.ID, m.Beat)
			}
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
		patience.Until(w, "it records both shards again", func() string {
			if s := a.Stats(); s.Claimed < 4 || w.held() != "a:2" {
				return fmt.Sprintf("got %+v and %s", s, w.held())
			}
			return ""
		})
		if got := a.Stats().Removed; got != 1 {
			w.Errorf("it was removed %d times, want once", got)
		}
	})
}

// TestDatabaseRestored: members whose database was restored from a copy share the shards again, with
// members and shards that the copy lacks.
func TestDatabaseRestored(t *testing.T) {
	each(t, func(w *world) {
		w.start("a", 1, 1, 2)
		w.until("a:2")
		restore := dbtest.Backup(w.T, w.url, w.d.SQL())
		w.start("b", 1, 1, 2)
		w.until("a:1 b:1")
		c := w.start("c", 1, 3)
		w.until("a:1 b:1 c:1")
		c.stop()
		w.until("a:1 b:1")
		restore()
		w.start("d", 1, 4)
		w.until("a:1 b:1 d:1")
	})
}

// TestSameName: of two members with one name, the second one waits until the first one has
// ended.
func TestSameName(t *testing.T) {
	each(t, func(w *world) {
		a := w.start("a", 1, 1)
		w.until("a:1")
		other := w.start("a", 1, 2)
		<-time.After(2 * lease)
		if got := other.Stats().Claimed; got != 0 || w.held() != "a:1" {
			w.Errorf("the second one has %d shards, and the group %s", got, w.held())
		}
		a.stop()
		patience.Until(w, "the second one has a shard", func() string {
			if s := other.Stats(); s.Held != 1 {
				return fmt.Sprintf("got %+v", s)
			}
			return ""
		})
	})
}

// beats waits until members have given further signs of life. Five are a lease.
func (w *world) beats(n int64, members ...string) {
	w.Helper()
	for _, name := range members {
		var first, last int64
		read := func() (beat int64, err error) {
			err = w.d.Transact(w.Context(), func(tx *sqldb.Tx) error {
				m, err := model.ShardMemberOf(w.Context(), tx, name)
				beat = m.Beat
				return err
			})
			return beat, err
		}
		patience.NoError(w, "the database answers", func() (err error) {
			first, err = read()
			return err
		})
		patience.Until(w, name+" lives", func() string {
			var err error
			if last, err = read(); err != nil || last < first+n {
				return fmt.Sprintf("%d signs of life, error %v", last-first, err)
			}
			return ""
		})
	}
}

// TestOutage: while the database is away for longer than a lease, and when it is back, all
// members keep their shards.
func TestOutage(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		if kind == "sqlite" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			server := dbtest.Of(t, kind)
			w := newWorld(t, server.Empty(t))
			a, b := w.start("a", 1, 1, 2, 3, 4), w.start("b", 1, 1, 2, 3, 4)
			w.until("a:2 b:2")
			claimed := a.Stats().Claimed + b.Stats().Claimed
			server.Kill()
			select { // the outage is real time, because the server is a process
			case <-time.After(3 * lease):
			case <-t.Context().Done():
			}
			if err := server.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.beats(10, "a", "b")
			w.until("a:2 b:2")
			if s, o := a.Stats(), b.Stats(); s.Claimed+o.Claimed != claimed || s.Removed+o.Removed != 0 {
				t.Errorf("shards moved: %+v %+v", s, o)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	d := new(sqldb.DB)
	for _, c := range []struct {
		cfg  shard.Config
		want string
	}{
		{shard.Config{Name: "a"}, "DB is nil"},
		{shard.Config{DB: d, Name: strings.Repeat("a", 201)}, "the name has 201 bytes"},
		{shard.Config{DB: d, Name: "a", Replicas: -1}, "Replicas is -1"},
		{shard.Config{DB: d, Name: "a", Lease: time.Millisecond}, "Lease is 1ms"},
	} {
		if _, err := shard.New(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.cfg, err, c.want)
		}
	}
}

// TestSameShardTwice: if two targets of a process are the same shard, such as those of two
// contexts of one cluster, one of them is recorded, and nothing moves.
func TestSameShardTwice(t *testing.T) {
	each(t, func(w *world) {
		a := w.start("a", 1, 1, 1)
		w.until("a:1")
		<-time.After(2 * lease)
		if s := a.Stats(); s.Claimed != 1 || w.held() != "a:1" {
			w.Errorf("got %+v and %s, want one claim", s, w.held())
		}
	})
}

// TestSameShardLater: a second target that is the same shard begins while the first one holds
// it. The first one keeps it.
func TestSameShardLater(t *testing.T) {
	each(t, func(w *world) {
		a := w.start("a", 1, 1)
		w.until("a:1")
		ctx, cancel := context.WithCancel(w.Context())
		var work sync.WaitGroup
		defer work.Wait()
		defer cancel()
		work.Go(func() { w.record(ctx, a.Coordinator, 1) })
		<-time.After(2 * lease)
		if s := a.Stats(); s.Claimed != 1 || w.held() != "a:1" {
			w.Errorf("got %+v and %s, want one claim", s, w.held())
		}
	})
}
