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

// ward is where replicas work, and looks after them: no two may have a key at a
// time, and tokens grow from one to the other.
type ward struct {
	t      *testing.T
	took   time.Duration // of a reconcile
	mu     sync.Mutex
	busy   map[wire.Key]string
	owner  map[wire.Key]string
	tokens map[wire.Key]uint64
	done   map[wire.Key][]string // who, in order
	cut    map[wire.Key]int      // reconciles whose context ended
}

func newWard(t *testing.T, took time.Duration) *ward {
	return &ward{
		t: t, took: took, busy: map[wire.Key]string{}, owner: map[wire.Key]string{}, tokens: map[wire.Key]uint64{},
		done: map[wire.Key][]string{}, cut: map[wire.Key]int{},
	}
}

// reconcile is what a replica does.
func (w *ward) reconcile(ctx context.Context, name string, r controller.Request) error {
	w.mu.Lock()
	if other := w.busy[r.Key]; other != "" {
		w.t.Errorf("%s begins %v while %s has it", name, r.Key, other)
	}
	if last, owner := w.tokens[r.Key], w.owner[r.Key]; r.Token < last || owner != name && owner != "" && r.Token <= last {
		w.t.Errorf("%s has %v with token %d; %s had it with %d", name, r.Key, r.Token, owner, last)
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

// take returns how many keys each has done, and forgets it.
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

// takes says how long reconciles take that begin from now on.
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

// replica is one process of several.
type replica struct {
	*controller.Controller
	name string
	stop func()
}

// replica starts a replica that reaches the server as a user of its own.
func (w *world) replica(ward *ward, name, token string, mode controller.ReplicaMode) *replica {
	return w.replicaOf(4, ward, name, token, mode)
}

// replicaOf starts a replica with so many workers.
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
	}, controller.Objects(pods, controller.SourceConfig{})))
	return &replica{c, name, w.run(c)}
}

// cut cuts a user off from the Leases.
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

// TestElection: one leads, the other is warm; when the first leaves, the other
// begins at once, with all keys.
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
			t.Errorf("%d keys, %v", keys, by)
		}
		h := two.Health()
		if h.Replica.Active || h.Ready() != nil || !h.Sources[0].Synced || h.Replica.Leader != one.Health().Replica.Identity {
			t.Errorf("the second: %+v, %v", h.Replica, h.Ready())
		}
		w.touch("pod-1")
		pass(time.Second)
		if keys, by := ward.take(); keys != 1 || by["one"] != 1 {
			t.Errorf("%d keys, %v", keys, by)
		}
		one.stop()
		pass(leaseFor / 4)
		if keys, by := ward.take(); keys != n || by["two"] != n {
			t.Errorf("after the first has left: %d keys, %v", keys, by)
		}
		if h := two.Health().Replica; !h.Active || h.Token == 0 || h.Terms != 1 {
			t.Errorf("%+v", h)
		}
	})
}

// TestLeaderIsCutOff: a leader that can not renew stops before another begins, and
// what it had not done is done, also of what is gone.
func TestLeaderIsCutOff(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("pod-0"), pod("pod-1"))
		ward := newWard(t, 3*time.Second)
		one := w.replica(ward, "one", "1", controller.LeaderElection)
		pass(time.Second)
		two := w.replica(ward, "two", "2", controller.LeaderElection)
		pass(time.Minute)
		ward.take()
		ward.takes(time.Hour) // a reconcile that only its context ends
		cut := w.cut("one")
		w.touch("pod-0")
		if err := w.srv.Delete(pod("pod-1")); err != nil {
			t.Fatal(err)
		}
		pass(leaseFor * 2 / 3)
		if got := active(one, two); len(got) != 0 || ward.cuts("pod-0") != 1 {
			t.Errorf("after two thirds of the lease %v lead, %d reconciles were cut", got, ward.cuts("pod-0"))
		}
		ward.takes(time.Millisecond)
		pass(leaseFor * 2 / 3)
		if got := active(one, two); fmt.Sprint(got) != "[two]" {
			t.Errorf("%v lead", got)
		}
		if keys, by := ward.take(); keys != 2 || by["two"] != 2 {
			t.Errorf("%d keys, %v: the one that is gone as well", keys, by)
		}
		if h := one.Health().Replica; h.Lapses != 1 || h.Err == nil {
			t.Errorf("%+v", h)
		}
		cut.Release()
		pass(time.Minute)
		if got := active(one, two); fmt.Sprint(got) != "[two]" || one.Health().Replica.Err != nil {
			t.Errorf("%v lead, %v", got, one.Health().Replica.Err)
		}
	})
}

// TestSharerIsCutOff: the contexts of its reconciles end when two thirds of the
// lease are over, whatever it is waiting for.
func TestSharerIsCutOff(t *testing.T) {
	for i := range 5 { // at several points of its rounds
		inWorld(t, func(w *world) {
			ward := newWard(t, time.Hour)
			one := w.replica(ward, "one", "1", controller.Sharding)
			pass(2*leaseFor + time.Duration(i)*time.Second)
			w.create(pod("pod-0"))
			pass(time.Millisecond)
			cut := w.cut("one")
			pass(leaseFor * 2 / 3)
			if got := ward.cuts("pod-0"); got != 1 {
				t.Errorf("%d reconciles were cut after two thirds of the lease", got)
			}
			ward.takes(time.Millisecond)
			cut.Release()
			pass(2 * leaseFor)
			if keys, _ := ward.take(); keys != 1 || len(active(one)) != 1 {
				t.Errorf("%d keys were reconciled again", keys)
			}
		})
	}
}

// TestLeaseIsTaken: a leader whose Lease somebody else has written stops.
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
			t.Error("it still leads")
		}
		pass(leaseFor * 3 / 2)
		if got := active(one); len(got) != 1 {
			t.Error("it does not lead again, though nobody has renewed")
		}
		if h := one.Health().Replica; h.Lapses != 1 || h.Terms != 2 {
			t.Errorf("%+v", h)
		}
	})
}

// TestSharing: three replicas have a part of the keys each; when one comes, leaves
// or is cut off, the others have its keys, and no key has two at a time.
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
				t.Errorf("%s: %d keys, %v", what, keys, by)
			}
			for _, r := range replicas {
				if by[r.name] < n/len(replicas)/3 {
					t.Errorf("%s: %s has %d keys", what, r.name, by[r.name])
				}
				if h := r.Health().Replica; !h.Active || len(h.Members) != len(replicas) || h.Err != nil {
					t.Errorf("%s: %s is %+v", what, r.name, h)
				}
			}
		}
		all("two", one, two)
		three := w.replica(ward, "three", "3", controller.Sharding)
		w.touchAll(n) // in the middle of it all
		pass(leaseFor)
		all("three", one, two, three)

		cut := w.cut("two")
		for range 10 {
			w.touchAll(n)
			pass(leaseFor / 5)
		}
		ward.take()
		all("without the second", one, three)
		if h := two.Health().Replica; h.Active || h.Lapses != 1 || h.Err == nil {
			t.Errorf("%+v", h)
		}
		cut.Release()
		w.touchAll(n)
		pass(2 * leaseFor)
		all("again", one, two, three)

		one.stop()
		pass(leaseFor / 4)
		if keys, by := ward.take(); keys == 0 || by["one"] != 0 {
			t.Errorf("after one has left: %d, %v", keys, by)
		}
		all("without the first", two, three)
		two.stop()
		three.stop()
		w.leftovers(3)
	})
}

// leftovers looks at the Leases when all have left.
func (w *world) leftovers(most int) {
	w.t.Helper()
	leases := must[[]apitest.Object](w.t)(w.srv.List(&coordinationv1.Lease{TypeMeta: metav1.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"}}, "default"))
	if len(leases) > most {
		w.t.Errorf("%d leases", len(leases))
	}
	for _, l := range leases {
		if holder := l.(*coordinationv1.Lease).Spec.HolderIdentity; *holder != "" {
			w.t.Errorf("%s still holds %s", *holder, l.GetName())
		}
	}
}

// TestOwnLeaseIsDeleted: a replica that shares, and finds its Lease gone, stops and
// joins again.
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
		pass(leaseFor / 6) // it looks before it would renew
		if h := one.Health().Replica; h.Lapses != 1 {
			t.Errorf("%+v", h)
		}
		pass(leaseFor / 4)
		if h := one.Health().Replica; !h.Active || h.Token <= before {
			t.Errorf("%+v, before %d", h, before)
		}
	})
}

// TestHandOverWaits: a key passes on when its reconcile has ended, which gets its
// grace.
func TestHandOverWaits(t *testing.T) {
	inWorld(t, func(w *world) {
		const n = 30
		for i := range n {
			w.create(pod(fmt.Sprint("pod-", i)))
		}
		ward := newWard(t, time.Millisecond)
		// All keys run. Of a few that run, none might be among those that pass on.
		one := w.replicaOf(n, ward, "one", "1", controller.Sharding)
		pass(2 * leaseFor)
		ward.take()
		ward.takes(time.Hour)
		w.touchAll(n)
		pass(time.Second)
		two := w.replica(ward, "two", "2", controller.Sharding)
		pass(leaseFor / 8)
		if got := active(two); len(got) != 0 {
			t.Error("the second begins while the first has keys")
		}
		ward.takes(time.Millisecond)
		pass(leaseFor)
		if got := active(one, two); len(got) != 2 {
			t.Errorf("%v are active", got)
		}
		ward.mu.Lock()
		for k, times := range ward.cut {
			if times != 1 || ward.owner[k] != "two" {
				t.Errorf("%v was cut %d times and is of %s", k, times, ward.owner[k])
			}
		}
		ward.mu.Unlock()
		if h := one.Health().Replica; h.Lapses != 0 {
			t.Errorf("%+v", h)
		}
	})
}

// TestLeftLeases: what killed replicas leave is deleted after a while.
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
			t.Errorf("%v", got)
		}
		pass(leaseFor)
		if got := one.Health().Replica.Members; len(got) != 1 {
			t.Errorf("%v", got)
		}
		w.create(pod("pod-0"))
		pass(time.Second)
		if keys, _ := ward.take(); keys != 1 {
			t.Error("the key of who is dead is not taken over")
		}
		pass(11 * leaseFor)
		one.stop()
		w.leftovers(1)
	})
}

// TestFence: a later owner's object is not written over.
func TestFence(t *testing.T) {
	p := pod("a")
	for _, c := range []struct {
		token uint64
		ok    bool
	}{{0, true}, {7, true}, {7, true}, {6, false}, {8, true}} {
		err := controller.Fence(p, controller.Request{Token: c.token})
		if (err == nil) != c.ok {
			t.Errorf("token %d on %v: %v", c.token, p.Annotations, err)
		}
	}
	if p.Annotations[controller.TokenAnnotation] != "8" {
		t.Errorf("%v", p.Annotations)
	}
}

// TestReplicasAreRefused where they make no sense.
func TestReplicasAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := must[*apitest.Server](t)(apitest.New(apitest.Config{}))
		defer srv.Close()
		cluster := must[*kube.Cluster](t)(kube.Connect(kube.Config{REST: srv.RESTConfig()}))
		defer cluster.Close()
		for want, r := range map[string]controller.Replicas{
			"whole seconds":     {Mode: controller.LeaderElection, Cluster: cluster, LeaseDuration: 1500 * time.Millisecond},
			"lower case":        {Mode: controller.LeaderElection, Cluster: cluster, Name: "A B"},
			`".." is not valid`: {Mode: controller.LeaderElection, Cluster: cluster, Namespace: ".."},
			"too long":          {Mode: controller.Sharding, Cluster: cluster, Name: strings.Repeat("a", 64)},
			"the name of a Le":  {Mode: controller.Sharding, Cluster: cluster, Identity: "a_b"},
		} {
			_, err := controller.New(controller.Config{Replicas: r, Reconcile: func(context.Context, informer.View, controller.Request) error { return nil }},
				controller.Objects(legal(informer.Watch[corev1.Pod](cluster, informer.Config{})), controller.SourceConfig{}))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", want, err)
			}
		}
	})
}
