package controller_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/vedette-io/vedette/controller"
)

// TestBesideClientGo: a replica with client-go's leader election and a replica of this
// package never lead at the same time, whichever leads first, and each can follow the
// other.
func TestBesideClientGo(t *testing.T) {
	inWorld(t, func(w *world) {
		cfg := w.srv.RESTConfig()
		cfg.BearerToken = "3"
		client := must[*kubernetes.Clientset](t)(kubernetes.NewForConfig(cfg))
		var leads atomic.Bool
		elect := func(name string) (stop func()) {
			ctx, cancel := context.WithCancel(w.ctx)
			elector := must[*leaderelection.LeaderElector](t)(leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
				Lock: &resourcelock.LeaseLock{
					LeaseMeta: metav1.ObjectMeta{Namespace: "default", Name: "test"}, Client: client.CoordinationV1(),
					LockConfig: resourcelock.ResourceLockConfig{Identity: name},
				},
				LeaseDuration: leaseFor, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second, ReleaseOnCancel: true,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { leads.Store(true) },
					OnStoppedLeading: func() { leads.Store(false) },
				},
			}))
			done := make(chan struct{})
			w.work.Go(func() {
				defer close(done)
				elector.Run(ctx)
			})
			return func() {
				cancel()
				<-done
			}
		}
		ward := newWard(t, time.Millisecond)
		stopTheirs := elect("theirs")
		pass(5 * time.Second)
		ours := w.replica(ward, "one", "1", controller.LeaderElection)
		who := func(what, want string) {
			t.Helper()
			if got := fmt.Sprint(leads.Load(), " ", len(active(ours))); got != want {
				t.Errorf("%s: client-go leads, number of our leaders: got %s, want %s", what, got, want)
			}
		}
		pass(5 * leaseFor)
		who("client-go started first", "true 0")
		stopTheirs()
		pass(leaseFor / 4)
		who("client-go has released", "false 1")
		stopTheirs = elect("theirs again")
		defer func() { stopTheirs() }()
		pass(5 * leaseFor)
		who("ours led first", "false 1")
		cut := w.cut("one")
		for range 60 {
			pass(500 * time.Millisecond)
			if leads.Load() && len(active(ours)) > 0 {
				t.Fatal("both replicas lead at the same time")
			}
		}
		who("ours cannot reach the Lease", "true 0")
		cut.Release()
		pass(5 * leaseFor)
		who("ours can reach the Lease again", "true 0")
	})
}
