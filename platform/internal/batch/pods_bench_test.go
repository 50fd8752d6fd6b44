package batch_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/batch"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// podChange is a change of a pod and back, and its meaning for the job.
type podChange struct {
	means string
	own   job.State // of the object of the job
	there job.Status
	back  job.Status
}

var podChanges = []podChange{
	{"the same", job.Running, job.Status{State: job.Running}, job.Status{State: job.Starting}},
	{"more", job.Running, job.Status{State: job.Running}, job.Status{State: job.Queued}},
	{"another status", job.Submitted, job.Status{State: job.Starting, Reason: "ErrImagePull"}, job.Status{State: job.Starting}},
}

// BenchmarkPods measures a transaction with a new state of one of 500 pods of a job, and the same
// for an object of another type, so that nothing is decided: the median of both, and their ratio.
// The job has other pods that have ended.
func BenchmarkPods(b *testing.B) {
	for _, kind := range dbtest.Kinds() {
		for _, ended := range []int{0, 10_000} {
			for _, c := range podChanges {
				b.Run(fmt.Sprintf("%s/%d ended/means %s", kind, ended, c.means), func(b *testing.B) {
					const pods = 500
					p := newPodWriter(b, kind, c.own)
					p.write(b, "pod", 0, pods+ended, job.Status{State: job.Succeeded})
					p.write(b, "pod", 0, pods, c.back)
					p.write(b, "other", 0, pods, c.back)
					var took [2][]time.Duration
					for n := 0; b.Loop(); n++ {
						to := c.there
						if n/pods%2 == 1 {
							to = c.back
						}
						for i, name := range []string{"pod", "other"} {
							begin := time.Now()
							p.write(b, name, n%pods, n%pods+1, to)
							took[i] = append(took[i], time.Since(begin))
						}
					}
					decided, without := median(took[0]), median(took[1])
					b.ReportMetric(float64(decided.Microseconds()), "us/decided")
					b.ReportMetric(float64(without.Microseconds()), "us/without")
					b.ReportMetric(float64(decided)/float64(without), "ratio")
				})
			}
		}
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// podWriter writes pods of one job.
type podWriter struct {
	*modeltest.Database
	pods    model.Scope
	encoder *bodies.Encoder
	version wire.Version
}

func newPodWriter(b *testing.B, kind string, own job.State) *podWriter {
	b.Helper()
	url, err := dbtest.New(b.Context(), kind, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	p := &podWriter{Database: modeltest.Open(b, url), version: 10}
	p.pods = p.Scope
	if err := p.Write(b.Context(), []modeltest.Revision{{UID: "train", Version: 1, State: own, Body: `{"kind":"Job","apiVersion":"batch/v1"}`}}); err != nil {
		b.Fatal(err)
	}
	err = p.Transact(b.Context(), func(tx *sqldb.Tx) (err error) {
		p.pods.Resource, err = model.EnsureResource(b.Context(), tx, model.Type{Resource: "pods", Kind: "Pod"})
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	p.encoder = bodies.NewEncoder(p.pods.Resource, 16<<20)
	return p
}

// write writes a revision of some objects in one transaction. Those named "pod" are pods.
func (p *podWriter) write(b *testing.B, name string, from, to int, s job.Status) {
	var all []observe.Observation
	for i := from; i < to; i++ {
		p.version++
		all = append(all, observe.Observation{
			UID: fmt.Sprintf("%s-%05d", name, i), Namespace: "ml", Name: fmt.Sprintf("%s-%05d", name, i), Version: p.version, Source: model.Watched, Seen: time.Unix(1_772_000_000+int64(p.version), 0),
			Body: fmt.Appendf(nil, `{"kind":"Pod","pod":%d,"state":%q}`, i, s.State), Status: s, Pod: name == "pod", Owner: model.Owner{UID: "train", Kind: "Job", Name: "train"},
		})
	}
	err := p.Transact(b.Context(), func(tx *sqldb.Tx) error {
		r, err := batch.Write(b.Context(), tx, p.pods, p.encoder, all)
		if err == nil {
			p.encoder.Commit(r.Bodies)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}
