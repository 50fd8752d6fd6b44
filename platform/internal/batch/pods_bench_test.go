package batch_test

import (
	"fmt"
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

// BenchmarkPods measures revisions of pods of one job, each with another state, in batches of 500
// and of one. The job has other pods that have ended.
func BenchmarkPods(b *testing.B) {
	for _, kind := range dbtest.Kinds() {
		for _, c := range []struct{ pods, ended, atOnce int }{{500, 0, 500}, {500, 0, 1}, {500, 10_000, 1}} {
			b.Run(fmt.Sprintf("%s/%d pods, %d ended, %d at once", kind, c.pods, c.ended, c.atOnce), func(b *testing.B) {
				p := newPodWriter(b, kind)
				p.write(b, 0, c.pods+c.ended, job.Succeeded)
				p.write(b, 0, c.pods, job.Starting)
				states := []job.State{job.Running, job.Starting}
				n := 0
				for b.Loop() {
					from := n % (c.pods / c.atOnce) * c.atOnce
					p.write(b, from, from+c.atOnce, states[n*c.atOnce/c.pods%2])
					n++
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*c.atOnce), "us/revision")
			})
		}
	}
}

// podWriter writes pods of one job.
type podWriter struct {
	*modeltest.Database
	pods    model.Scope
	encoder *bodies.Encoder
	version wire.Version
}

func newPodWriter(b *testing.B, kind string) *podWriter {
	b.Helper()
	url, err := dbtest.New(b.Context(), kind, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	p := &podWriter{Database: modeltest.Open(b, url), version: 10}
	p.pods = p.Scope
	if err := p.Write(b.Context(), []modeltest.Revision{{UID: "train", Version: 1, State: job.Running, Body: `{"kind":"Job","apiVersion":"batch/v1"}`}}); err != nil {
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

// write writes a revision of some pods in one transaction.
func (p *podWriter) write(b *testing.B, from, to int, s job.State) {
	var all []observe.Observation
	for i := from; i < to; i++ {
		p.version++
		all = append(all, observe.Observation{
			UID: fmt.Sprintf("pod-%05d", i), Namespace: "ml", Name: fmt.Sprintf("pod-%05d", i), Version: p.version, Source: model.Watched, Seen: time.Unix(1_772_000_000, 0),
			Body: fmt.Appendf(nil, `{"kind":"Pod","pod":%d,"state":%q}`, i, s), Status: job.Status{State: s}, Pod: true, Owner: model.Owner{UID: "train", Kind: "Job", Name: "train"},
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
