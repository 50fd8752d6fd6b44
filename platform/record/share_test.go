package record_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/record/shard"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/reflector"
)

// sharer is a recorder that shares its targets.
type sharer struct {
	*record.Recorder
	shards *shard.Coordinator
	stop   func()
}

// share runs a recorder that shares pods and ConfigMaps.
func (w *world) share(name string, replicas int) *sharer {
	w.t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	c, err := shard.New(shard.Config{DB: w.d, Name: name, Replicas: replicas, Lease: time.Second, Logger: quiet})
	if err != nil {
		w.t.Fatal(err)
	}
	quick := reflector.Config{MinBackoff: time.Millisecond, MaxBackoff: 10 * time.Millisecond, SlowRetry: 20 * time.Millisecond}
	r, err := record.New(w.d, record.Config{
		Cluster: w.cluster, Targets: []record.Target{{Type: "pods"}, {Type: "configmaps"}}, Reflector: quick, MonitorInterval: 20 * time.Millisecond, Start: w.start, Logger: quiet, Shards: c,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	coordinating, leave := context.WithCancel(w.t.Context())
	var recording, coordinator sync.WaitGroup
	coordinator.Go(func() {
		if err := c.Run(coordinating); err != nil {
			w.t.Error(err)
		}
	})
	recording.Go(func() {
		if err := r.Run(ctx); err != nil {
			w.t.Error(err)
		}
	})
	stop := sync.OnceFunc(func() {
		cancel()
		recording.Wait()
		leave()
		coordinator.Wait()
	})
	w.t.Cleanup(stop)
	return &sharer{r, c, stop}
}

// remove makes the other recorders take a member for dead.
func (w *world) remove(name string) {
	w.t.Helper()
	err := w.d.Transact(w.t.Context(), func(tx *sqldb.Tx) error {
		change, err := model.ChangeShards(w.t.Context(), tx)
		if err != nil {
			return err
		}
		m, err := model.ShardMemberOf(w.t.Context(), tx, name)
		if err == nil {
			err = change.Remove(w.t.Context(), m.ID, m.Beat)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// await waits for a condition. A failure shows the plan of the recorders.
func (w *world) await(what string, met func() bool) {
	w.t.Helper()
	patience.Until(w.t, what, func() string {
		if met() {
			return ""
		}
		shards, members, err := shard.List(w.t.Context(), w.d)
		return fmt.Sprintf("%+v %+v %v", shards, members, err)
	})
}

// standby returns the number of targets that a recorder leaves to others.
func (s *sharer) standby() (n int) {
	for _, t := range s.Health().Targets {
		if t.Standby {
			n++
		}
	}
	return n
}

// TestShares: two recorders divide two types. Whoever is stopped or removed, while pods
// change, each change is recorded once, and no gap remains.
func TestShares(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		w.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "c"}})
		a, b := w.share("a", 1), w.share("b", 1)
		divided := func() bool {
			return a.standby() == 1 && b.standby() == 1 && a.shards.Stats().Held == 1 && b.shards.Stats().Held == 1
		}
		w.await("each records one type", divided)
		const ofPod = "SELECT t.from_state, t.to_state FROM transitions t JOIN objects o ON o.id = t.object_id WHERE o.name = 'a' ORDER BY t.version"
		want := []string{" Queued"}
		w.until(ofPod, want...)
		phases := []corev1.PodPhase{"Running", "Pending"}
		states := []string{"Queued", "Running"}
		for n := range 40 {
			w.phase("a", phases[n%2])
			want = append(want, fmt.Sprintf("%s %s", states[n%2], states[(n+1)%2]))
			switch n % 10 {
			case 3:
				w.remove([]string{"a", "b"}[n/10%2])
			case 6:
				if n < 20 {
					a.stop()
					a = w.share("a", 1)
				} else {
					b.stop()
					b = w.share("b", 1)
				}
			case 9:
				w.await("each records one type again", divided)
			}
		}
		w.until(ofPod, want...)
		w.until("SELECT cause FROM gaps")
	})
}

// TestShareLost: a recorder that was removed writes nothing more, not even changes that it
// has received before.
func TestShareLost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		a := w.share("a", 2)
		w.await("it records", func() bool { h := a.Health(); return a.standby() == 0 && h.Ready() })
		before := a.Health().Targets[0].Batches
		w.remove("a")
		w.phase("a", "Running")
		w.await("it joins again", func() bool { return a.shards.Stats().Removed > 0 && a.standby() == 0 })
		w.until(transitions, "a  Queued", "a Queued Running")
		if got := w.rows("SELECT batches FROM shard_offers WHERE batches > 0"); len(got) == 0 {
			t.Error("the batches were not fenced")
		}
		w.await("the counters grow", func() bool { return a.Health().Targets[0].Batches > before })
	})
}

// TestLastingGapOfFormerHolder: a gap that a recorder began, because it lacked rights, ends
// when another one records the shard.
func TestLastingGapOfFormerHolder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		a := w.share("a", 1)
		w.until("SELECT COUNT(*) FROM coverage", "2")
		a.stop()
		err := w.d.Transact(t.Context(), func(tx *sqldb.Tx) error {
			_, err := tx.Exec(t.Context(), "INSERT INTO gaps (cluster_id, resource_id, namespace, selector_hash, recorder, cause, from_version, to_version, from_at, to_at, detail, healed_at)"+
				" SELECT cluster_id, resource_id, namespace, selector_hash, 'a', 'denied', to_version, 0, to_at, 0, '', 0 FROM coverage")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		b := w.share("b", 1)
		w.await("another one records it", func() bool { return b.shards.Stats().Held == 2 })
		w.phase("a", "Running")
		w.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "c"}})
		w.until("SELECT COUNT(*) FROM gaps WHERE healed_at = 0", "0")
		if got := w.rows("SELECT cause FROM gaps"); len(got) != 2 {
			t.Errorf("got the gaps %q, want two", got)
		}
	})
}

// TestShareNotJoined: a recorder that could not join, because a silent member has its name, is
// neither ready nor a standby, and says why. Beside a recorder that works, another one is a standby.
func TestShareNotJoined(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		stop := make(chan struct{})
		var beats sync.WaitGroup
		defer beats.Wait()
		defer close(stop)
		var id int64
		err := w.d.Transact(t.Context(), func(tx *sqldb.Tx) error {
			change, err := model.ChangeShards(t.Context(), tx)
			if err == nil {
				id, err = change.Join(t.Context(), model.ShardMember{Name: "a"}, 0)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		beats.Go(func() { // the other recorder of this name lives, and records nothing
			for {
				select {
				case <-stop:
					return
				case <-time.After(100 * time.Millisecond): // an input: the signs of life of the other recorder
					_ = w.d.Transact(context.Background(), func(tx *sqldb.Tx) error {
						_, err := model.BeatShardMember(context.Background(), tx, id, "a", 0)
						return err
					})
				}
			}
		})
		a := w.share("a", 1)
		w.await("it has offered its targets, and says why it has not joined", func() bool {
			for _, t := range a.Health().Targets {
				if t.Err == nil || !strings.Contains(t.Err.Error(), `the name "a" belongs to a recorder that may be alive`) || t.Standby || t.Ready {
					return false
				}
			}
			return true
		})
		if h := a.Health(); h.Ready() {
			t.Errorf("a recorder that has not joined is ready: %+v", h)
		}
		b := w.share("b", 1)
		w.await("b records", func() bool { h := b.Health(); return h.Ready() && b.standby() == 0 })
		c := w.share("c", 1)
		w.await("each of two records one type", func() bool {
			return b.standby() == 1 && c.standby() == 1 && b.shards.Stats().Held == 1 && c.shards.Stats().Held == 1
		})
	})
}
