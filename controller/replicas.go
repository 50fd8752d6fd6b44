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

// Mode says how several replicas get along.
type ReplicaMode uint8

const (
	// Alone: this is the only one.
	SingleReplica ReplicaMode = iota
	// Elect: one of them leads and has all keys; the others wait with warm
	// informers. The Lease is that of client-go's leader election.
	LeaderElection
	// Share: each has a part of the keys.
	Sharding
)

// Replicas says how several processes that run the same controller get along. The
// package documentation has the protocol, and what it rests on.
type Replicas struct {
	// Mode: Alone.
	Mode ReplicaMode
	// Cluster is where the Leases are. Its user must be allowed to get, list,
	// create, update and delete leases in the namespace.
	Cluster *kube.Cluster
	// Namespace of the Leases; default that of the cluster's configuration.
	Namespace string
	// Name of the Lease, or the group of Leases; default that of the controller. All
	// replicas must have the same, and no other controller.
	Name string
	// Identity names this replica; default the name of the host. Something random is
	// added, so that a process that starts again is another replica.
	Identity string
	// LeaseDuration is how long others wait for a replica that is silent before they
	// take over; default 15 seconds, in whole seconds, at least 1. A replica itself stops
	// when two thirds of it have passed since it was heard of. Replicas should have the
	// same.
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
		return fmt.Errorf("controller: there is no mode %d of replicas", r.Mode)
	case r.Cluster == nil:
		return errors.New("controller: Replicas.Cluster is not set: it is where the Leases are")
	case kube.CheckNamespace(r.Namespace) != nil:
		return fmt.Errorf("controller: Replicas.Namespace: %w", kube.CheckNamespace(r.Namespace))
	case r.Mode == Sharding && len(r.Name) > validation.LabelValueMaxLength:
		return fmt.Errorf("controller: the name %q of a group of replicas is too long for a label", r.Name)
	case len(validation.IsDNS1123Subdomain(r.leaseName())) > 0:
		return fmt.Errorf("controller: %q can not be the name of a Lease: set Replicas.Name and Identity to lower case letters, digits, '-' and '.'", r.leaseName())
	case r.LeaseDuration < time.Second || r.LeaseDuration%time.Second != 0:
		return fmt.Errorf("controller: a lease of %v is not possible: it has whole seconds, 1 or more", r.LeaseDuration)
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
		r.Identity, _ = os.Hostname() // what is random is enough to tell it apart
	}
	r.Identity = strings.TrimPrefix(fmt.Sprintf("%s-%08x", strings.ToLower(r.Identity), rand.Uint32()), "-")
	return r
}

// leaseName is the name of the Lease that this replica holds, or wants.
func (r *Replicas) leaseName() string {
	if r.Mode == Sharding {
		return r.Name + "-" + r.Identity
	}
	return r.Name
}

// valid is how long a replica may work after it has asked for a renewal that was
// granted. What is left of the lease is for reconciles to end in.
func (r *Replicas) valid() time.Duration { return r.LeaseDuration * 2 / 3 }

// retry is how often a replica looks what the others do.
func (r *Replicas) retry() time.Duration { return r.LeaseDuration / 8 }

// renew is how often it says that it is there.
func (r *Replicas) renew() time.Duration { return r.LeaseDuration / 4 }

// duty returns what decides about keys; nil if nothing does.
func (r Replicas) coordinator() (coordinator, error) {
	if r.Mode == SingleReplica {
		return nil, nil
	}
	leases, err := newLeases(r)
	if err != nil {
		return nil, err
	}
	if r.Mode == LeaderElection {
		return &election{cfg: r, leases: leases}, nil
	}
	return &shardDriver{cfg: r, leases: leases}, nil
}

// ReplicaHealth is one replica's part among several.
type ReplicaHealth struct {
	Mode     ReplicaMode
	Identity string
	// Active: it has keys, or would have if there were any; and Token is theirs.
	Active bool
	Token  uint64
	// Since is when Active changed last.
	Since time.Time
	// Leader is who leads, as far as is known; of those who share it is empty.
	Leader string
	// Members are those who share, this one included, as far as is known.
	Members []string
	// Terms counts how often it became active, Lapses how often it had to stop
	// because it could not renew its lease in time.
	Terms, Lapses uint64
	// Err is why the last request about Leases failed; nil if it did not.
	Err error
}
