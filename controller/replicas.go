package controller

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/vedette-io/vedette/kube"
)

// ReplicaMode is how several replicas divide the keys.
type ReplicaMode uint8

const (
	// SingleReplica means that there is only one process.
	SingleReplica ReplicaMode = iota
	// LeaderElection means that one replica leads and has all keys. The others wait with
	// synced informers. The Lease is compatible with client-go's leader election.
	LeaderElection
	// Sharding means that each replica has a part of the keys.
	Sharding
)

// Replicas configures how several processes that run the same controller divide the keys.
// The package documentation describes the protocol and its assumptions.
type Replicas struct {
	// Mode is how the replicas divide the keys; default SingleReplica.
	Mode ReplicaMode
	// Cluster is the cluster with the Leases. Its user must be allowed to get, list,
	// create, update and delete leases in the namespace.
	Cluster *kube.Cluster
	// Namespace is the namespace of the Leases; default the namespace of the cluster's
	// configuration.
	Namespace string
	// Name is the name of the Lease, or of the group of Leases; default the controller's
	// name. All replicas of the controller must have the same name, and no other controller
	// may have it.
	Name string
	// Identity names this replica; default the host name. A random suffix is added, so that
	// a restarted process is a different replica.
	Identity string
	// LeaseDuration is the time without a renewal after which other replicas take over;
	// default 15 seconds, in whole seconds, at least 1. A replica stops itself when two
	// thirds of it have passed since its last renewal. All replicas should have the same
	// duration.
	LeaseDuration time.Duration
}

// DefaultLeaseDuration is the default of Replicas.LeaseDuration.
const DefaultLeaseDuration = 15 * time.Second

func (r *Replicas) check() error {
	if r.Mode == SingleReplica {
		return nil
	}
	switch {
	case r.Mode > Sharding:
		return fmt.Errorf("controller: Replicas.Mode is %d, which is not a mode", r.Mode)
	case r.Cluster == nil:
		return errors.New("controller: Replicas.Cluster is not set; set it to the cluster that has the Leases")
	case kube.CheckNamespace(r.Namespace) != nil:
		return fmt.Errorf("controller: Replicas.Namespace: %w", kube.CheckNamespace(r.Namespace))
	case r.Mode == Sharding && len(r.Name) > validation.LabelValueMaxLength:
		return fmt.Errorf("controller: Replicas.Name %q is too long for a label: the limit is %d characters", r.Name, validation.LabelValueMaxLength)
	case len(validation.IsDNS1123Subdomain(r.leaseName())) > 0:
		return fmt.Errorf("controller: %q is not a valid name of a Lease: set Replicas.Name and Identity to lower case letters, digits, '-' and '.'", r.leaseName())
	case r.LeaseDuration < time.Second || r.LeaseDuration%time.Second != 0:
		return fmt.Errorf("controller: Replicas.LeaseDuration is %v, want whole seconds, at least 1", r.LeaseDuration)
	}
	return nil
}

func (r Replicas) withDefaults(controller string) Replicas {
	if r.Mode == SingleReplica {
		return r
	}
	if r.Name == "" {
		r.Name = controller
	}
	if r.Namespace == "" && r.Cluster != nil {
		r.Namespace = r.Cluster.Namespace()
	}
	if r.LeaseDuration == 0 {
		r.LeaseDuration = DefaultLeaseDuration
	}
	if r.Identity == "" {
		r.Identity, _ = os.Hostname() // without a host name, the random suffix identifies the replica
	}
	r.Identity = strings.TrimPrefix(fmt.Sprintf("%s-%08x", strings.ToLower(r.Identity), rand.Uint32()), "-")
	return r
}

// leaseName returns the name of the Lease that this replica holds or wants.
func (r *Replicas) leaseName() string {
	if r.Mode == Sharding {
		return r.Name + "-" + r.Identity
	}
	return r.Name
}

// valid is the time that a replica may work after it requested a renewal that was granted.
// Its reconciles have the rest of the lease to end.
func (r *Replicas) valid() time.Duration { return r.LeaseDuration * 2 / 3 }

// retry is the period at which a replica reads the Leases.
func (r *Replicas) retry() time.Duration { return r.LeaseDuration / 8 }

// renew is the period at which a replica renews its Lease.
func (r *Replicas) renew() time.Duration { return r.LeaseDuration / 4 }

// ReplicaHealth is the status of one replica among several.
type ReplicaHealth struct {
	Mode     ReplicaMode
	Identity string
	// Active means that the replica owns keys, or would own them if there were any. Token
	// is their fencing token.
	Active bool
	Token  uint64
	// Since is when Active last changed.
	Since time.Time
	// Leader is the identity of the last known leader; empty with Sharding.
	Leader string
	// Members are the last known replicas of a group with Sharding, including this one.
	Members []string
	// Terms counts how often the replica became active. Lapses counts how often it had to
	// stop because it lost its lease or did not renew it in time.
	Terms, Lapses uint64
	// Err is the error of the last failed Lease operation that has not succeeded since; nil
	// if all succeed.
	Err error
}
