package batch_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// TestJobs checks that each job has a row with the facts of its newest body that could be
// decoded, in whatever order and batches revisions arrive. Parts of jobs have no row.
func TestJobs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := modeltest.Open(t, url)
		modeltest.Check(t, func(t *rapid.T) {
			d.Clear()
			var all []scoped
			want, newest := map[string]string{}, map[string]wire.Version{}
			for range rapid.IntRange(1, 20).Draw(t, "observations") {
				o := drawJob(t, wire.Version(len(all)+1))
				if stale := rapid.IntRange(0, 9).Draw(t, "stale"); stale == 0 && len(all) > 0 {
					o.Version = all[0].Version
				}
				o.scope = d.Scope
				all = append(all, o)
				if o.Version <= newest[o.UID] {
					continue
				}
				newest[o.UID] = o.Version
				switch {
				case o.Owner.Kind != "" || o.Body == nil:
				case o.Facts != nil:
					want[o.UID] = fmt.Sprintf("%s %d %d %s %d %d %d %s %s", o.UID, o.Facts.GPUs, o.Facts.Pods, o.Facts.Priority, o.Facts.Attempt, o.Facts.Attempts, o.Facts.Limit.Microseconds(), o.Facts.PodLabel, o.Facts.PodLabelValue)
				case want[o.UID] == "":
					want[o.UID] = o.UID + "        "
				}
			}
			writeAll(t, d.DB, d.Scope, all, rapid.Bool().Draw(t, "in one batch"))
			got := d.Rows("SELECT o.uid, j.gpus, j.pods, j.priority, j.attempt, j.attempts, j.time_limit, j.pod_label, j.pod_label_value FROM jobs j JOIN objects o ON o.id = j.object_id ORDER BY o.uid")
			var rows []string
			for _, row := range want {
				rows = append(rows, row)
			}
			if slices.Sort(rows); !slices.Equal(got, rows) {
				t.Fatalf("\n got %q\nwant %q", got, rows)
			}
		})
	})
}

// drawJob draws an observation of one of three jobs, of which the last one is a part of
// another job.
func drawJob(t *rapid.T, version wire.Version) scoped {
	number := rapid.IntRange(0, 2).Draw(t, "job")
	o := observe.Observation{
		UID: fmt.Sprint("uid-", number), Name: "x", Version: version, Seen: time.Unix(1_772_000_000+int64(version), 0), Source: model.Watched,
		Body: fmt.Appendf(nil, "{%d}", version), Status: job.Status{State: job.Running}, OfJob: true,
	}
	if number == 2 {
		o.Owner = model.Owner{UID: "uid-set", Kind: "JobSet", Name: "set"}
	}
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		o.Invalid = errors.New("not JSON")
	case 1:
		o.Body, o.OfJob, o.Deleted, o.Status.State, o.Owner = nil, false, true, job.Deleted, model.Owner{} // an inferred deletion
	default:
		o.Facts = &job.Facts{
			GPUs: rapid.IntRange(0, 1).Draw(t, "gpus"), Pods: 2, Priority: rapid.SampledFrom([]string{"", "high"}).Draw(t, "priority"),
			Attempt: rapid.IntRange(0, 2).Draw(t, "attempt"), Attempts: 3, Limit: time.Minute, PodLabel: "l", PodLabelValue: "v",
		}
	}
	return scoped{Observation: o}
}
