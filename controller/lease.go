package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// leases reads and writes the Leases of one group of replicas.
type leases struct {
	cfg    Replicas
	client *kube.Client[coordinationv1.Lease]
}

const (
	// groupLabel marks the Leases of replicas that share.
	groupLabel = "vedette.io/shared-by"
	// viewAnnotation holds the names of the replicas that the holder yields to.
	viewAnnotation = "vedette.io/yields-to"
)

func newLeases(cfg Replicas) (*leases, error) {
	client, err := kube.For[coordinationv1.Lease](cfg.Cluster, kube.ClientConfig{})
	if err != nil {
		return nil, err
	}
	return &leases{cfg, client}, nil
}

// lease is a Lease as it was last read or written.
type lease struct {
	object  *coordinationv1.Lease
	version wire.Version
}

func leaseOf(l *coordinationv1.Lease, err error) (lease, error) {
	if err != nil {
		return lease{}, err
	}
	v, err := wire.ParseVersion(l.ResourceVersion)
	return lease{l, v}, err
}

// key returns the key of a Lease of the group.
func (l *leases) key(name string) wire.Key {
	return wire.Key{Namespace: l.cfg.Namespace, Name: name}
}

func (l *leases) get(ctx context.Context, name string) (lease, error) {
	return leaseOf(l.client.Get(ctx, l.key(name)))
}

// list returns the current Leases of the group from the server.
func (l *leases) list(ctx context.Context) (all []lease, err error) {
	where := kube.Where{Namespace: l.cfg.Namespace, LabelSelector: groupLabel + "=" + l.cfg.Name}
	for obj, err := range l.client.List(ctx, where) {
		one, err := leaseOf(obj, err)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// acquire writes a Lease with this replica as its holder: a Lease that was read, or a new
// one with a name.
func (l *leases) acquire(ctx context.Context, was lease, name string, labels map[string]string) (lease, error) {
	now := metav1.NowMicro()
	transitions := int32(0)
	obj := was.object
	if obj == nil {
		obj = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: l.cfg.Namespace, Name: name, Labels: labels}}
	} else {
		obj = obj.DeepCopy()
		if obj.Spec.LeaseTransitions != nil {
			transitions = *obj.Spec.LeaseTransitions + 1
		}
	}
	obj.Spec.HolderIdentity = &l.cfg.Identity
	obj.Spec.AcquireTime = &now
	obj.Spec.LeaseTransitions = &transitions
	return l.write(ctx, obj)
}

// write writes a Lease that this replica holds, which also renews it.
func (l *leases) write(ctx context.Context, obj *coordinationv1.Lease) (lease, error) {
	now := metav1.NowMicro() // for people; no replica compares it with its clock
	seconds := int32(l.cfg.LeaseDuration / time.Second)
	obj.Spec.RenewTime, obj.Spec.LeaseDurationSeconds = &now, &seconds
	if obj.ResourceVersion == "" {
		return leaseOf(l.client.Create(ctx, obj))
	}
	return leaseOf(l.client.Update(ctx, obj))
}

// renew writes a Lease that this replica holds. A conflict may come from an earlier write
// of this replica whose response was lost; then renew reads the Lease and writes it again.
func (l *leases) renew(ctx context.Context, obj *coordinationv1.Lease) (lease, error) {
	held, err := l.write(ctx, obj)
	if !apierrors.IsConflict(err) {
		return held, err
	}
	now, err2 := l.get(ctx, obj.Name)
	switch {
	case err2 != nil:
		return lease{}, err2
	case !l.holds(now) || now.object.UID != obj.UID:
		return lease{}, err
	}
	obj.ResourceVersion = now.object.ResourceVersion
	return l.write(ctx, obj)
}

// release gives back a Lease: nobody has to wait for its end. It says what was
// written last.
func (l *leases) release(ctx context.Context, was lease, wrote string) error {
	if was.object == nil {
		return nil
	}
	now, err := l.get(ctx, was.object.Name)
	if err == nil && l.holds(now) && now.object.UID == was.object.UID {
		nobody, second := "", int32(1)
		now.object.Spec.HolderIdentity, now.object.Spec.LeaseDurationSeconds = &nobody, &second
		now.annotate(wroteAnnotation, wrote)
		_, err = l.client.Update(ctx, now.object)
	}
	if isLost(err) {
		return nil // another replica holds it already
	}
	return err
}

// remove deletes a Lease that nobody holds, unless it has changed.
func (l *leases) remove(ctx context.Context, was lease) error {
	return l.client.Delete(ctx, l.key(was.object.Name), kube.DeleteOptions{UID: was.object.UID, Version: was.version})
}

// holds reports whether this replica holds a Lease.
func (l *leases) holds(one lease) bool { return one.holder() == l.cfg.Identity }

func (l lease) holder() string {
	if l.object == nil || l.object.Spec.HolderIdentity == nil {
		return ""
	}
	return *l.object.Spec.HolderIdentity
}

// duration is the duration that the holder has written into its Lease.
func (l lease) duration() time.Duration {
	if l.object == nil || l.object.Spec.LeaseDurationSeconds == nil {
		return 0
	}
	return time.Duration(*l.object.Spec.LeaseDurationSeconds) * time.Second
}

// view returns the replicas that the holder yields to.
func (l lease) view() []string {
	return strings.Fields(l.object.Annotations[viewAnnotation])
}

func (l *lease) setView(view []string) { l.annotate(viewAnnotation, strings.Join(view, " ")) }

func (l *lease) annotate(name, text string) {
	if l.object.Annotations == nil {
		l.object.Annotations = map[string]string{}
	}
	l.object.Annotations[name] = text
}

// isLost reports whether the error of a write means that another client has written or
// deleted the Lease.
func isLost(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err)
}

// observedLease is a Lease of another replica. It is expired if it has not changed for its
// duration by this replica's clock.
type observedLease struct {
	lease     lease
	firstSeen time.Time // when this version was first seen
}

// expired reports whether the lease had expired at the time of a request that found it
// unchanged.
func (s *observedLease) expired(asked time.Time) bool {
	return s.lease.holder() == "" || asked.Sub(s.firstSeen) >= s.lease.duration()
}

// leaseError adds the name of the operation to an error; nil if ctx was canceled.
func leaseError(what string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// wroteAnnotation holds, for each type, the version of the last object that the holder's
// reconciles have written. The next owner of the keys waits until its informers show these
// versions.
const wroteAnnotation = "vedette.io/wrote"

// wrote returns the last versions that the holder of a Lease has written, by type. The
// members of a Leadership may name a type several times.
func (l lease) wrote() map[string]wire.Version {
	last := map[string]wire.Version{}
	if l.object == nil {
		return last
	}
	for part := range strings.FieldsSeq(l.object.Annotations[wroteAnnotation]) {
		resource, version, _ := strings.Cut(part, "=")
		if v, err := wire.ParseVersion(version); err == nil {
			last[resource] = max(last[resource], v)
		}
	}
	return last
}
