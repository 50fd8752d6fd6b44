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

// seen returns an observation of the object "u" by a watch, or by a list that showed it as of
// a later version.
func seen(version, asOf wire.Version, s job.State, body string) observe.Observation {
	o := observe.Observation{
		UID: "u", Name: "a", Version: version, AsOf: asOf, Source: model.Watched, Seen: time.Unix(int64(max(version, asOf)), 0), Body: []byte(body), Status: job.Status{State: s},
	}
	if asOf != 0 {
		o.Source = model.Reshown
	}
	return o
}

// TestReshown checks where a revision with other content at a stored version belongs, in
// whatever order two recorders write what they saw.
func TestReshown(t *testing.T) {
	first, other := seen(10, 0, job.Running, "first"), seen(10, 20, job.Running, "other")
	later := seen(30, 0, job.Failed, "later")
	failed := seen(10, 20, job.Failed, "failed")
	gone := seen(40, 0, job.Deleted, "later")
	gone.Deleted = true
	for _, c := range []struct {
		name        string
		writes      []observe.Observation
		revisions   []string
		transitions []string
	}{
		{"other content", []observe.Observation{first, other}, []string{"10 first", "20 other"}, []string{"10  Running"}},
		{"twice", []observe.Observation{first, other, other}, []string{"10 first", "20 other"}, []string{"10  Running"}},
		{"seen later by another recorder", []observe.Observation{first, other, seen(10, 25, job.Running, "other")}, []string{"10 first", "20 other"}, []string{"10  Running"}},
		{"seen earlier by another recorder", []observe.Observation{first, other, seen(10, 15, job.Running, "other")}, []string{"10 first", "20 other"}, []string{"10  Running"}},
		{"the old content by a slow recorder", []observe.Observation{first, other, seen(10, 15, job.Running, "first")}, []string{"10 first", "20 other"}, []string{"10  Running"}},
		{"the old content again", []observe.Observation{first, other, seen(10, 25, job.Running, "first")}, []string{"10 first", "20 other", "25 first"}, []string{"10  Running"}},
		{"the second of two is slow", []observe.Observation{first, seen(10, 25, job.Running, "third"), other}, []string{"10 first", "20 other", "25 third"}, []string{"10  Running"}},
		{"another state", []observe.Observation{first, failed}, []string{"10 first", "20 failed"}, []string{"10  Running", "20 Running Failed"}},
		{"after a later version", []observe.Observation{first, later, other}, []string{"10 first", "20 other", "30 later"}, []string{"10  Running", "30 Running Failed"}},
		{"another state after a later version", []observe.Observation{first, later, failed}, []string{"10 first", "20 failed", "30 later"}, []string{"10  Running", "20 Running Failed"}},
		{"as of a version after the next one", []observe.Observation{first, later, seen(10, 35, job.Running, "other")}, []string{"10 first", "30 later"}, []string{"10  Running", "30 Running Failed"}},
		{"of a deleted object", []observe.Observation{first, later, gone, other}, []string{"10 first", "30 later", "40 later"}, []string{"10  Running", "30 Running Failed", "40 Failed Deleted"}},
		{"a version that the database lacks", []observe.Observation{first, seen(30, 35, job.Failed, "later")}, []string{"10 first", "30 later"}, []string{"10  Running", "30 Running Failed"}},
	} {
		for _, together := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in one batch: %v", c.name, together), func(t *testing.T) {
				dbtest.Each(t, func(t *testing.T, url string) {
					d := modeltest.Open(t, url)
					encoder := bodies.NewEncoder(d.Scope.Resource, 1<<20)
					batches := [][]observe.Observation{c.writes}
					if !together {
						batches = slices.Collect(slices.Chunk(c.writes, 1))
					}
					for _, some := range batches {
						err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
							_, err := batch.Write(t.Context(), tx, d.Scope, encoder, slices.Clone(some))
							return err
						})
						if err != nil {
							t.Fatal(err)
						}
					}
					var got []string
					for _, version := range d.Rows("SELECT version FROM revisions ORDER BY version") {
						v, err := wire.ParseVersion(version)
						if err != nil {
							t.Fatal(err)
						}
						body, err := d.Body(t.Context(), "u", v)
						if err != nil {
							t.Fatal(err)
						}
						got = append(got, version+" "+string(body))
					}
					if !slices.Equal(got, c.revisions) {
						t.Errorf("got the revisions %q, want %q", got, c.revisions)
					}
					d.Want("SELECT version, from_state, to_state FROM transitions ORDER BY version", c.transitions...)
				})
			})
		}
	}
}
