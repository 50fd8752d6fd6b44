package insight

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
)

const (
	// linesEvery is the interval at which requested lines are read, and linesFor the maximum age
	// of a line in lists.
	linesEvery = 2 * time.Second
	linesFor   = 10 * time.Second
	// linesWithin limits one read in the background.
	linesWithin = 30 * time.Second
	// lookedAt is how long a line is refreshed after a request.
	lookedAt = time.Minute
	// absentFor is the interval at which a cluster without lines is read.
	absentFor = time.Minute
	// maxBlind is how long a line stays in lists while workloads are unobservable.
	maxBlind = time.Minute
)

// lineBook caches the places in line of all waiting jobs, by cluster, so that a list of jobs
// reads nothing.
type lineBook struct {
	world func(ctx context.Context, clusterUID string) (*kueueWorld, error)
	now   func() time.Time

	mu       sync.Mutex
	clusters map[string]*linePage
}

// linePage has the lines of one cluster. The mutex of the book guards its fields; the map
// does not change.
type linePage struct {
	asked, readAt time.Time
	absent        bool           // no object of Kueue is recorded
	places        map[string]int // by jobKey
}

func newLineBook(world func(context.Context, string) (*kueueWorld, error), now func() time.Time) *lineBook {
	return &lineBook{world: world, now: now, clusters: map[string]*linePage{}}
}

// fresh reports whether a page may be shown.
func (p *linePage) fresh(now time.Time) bool {
	age := now.Sub(p.readAt)
	return age >= 0 && (age < linesFor || p.absent && age < absentFor)
}

// byCluster returns the rows that may be in a line, by the UIDs of their clusters.
func byCluster(rows []jobindex.Row) map[string][]*jobindex.Row {
	all := map[string][]*jobindex.Row{}
	for i := range rows {
		if r := &rows[i]; r.State.Waits() && r.Labels[job.KueueQueueLabel] != "" {
			all[r.ClusterUID] = append(all[r.ClusterUID], r)
		}
	}
	return all
}

// places returns the places of jobs, by the IDs of their rows. It reads the lines of clusters
// that are not cached.
func (b *lineBook) places(ctx context.Context, rows []jobindex.Row) (map[int64]int, error) {
	found := map[int64]int{}
	var errs []error
	for cluster, some := range byCluster(rows) {
		now := b.now()
		b.mu.Lock()
		p := b.clusters[cluster]
		if p == nil {
			if len(b.clusters) >= maxClusters {
				clear(b.clusters)
			}
			p = &linePage{}
			b.clusters[cluster] = p
		}
		p.asked = now
		fresh := p.fresh(now)
		b.mu.Unlock()
		if !fresh {
			if err := b.read(ctx, cluster); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		b.add(found, cluster, some)
	}
	return found, errors.Join(errs...)
}

// kept is places without reading.
func (b *lineBook) kept(rows []jobindex.Row) map[int64]int {
	found := map[int64]int{}
	for cluster, some := range byCluster(rows) {
		b.add(found, cluster, some)
	}
	return found
}

// add adds the cached places of a cluster.
func (b *lineBook) add(found map[int64]int, cluster string, rows []*jobindex.Row) {
	b.mu.Lock()
	p := b.clusters[cluster]
	var places map[string]int
	if p != nil && p.fresh(b.now()) {
		places = p.places
	}
	b.mu.Unlock()
	for _, r := range rows {
		if n := places[jobKey(r.Namespace, r.UID)]; n > 0 {
			found[r.ID] = n
		}
	}
}

// read reads the lines of a cluster.
func (b *lineBook) read(ctx context.Context, cluster string) error {
	k, err := b.world(ctx, cluster)
	if err != nil {
		return err
	}
	places := map[string]int{}
	if k.blind.IsZero() || b.now().Sub(k.blind) < maxBlind {
		places = placesIn(k)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.clusters[cluster]; p != nil {
		p.readAt, p.absent, p.places = k.readAt, !k.knows(), places
	}
	return nil
}

// run refreshes requested lines until ctx ends.
func (b *lineBook) run(ctx context.Context) {
	tick := time.NewTicker(linesEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, cluster := range b.due() {
			within, cancel := context.WithTimeout(ctx, linesWithin)
			_ = b.read(within, cluster) // after an error the lines expire, and lists show no places
			cancel()
		}
	}
}

// due returns the clusters to read now.
func (b *lineBook) due() (clusters []string) {
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	for cluster, p := range b.clusters {
		switch {
		case now.Sub(p.asked) > lookedAt:
			delete(b.clusters, cluster)
		case !p.absent || !p.fresh(now):
			clusters = append(clusters, cluster)
		}
	}
	slices.Sort(clusters)
	return clusters
}

// placesIn returns the places of all jobs that wait for quota of a ClusterQueue, by jobKey. It
// returns none if not all workloads were read.
func placesIn(k *kueueWorld) map[string]int {
	places := map[string]int{}
	if k.tooMany {
		return places
	}
	newest := map[string]*workload{}
	for _, w := range k.workloads {
		if last := newest[w.jobKey()]; last == nil || w.created.After(last.created) {
			newest[w.jobKey()] = w
		}
	}
	lines := map[*clusterQueue][]*workload{}
	for _, w := range k.workloads {
		if q := k.clusterQueueOf(w.namespace, w.queue); q != nil && w.waits() {
			lines[q] = append(lines[q], w)
		}
	}
	for _, line := range lines {
		slices.SortFunc(line, (*workload).compare)
		for i, w := range line {
			if w.jobUID != "" && newest[w.jobKey()] == w {
				places[w.jobKey()] = i + 1
			}
		}
	}
	return places
}
