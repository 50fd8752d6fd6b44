package insight

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"

	"github.com/vedette-io/vedette/wire"
)

// Types of Kueue.
const (
	workloadType     = "workloads." + kueueGroup
	clusterQueueType = "clusterqueues." + kueueGroup
	localQueueType   = "localqueues." + kueueGroup
)

const (
	// maxWorkloads is the maximum number of open workloads that are read of a cluster.
	maxWorkloads = 20_000
	maxQueues    = 5_000
	// freshFor is how long the objects of a cluster are cached.
	freshFor = 2 * time.Second
	// maxClusters limits the cached clusters.
	maxClusters = 64
)

// kueueWorld has the recorded objects of Kueue in a cluster. It does not change.
type kueueWorld struct {
	readAt        time.Time
	workloads     []*workload // only open ones
	tooMany       bool
	blind         time.Time // since when workloads are unobservable; zero: they are observable
	clusterQueues map[string]*clusterQueue
	localQueues   map[wire.Key]*localQueue
}

// knows reports whether any object of Kueue is recorded.
func (k *kueueWorld) knows() bool {
	return k.tooMany || len(k.workloads) > 0 || len(k.clusterQueues) > 0 || len(k.localQueues) > 0
}

// of returns the workload of a job, or nil. A job can have several, one after another.
func (k *kueueWorld) of(namespace, jobUID string) (last *workload) {
	for _, w := range k.workloads {
		if w.namespace == namespace && w.jobUID == jobUID && jobUID != "" && (last == nil || w.created.After(last.created)) {
			last = w
		}
	}
	return last
}

// clusterQueueOf returns the ClusterQueue of a LocalQueue; nil if it is not known.
func (k *kueueWorld) clusterQueueOf(namespace, queue string) *clusterQueue {
	if l := k.localQueues[wire.Key{Namespace: namespace, Name: queue}]; l != nil {
		return k.clusterQueues[l.clusterQueue]
	}
	return nil
}

// line returns the workloads that wait for quota of a ClusterQueue, in the order of Kueue.
func (k *kueueWorld) line(q *clusterQueue) (all []*workload) {
	for _, w := range k.workloads {
		if w.waits() && k.clusterQueueOf(w.namespace, w.queue) == q {
			all = append(all, w)
		}
	}
	slices.SortFunc(all, (*workload).compare)
	return all
}

// holders returns the workloads that hold quota of a ClusterQueue.
func (k *kueueWorld) holders(q *clusterQueue) (all []*workload) {
	for _, w := range k.workloads {
		if w.reserved && w.clusterQueue == q.name {
			all = append(all, w)
		}
	}
	return all
}

// kueueReader reads the objects of Kueue, and caches them: bodies until their objects have
// another version.
type kueueReader struct {
	source source
	now    func() time.Time

	mu       sync.Mutex
	clusters map[string]*kueueCluster
}

// kueueCluster is one cluster. The request that has put a token into turn reads it, so that
// concurrent requests read it only once.
type kueueCluster struct {
	turn   chan struct{}
	world  *kueueWorld
	bodies map[int64]keptBody
}

// keptBody is the decoded body of an object at a version.
type keptBody struct {
	version wire.Version
	value   any // *workload, *clusterQueue or *localQueue
}

func newKueueReader(s source, now func() time.Time) *kueueReader {
	return &kueueReader{source: s, now: now, clusters: map[string]*kueueCluster{}}
}

// world returns the recorded objects of Kueue in a cluster, at most freshFor old.
func (r *kueueReader) world(ctx context.Context, clusterUID string) (*kueueWorld, error) {
	r.mu.Lock()
	c := r.clusters[clusterUID]
	if c == nil {
		if len(r.clusters) >= maxClusters {
			clear(r.clusters)
		}
		c = &kueueCluster{turn: make(chan struct{}, 1)}
		r.clusters[clusterUID] = c
	}
	r.mu.Unlock()
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if now := r.now(); c.world == nil || now.Sub(c.world.readAt) > freshFor || now.Before(c.world.readAt) {
		if err := c.read(ctx, r.source, clusterUID, now); err != nil {
			return nil, err
		}
	}
	return c.world, nil
}

// read reads a cluster.
func (c *kueueCluster) read(ctx context.Context, s source, clusterUID string, now time.Time) error {
	recorded, err := s.recorded(ctx)
	if err != nil {
		return err
	}
	w := &kueueWorld{readAt: now, clusterQueues: map[string]*clusterQueue{}, localQueues: map[wire.Key]*localQueue{}}
	if recorded[workloadType] {
		if w.blind, err = s.blind(ctx, clusterUID, typeOf(workloadType)); err != nil {
			return err
		}
	}
	kept := map[int64]keptBody{}
	for _, one := range kueueTypes {
		if !recorded[one.name] {
			continue
		}
		f := history.Filter{Cluster: clusterUID, Types: []history.Type{typeOf(one.name)}, States: one.states}
		var objects []history.Object
		err := s.objects(ctx, f, one.most, func(o *history.Object) { objects = append(objects, *o) })
		if errors.Is(err, errTooMany) {
			w.tooMany, err = true, nil
		}
		if err != nil {
			return err
		}
		if err := c.decode(ctx, s, objects, one.decode, kept); err != nil {
			return err
		}
		for _, o := range objects {
			if k, ok := kept[o.ID]; ok {
				w.add(k.value)
			}
		}
	}
	c.world, c.bodies = w, kept
	return nil
}

// decode adds the decoded bodies of objects to kept. It reads only bodies with a new version.
func (c *kueueCluster) decode(ctx context.Context, s source, objects []history.Object, decode func(job.Object, *history.Object) any, kept map[int64]keptBody) error {
	var changed []history.Object
	for _, o := range objects {
		if k, ok := c.bodies[o.ID]; ok && k.version == o.Version {
			kept[o.ID] = k
		} else {
			changed = append(changed, o)
		}
	}
	for some := range slices.Chunk(changed, 500) {
		bodies, err := s.history.Bodies(ctx, some)
		if err != nil {
			return err
		}
		for i := range some {
			if o := job.ParseObject(bodies[some[i].ID]); o != nil {
				kept[some[i].ID] = keptBody{some[i].Version, decode(o, &some[i])}
			}
		}
	}
	return nil
}

// kueueTypes are the types to read, in this order.
var kueueTypes = []struct {
	name   string
	states []job.State
	most   int
	decode func(job.Object, *history.Object) any
}{
	{clusterQueueType, nil, maxQueues, func(o job.Object, _ *history.Object) any { return readClusterQueue(o) }},
	{localQueueType, nil, maxQueues, func(o job.Object, _ *history.Object) any { return readLocalQueue(o) }},
	{workloadType, job.OpenStates(), maxWorkloads, decodeWorkload},
}

// add adds an object of Kueue.
func (k *kueueWorld) add(value any) {
	switch v := value.(type) {
	case *clusterQueue:
		k.clusterQueues[v.name] = v
	case *localQueue:
		k.localQueues[wire.Key{Namespace: v.namespace, Name: v.name}] = v
	case *workload:
		if !v.finished {
			k.workloads = append(k.workloads, v)
		}
	}
}

func decodeWorkload(body job.Object, o *history.Object) any {
	w := readWorkload(body)
	w.id, w.uid = o.ID, o.UID
	if w.jobUID == "" {
		w.jobUID, w.jobKind, w.jobName = o.Owner.UID, o.Owner.Kind, o.Owner.Name
	}
	return w
}
