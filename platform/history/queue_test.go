package history_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/wire"
)

// TestQueueStats: waits count from the first transition to the first run, by queue, in the
// period in which the object ran first; runs count in the period in which it ended. Labels and objects come by ID.
func TestQueueStats(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		at := func(uid, queue string, steps ...any) (all []revision) {
			for i := 0; i < len(steps); i += 2 {
				all = append(all, revision{
					Cluster: 1, Resource: 2, Namespace: "ml", Name: uid, UID: uid, Version: wire.Version(uid[0])*100 + wire.Version(i), State: steps[i].(job.State),
					Seen: begin.Add(minutes(steps[i+1].(int))), Queue: queue, Labels: map[string]string{"of": uid},
				})
			}
			return all
		}
		all := at("a", "gpu", job.Submitted, 0, job.Queued, 5, job.Running, 10, job.Queued, 20, job.Running, 90)
		all = append(all, at("b", "gpu", job.Queued, 0, job.Running, 30, job.Restarting, 45, job.Running, 46, job.Failed, 51)...)
		all = append(all, at("c", "gpu", job.Queued, 0, job.Running, 70)...)                  // after the period
		all = append(all, at("d", "gpu", job.Queued, 0)...)                                   // waits
		all = append(all, at("e", "cpu", job.Queued, 0, job.Running, 1, job.Succeeded, 5)...) // waited before the period
		all = append(all, at("f", "", job.Queued, 20, job.Running, 22, job.Aborted, 61)...)   // ended after the period
		if err := write(t.Context(), db, all); err != nil {
			t.Fatal(err)
		}
		h := history.New(db)
		got, err := h.QueueStats(t.Context(), history.Filter{Since: begin.Add(minutes(2))}, begin.Add(minutes(60)))
		one := func(d time.Duration) history.Spread { return history.Spread{Count: 1, P50: d, P90: d, Max: d} }
		want := map[string]history.QueueStats{
			"gpu": {Waiting: history.Spread{Count: 2, P50: minutes(10), P90: minutes(30), Max: minutes(30)}, Running: one(minutes(20))},
			"cpu": {Running: one(minutes(4))},
			"":    {Waiting: one(minutes(2))},
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("error %v; queues (-want +got):\n%s", err, diff)
		}
		objects, err := h.ObjectsByID(t.Context(), []int64{2, 99, 4})
		if err != nil || len(objects) != 2 || objects[0].UID+objects[1].UID != "bd" && objects[0].UID+objects[1].UID != "db" {
			t.Errorf("got %v and error %v, want objects b and d", objects, err)
		}
		labels, err := h.Labels(t.Context(), []int64{1, 3, 99})
		if diff := cmp.Diff(map[int64]map[string]string{1: {"of": "a"}, 3: {"of": "c"}}, labels); err != nil || diff != "" {
			t.Errorf("error %v; labels (-want +got):\n%s", err, diff)
		}
	})
}
