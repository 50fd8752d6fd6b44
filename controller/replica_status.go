package controller

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/kube"
)

// replicaStatus is the published health of a coordinator.
type replicaStatus struct {
	mu     sync.Mutex
	health ReplicaHealth
	faults leaseFaults
}

func (b *replicaStatus) update(f func(*ReplicaHealth)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(&b.health)
}

func (b *replicaStatus) setLeader(who string) { b.update(func(h *ReplicaHealth) { h.Leader = who }) }

func (b *replicaStatus) setMembers(of []string) { b.update(func(h *ReplicaHealth) { h.Members = of }) }

func (b *replicaStatus) activate(token uint64) {
	b.update(func(h *ReplicaHealth) {
		if !h.Active {
			h.Active, h.Since = true, time.Now()
			h.Terms++
		}
		h.Token = token
	})
}

func (b *replicaStatus) deactivate(kept bool) {
	b.update(func(h *ReplicaHealth) {
		if h.Active {
			h.Active, h.Since, h.Token = false, time.Now(), 0
			if !kept {
				h.Lapses++
			}
		}
	})
}

func (b *replicaStatus) get(cfg Replicas) ReplicaHealth {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.health
	h.Mode, h.Identity = cfg.Mode, cfg.Identity
	return h
}

// leaseFaults keeps the current errors of Lease operations, by operation.
type leaseFaults struct {
	log     *faultlog.Reporter // nil before Run
	failing map[string]error
}

// record stores the result of an operation. It returns the error of the operation, or else
// the error of another operation that has not succeeded since it failed.
func (f *leaseFaults) record(what string, err error) error {
	if f.failing == nil {
		f.failing = map[string]error{}
	}
	f.failing[what] = err
	for _, what := range slices.Sorted(maps.Keys(f.failing)) {
		err = cmp.Or(err, f.failing[what])
	}
	return err
}

// start creates the reporter of Lease errors.
func (b *replicaStatus) start(logger func() *slog.Logger, r Replicas) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults.log = &faultlog.Reporter{
		Fault: "controller: Leases cannot be used, so another replica or none owns the keys", Over: "controller: Leases can be used again",
		Logger: logger, Attrs: []any{"namespace", r.Namespace, "lease", r.leaseName(), "host", r.Cluster.Host()},
	}
}

// recordResult stores and logs the result of a Lease operation.
func (b *replicaStatus) recordResult(what string, err error) {
	b.mu.Lock()
	err = b.faults.record(what, leaseError(what, err))
	b.health.Err = err
	log := b.faults.log
	b.mu.Unlock()
	if log == nil {
		return
	}
	if err == nil {
		log.See(faultlog.State{})
		return
	}
	remedy := kube.Remedy(err)
	if apierrors.IsForbidden(err) {
		remedy = "grant the verbs get, list, create, update and delete on leases of coordination.k8s.io in that namespace"
	}
	log.See(faultlog.State{Kind: "lease", Err: err, Remedy: remedy})
}

// clearErrors clears the errors of all Lease operations.
func (b *replicaStatus) clearErrors() {
	b.mu.Lock()
	b.faults.failing = nil
	b.mu.Unlock()
	b.recordResult("", nil)
}

func (b *replicaStatus) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults.log.Stop()
}
