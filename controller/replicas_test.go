package controller_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

const leaseFor = 15 * time.Second

// ward is the world in which replicas work. It checks that no two replicas reconcile a key
// at the same time, and that tokens grow from owner to owner.
type ward struct {
	t      *testing.T
	took   time.Duration // duration of a reconcile
	mu     sync.Mutex
	busy   map[wire.Key]string
	owner  map[wire.Key]string
	tokens map[wire.Key]uint64
	done   map[wire.Key][]string // names of replicas, in order
	cut    map[wire.Key]int      // reconciles whose context ended
}

func newWard(t *testing.T, took time.Duration) *ward {
	return &ward{
		t: t, took: took, busy: map[wire.Key]string{}, owner: map[wire.Key]string{}, tokens: map[wire.Key]uint64{},
		done: map[wire.Key][]string{}, cut: map[wire.Key]int{},
	}
}

// reconcile is the reconcile function of a replica.
func (w *ward) reconcile(ctx context.Context, name string, r controller.Request) error {
	w.mu.Lock()
	if other := w.busy[r.Key]; other != "" {
		w.t.Errorf("%s begins key %v while %s reconciles it", name, r.Key, other)
	}
	if last, owner := w.tokens[r.Key], w.owner[r.Key]; r.Token < last || owner != name && owner != "" && r.Token <= last {
		w.t.Errorf("%s has key %v with token %d; %s had it with token %d", name, r.Key, r.Token, owner, last)
	}
	w.busy[r.Key], w.owner[r.Key], w.tokens[r.Key] = name, name, r.Token
	took := w.took
	w.mu.Unlock()
	var err error
	select {
	case <-time.After(took):
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy[r.Key] = ""
	if err != nil {
		w.cut[r.Key]++
		return err
	}
	w.done[r.Key] = append(w.done[r.Key], name)
	return nil
}

// take returns the number of keys reconciled since the last call, and the number by replica.
func (w *ward) take() (keys int, by map[string]int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	by = map[string]int{}
	for _, who := range w.done {
		by[who[len(who)-1]]++
	}
	keys = len(w.done)
	w.done = map[wire.Key][]string{}
	return keys, by
}

// takes sets the duration of reconciles that begin after the call.
func (w *ward) takes(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.took = d
}

func (w *ward) cuts(name string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut[key(name)]
}

// replica is one of several processes.
type replica struct {
	*controller.Controller
	name string
	stop func()
}

// replica starts a replica that connects as its own user.
func (w *world) replica(ward *ward, name, token string, mode controller.ReplicaMode) *replica {
	return w.replicaOf(4, ward, name, token, mode)
}

// replicaOf starts a replica with a number of workers.
func (w *world) replicaOf(workers int, ward *ward, name, token string, mode controller.ReplicaMode) *replica {
	cluster := w.connect(token)
	w.t.Cleanup(cluster.Close)
	pods := legal(informer.Watch[corev1.Pod](cluster, informer.Config{}))
	c := must[*controller.Controller](w.t)(controller.New(controller.Config{
		Name: "test", Workers: workers, Grace: 2 * time.Second, Runners: []controller.Runner{pods}, Logger: slog.New(&w.logs),
		Reconcile: func(ctx context.Context, _ informer.View, r controller.Request) error {
			return ward.reconcile(ctx, name, r)
		},
		Replicas: controller.Replicas{Mode: mode, Cluster: cluster, Identity: name, LeaseDuration: leaseFor},
	}, controller.Objects(pods)))
	return &replica{c, name, w.run(c)}
}

// cut makes the Leases unreachable for a user.
func (w *world) cut(user string) *apitest.Injection {
	return w.inject(apitest.Fault{Times: apitest.Always, Action: apitest.Hang(), Match: apitest.Match{
		Resource: "leases", Where: func(r apitest.Request) bool { return r.User == user },
	}})
}

func (w *world) touchAll(n int) {
	for i := range n {
		w.touch(fmt.Sprint("pod-", i))
	}
}

func active(replicas ...*replica) (names []string) {
	for _, r := range replicas {
		if r.Health().Replica.Active {
			names = append(names, r.name)
		}
	}
	return names
}

// TestElection: one replica leads and the other has synced informers. When the first one
// leaves, the other takes over all keys at once.
func TestElection(t *testing.T) {
	inWorld(t, func(w *world) {
		const n = 20
		for i := range n {
			w.create(pod(fmt.Sprint("pod-", i)))
		}
		ward := newWard(t, 10*time.Millisecond)
		one := w.replica(ward, "one", "1", controller.LeaderElection)
		pass(time.Second)
		two := w.replica(ward, "two", "2", controller.LeaderElection)
		pass(time.Minute)
		if keys, by := ward.take(); keys != n || by["one"] != n {
			t.Errorf("got %d keys, %v, want %d keys of the first replica", keys, by, n)
		}
		h := two.Health()
		if h.Replica.Active || h.Ready() != nil || !h.Sources[0].Synced || h.Replica.Leader != one.Health().Replica.Identity {
			t.Errorf("second replica: want synced, ready and not active: %+v, %v", h.Replica, h.Ready())
		}
		w.touch("pod-1")
		pass(time.Second)
		if keys, by := ward.take(); keys != 1 || by["one"] != 1 {
			t.Errorf("got %d keys, %v, want 1 key of the first replica", keys, by)
		}
		one.stop()
		pass(leaseFor / 4)
		if keys, by := ward.take(); keys != n || by["two"] != n {
			t.Errorf("after the first replica has left: got %d keys, %v, want %d of the second", keys, by, n)
		}
		if h := two.Health().Replica; !h.Active || h.Token == 0 || h.Terms != 1 {
			t.Errorf("want an active replica in its first term: %+v", h)
		}
	})
}

// TestLeaderIsCutOff: a leader that cannot renew its lease stops before another begins. The
// successor reconciles the keys that the leader did not finish, also those of deleted
// objects.
func TestLeaderIsCutOff(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("pod-0"), pod("pod-1"))
		ward := newWard(t, 3*time.Second)
		one := w.replica(ward, "one", "1", controller.LeaderElection)
		pass(time.Second)
		two := w.replica(ward, "two", "2", controller.LeaderElection)
		pass(time.Minute)
		ward.take()
		ward.takes(time.Hour) // only its context ends the reconcile
		cut := w.cut("one")
		w.touch("pod-0")
		if err := w.srv.Delete(pod("pod-1")); err != nil {
			t.Fatal(err)
		}
		pass(leaseFor * 2 / 3)
		if got := active(one, two); len(got) != 0 || ward.cuts("pod-0") != 1 {
			t.Errorf("after two thirds of the lease: got leaders %v and %d canceled reconciles, want none and 1", got, ward.cuts("pod-0"))
		}
		ward.takes(time.Millisecond)
		pass(leaseFor * 2 / 3)
		if got := active(one, two); fmt.Sprint(got) != "[two]" {
			t.Errorf("got leaders %v, want [two]", got)
		}
		if keys, by := ward.take(); keys != 2 || by["two"] != 2 {
			t.Errorf("got %d keys, %v, want 2 keys of the second replica, one of them deleted", keys, by)
		}
		if h := one.Health().Replica; h.Lapses != 1 || h.Err == nil {
			t.Errorf("want one lapse and an error: %+v", h)
		}
		cut.Release()
		pass(time.Minute)
		if got := active(one, two); fmt.Sprint(got) != "[two]" || one.Health().Replica.Err != nil {
			t.Errorf("got leaders %v, error %v, want [two] and none", got, one.Health().Replica.Err)
		}
	})
}

// TestSharerIsCutOff: with Sharding, the contexts of reconciles end after two thirds of the
// lease, at whatever step the replica is waiting.
func TestSharerIsCutOff(t *testing.T) {
	for i := range 5 { // at several points of its renewal period
		inWorld(t, func(w *world) {
			ward := newWard(t, time.Hour)
			one := w.replica(ward, "one", "1", controller.Sharding)
			pass(2*leaseFor + time.Duration(i)*time.Second)
			w.create(pod("pod-0"))
			pass(time.Millisecond)
			cut := w.cut("one")
			pass(leaseFor * 2 / 3)
			if got := ward.cuts("pod-0"); got != 1 {
				t.Errorf("got %d canceled reconciles after two thirds of the lease, want 1", got)
			}
			ward.takes(time.Millisecond)
			cut.Release()
			pass(2 * leaseFor)
			if keys, _ := ward.take(); keys != 1 || len(active(one)) != 1 {
				t.Errorf("got %d keys reconciled again, want 1 by an active replica", keys)
			}
		})
	}
}

// TestLeaseIsTaken: a leader stops when another client has written its Lease.
func TestLeaseIsTaken(t *testing.T) {
	inWorld(t, func(w *world) {
		ward := newWard(t, time.Millisecond)
		one := w.replica(ward, "one", "1", controller.LeaderElection)
		pass(time.Second)
		lease := &coordinationv1.Lease{TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "test"}}
		if _, err := apitest.Modify(w.srv, lease, func(l *coordinationv1.Lease) {
			who := "somebody"
			l.Spec.HolderIdentity = &who
		}); err != nil {
			t.Fatal(err)
		}
		pass(leaseFor / 3)
		if got := active(one); len(got) != 0 {
			t.Error("the replica still leads after another client took its Lease")
		}
		pass(leaseFor * 3 / 2)
		if got := active(one); len(got) != 1 {
			t.Error("the replica does not lead again after the other holder's lease has expired")
		}
		if h := one.Health().Replica; h.Lapses != 1 || h.Terms != 2 {
			t.Errorf("want one lapse and two terms: %+v", h)
		}
	})
}

// TestSharing: three replicas have a part of the keys each. When a replica joins, leaves or
// loses its connection, the others take over its keys, and no key has two owners at a time.
func TestSharing(t *testing.T) {
	inWorld(t, func(w *world) {
		const n = 60
		for i := range n {
			w.create(pod(fmt.Sprint("pod-", i)))
		}
		ward := newWard(t, 200*time.Millisecond)
		one := w.replica(ward, "one", "1", controller.Sharding)
		two := w.replica(ward, "two", "2", controller.Sharding)
		pass(2 * leaseFor)
		ward.take()
		all := func(what string, replicas ...*replica) {
			t.Helper()
			w.touchAll(n)
			pass(10 * time.Second)
			keys, by := ward.take()
			if keys != n || len(by) != len(replicas) {
				t.Errorf("%s: got %d keys, %v, want %d keys of %d replicas", what, keys, by, n, len(replicas))
			}
			for _, r := range replicas {
				if by[r.name] < n/len(replicas)/3 {
					t.Errorf("%s: %s has only %d keys", what, r.name, by[r.name])
				}
				if h := r.Health().Replica; !h.Active || len(h.Members) != len(replicas) || h.Err != nil {
					t.Errorf("%s: %s is not active, has the wrong members or an error: %+v", what, r.name, h)
				}
			}
		}
		all("two", one, two)
		three := w.replica(ward, "three", "3", controller.Sharding)
		w.touchAll(n) // while keys move
		pass(leaseFor)
		all("three", one, two, three)

		cut := w.cut("two")
		for range 10 {
			w.touchAll(n)
			pass(leaseFor / 5)
		}
		ward.take()
		all("second cannot reach the Leases", one, three)
		if h := two.Health().Replica; h.Active || h.Lapses != 1 || h.Err == nil {
			t.Errorf("second replica: want not active, one lapse and an error: %+v", h)
		}
		cut.Release()
		w.touchAll(n)
		pass(2 * leaseFor)
		all("second can reach the Leases again", one, two, three)

		one.stop()
		pass(leaseFor / 4)
		if keys, by := ward.take(); keys == 0 || by["one"] != 0 {
			t.Errorf("after the first replica has left: got %d keys, %v, want none of the first", keys, by)
		}
		all("first has left", two, three)
		two.stop()
		three.stop()
		w.leftovers(3)
	})
}

// leftovers checks the Leases after all replicas have left.
func (w *world) leftovers(most int) {
	w.t.Helper()
	leases := must[[]apitest.Object](w.t)(w.srv.List(&coordinationv1.Lease{TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"}}, "default"))
	if len(leases) > most {
		w.t.Errorf("got %d Leases, want at most %d", len(leases), most)
	}
	for _, l := range leases {
		if holder := l.(*coordinationv1.Lease).Spec.HolderIdentity; *holder != "" {
			w.t.Errorf("%s still holds %s", *holder, l.GetName())
		}
	}
}

// TestOwnLeaseIsDeleted: with Sharding, a replica whose Lease was deleted stops and joins
// again.
func TestOwnLeaseIsDeleted(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("pod-0"))
		ward := newWard(t, time.Millisecond)
		one := w.replica(ward, "one", "1", controller.Sharding)
		pass(leaseFor)
		lease := &coordinationv1.Lease{
			TypeMeta:   metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "test-" + one.Health().Replica.Identity},
		}
		before := one.Health().Replica.Token
		if err := w.srv.Delete(lease); err != nil {
			t.Fatal(err)
		}
		pass(leaseFor / 6) // it reads the Leases before the next renewal
		if h := one.Health().Replica; h.Lapses != 1 {
			t.Errorf("want one lapse: %+v", h)
		}
		pass(leaseFor / 4)
		if h := one.Health().Replica; !h.Active || h.Token <= before {
			t.Errorf("want an active replica with a token above %d: %+v", before, h)
		}
	})
}

// TestHandOverWaits: a key moves only after its reconcile has ended. The reconcile has the
// grace period to end.
func TestHandOverWaits(t *testing.T) {
	inWorld(t, func(w *world) {
		const n = 30
		for i := range n {
			w.create(pod(fmt.Sprint("pod-", i)))
		}
		ward := newWard(t, time.Millisecond)
		// All keys run: if only a few did, possibly none of them would move.
		one := w.replicaOf(n, ward, "one", "1", controller.Sharding)
		pass(2 * leaseFor)
		ward.take()
		ward.takes(time.Hour)
		w.touchAll(n)
		pass(time.Second)
		two := w.replica(ward, "two", "2", controller.Sharding)
		pass(leaseFor / 8)
		if got := active(two); len(got) != 0 {
			t.Error("the second replica is active before the reconciles of the first have ended")
		}
		ward.takes(time.Millisecond)
		pass(leaseFor)
		if got := active(one, two); len(got) != 2 {
			t.Errorf("active replicas: got %v, want both", got)
		}
		ward.mu.Lock()
		for k, times := range ward.cut {
			if times != 1 || ward.owner[k] != "two" {
				t.Errorf("key %v was canceled %d times and is owned by %s, want once and two", k, times, ward.owner[k])
			}
		}
		ward.mu.Unlock()
		if h := one.Health().Replica; h.Lapses != 0 {
			t.Errorf("want no lapse: %+v", h)
		}
	})
}

// TestLeftLeases: the Leases of killed replicas are deleted after some time.
func TestLeftLeases(t *testing.T) {
	inWorld(t, func(w *world) {
		ward := newWard(t, time.Millisecond)
		one := w.replica(ward, "one", "1", controller.Sharding)
		pass(leaseFor)
		who, seconds := "dead", int32(15)
		w.create(&coordinationv1.Lease{
			TypeMeta:   metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "test-dead", Labels: map[string]string{"vedette.io/shared-by": "test"}},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &who, LeaseDurationSeconds: &seconds},
		})
		pass(leaseFor / 2)
		if got := one.Health().Replica.Members; len(got) != 2 {
			t.Errorf("members before the Lease expires: got %v, want 2", got)
		}
		pass(leaseFor)
		if got := one.Health().Replica.Members; len(got) != 1 {
			t.Errorf("members after the Lease has expired: got %v, want 1", got)
		}
		w.create(pod("pod-0"))
		pass(time.Second)
		if keys, _ := ward.take(); keys != 1 {
			t.Error("the key of the killed replica was not taken over")
		}
		pass(11 * leaseFor)
		one.stop()
		w.leftovers(1)
	})
}

// TestFence: a write with a lower token than the object's is rejected.
func TestFence(t *testing.T) {
	p := pod("a")
	for _, c := range []struct {
		token uint64
		ok    bool
	}{{0, true}, {7, true}, {7, true}, {6, false}, {8, true}} {
		err := controller.Fence(p, controller.Request{Token: c.token})
		if (err == nil) != c.ok {
			t.Errorf("token %d on %v: got error %v, want success %v", c.token, p.Annotations, err, c.ok)
		}
	}
	if p.Annotations[controller.TokenAnnotation] != "8" {
		t.Errorf("%v", p.Annotations)
	}
}

// TestReplicasAreRefused: New rejects invalid configurations of replicas.
func TestReplicasAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := must[*apitest.Server](t)(apitest.New(apitest.Config{}))
		defer srv.Close()
		cluster := must[*kube.Cluster](t)(kube.Connect(kube.Config{REST: srv.RESTConfig()}))
		defer cluster.Close()
		for want, r := range map[string]controller.Replicas{
			"whole seconds":         {Mode: controller.LeaderElection, Cluster: cluster, LeaseDuration: 1500 * time.Millisecond},
			"lower case":            {Mode: controller.LeaderElection, Cluster: cluster, Name: "A B"},
			`".." is not valid`:     {Mode: controller.LeaderElection, Cluster: cluster, Namespace: ".."},
			"too long":              {Mode: controller.Sharding, Cluster: cluster, Name: strings.Repeat("a", 64)},
			"valid name of a Lease": {Mode: controller.Sharding, Cluster: cluster, Identity: "a_b"},
		} {
			_, err := controller.New(controller.Config{Replicas: r, Reconcile: func(context.Context, informer.View, controller.Request) error { return nil }},
				controller.Objects(legal(informer.Watch[corev1.Pod](cluster, informer.Config{}))))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", want, err)
			}
		}
	})
}
