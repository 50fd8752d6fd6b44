package portal

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/jobindex"
)

// types caches the types of jobs in the history by cluster. Any goroutine may use it.
type types struct {
	index *jobindex.Index

	mu   sync.Mutex
	read time.Time
	all  map[string][]string // by cluster
}

// typesEvery is how long an answer is cached. An answer needs a scan of all jobs.
const typesEvery = 20 * time.Second

func newTypes(index *jobindex.Index) *types { return &types{index: index} }

// of returns the types of the jobs of a cluster. The caller must not change it.
func (t *types) of(cluster string) []string { return t.byCluster()[cluster] }

// clusters returns the names of all clusters with jobs.
func (t *types) clusters() []string { return slices.Collect(maps.Keys(t.byCluster())) }

// byCluster returns the types of the jobs of all clusters. The caller must not change them.
func (t *types) byCluster() map[string][]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.index.Ready():
	default:
		return nil
	}
	if time.Since(t.read) > typesEvery {
		all := map[string][]string{}
		_ = t.index.View(func(v *jobindex.View) error { // f returns no error
			for _, s := range v.Scopes() {
				if of := all[s.Cluster]; !slices.Contains(of, s.Type) {
					all[s.Cluster] = append(of, s.Type)
				}
			}
			return nil
		})
		t.all, t.read = all, time.Now()
	}
	return t.all
}
