package shard

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/vedette-io/vedette/platform/internal/model"
)

// TestLeaseThatEndsUnused checks that a lease that ends before anyone has acquired it is
// released: its row would otherwise say for good that this member records the shard.
func TestLeaseThatEndsUnused(t *testing.T) {
	for name, waiting := range map[string]bool{"while the worker waits": true, "before the worker waits": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &Offer{wake: func() {}, scope: model.Scope{Cluster: 1}, granted: make(chan struct{})}
				acquired := make(chan *Lease)
				acquire := func() {
					l, err := o.Acquire(context.WithoutCancel(t.Context()))
					if err != nil {
						t.Error(err)
					}
					acquired <- l
				}
				if waiting {
					go acquire()
					synctest.Wait()
				}
				o.grant(1)
				o.move() // at once, as a step of the coordinator that follows its claim
				if !waiting {
					go acquire()
				}
				select {
				case l := <-acquired: // it was faster than the move
					l.Release()
					go acquire()
				default:
				}
				synctest.Wait()
				o.mu.Lock()
				left := o.lease
				o.mu.Unlock()
				if left != nil {
					t.Fatal("the lease that ended was not released")
				}
				o.grant(1)
				if l := <-acquired; l.ctx.Err() != nil {
					t.Error("the worker has a lease that has ended")
				}
			})
		})
	}
}
