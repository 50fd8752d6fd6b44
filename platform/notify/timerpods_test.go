package notify_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
)

// pod stores a pod of a job in a state.
func (h *history) pod(owner string, state job.State, reason, text string) {
	h.t.Helper()
	h.tx(func(tx *sqldb.Tx) error {
		ctx, at := h.t.Context(), h.now().UnixMicro()
		if err := tx.InsertNew(ctx, "resources", []string{"id", "api_group", "name", "kind"}, row(2, "", "pods", "Pod"), "id"); err != nil {
			return err
		}
		uid := "pod-of-" + owner
		err := tx.InsertNew(ctx, "objects", []string{
			"cluster_id", "resource_id", "namespace", "name", "uid", "owner_uid", "owner_kind", "owner_name", "queue", "submitter", "created_at", "seen_at",
			"presence", "deleted_at", "version", "state", "raw_state", "reason", "message", "since", "attributes_hash", "selector_hash", "keyframe_version", "deltas",
		}, row(1, 2, "ml", uid, uid, owner, "Job", "job-"+owner, "", "", at, at, 0, 0, 1, "", "", "", "", at, 0, 0, 0, 0), "uid")
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE objects SET state = ?, reason = ?, message = ? WHERE uid = ?", string(state), reason, text, uid)
		return err
	})
	if err := modeltest.Link(h.t.Context(), h.DB); err != nil {
		h.t.Fatal(err)
	}
}

// TestWaitsForANode: a job that its controller calls Starting waits while the scheduler finds no node
// for its pods, and its message has the words of the scheduler. A job whose image is pulled does
// not wait.
func TestWaitsForANode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		p := h.plan(channels + "rules:\n- {name: slow, waits: 30m, to: [hook]}\n")
		h.write(newJob{uid: "a", version: 1, to: job.Submitted}, newJob{uid: "b", version: 2, to: job.Submitted})
		h.write(newJob{uid: "a", version: 3, to: job.Starting}, newJob{uid: "b", version: 4, to: job.Starting})
		h.pod("a", job.Queued, "Unschedulable", "0/4 nodes are available: 4 Insufficient nvidia.com/gpu. preemption: 0/4 nodes are available.")
		h.pod("b", job.Starting, "ContainerCreating", "")
		p.settle()
		h.add(29 * time.Minute)
		p.settle()
		h.want()
		h.add(2 * time.Minute)
		p.settle()
		h.want("a/1/waits/slow/hook")
		var n message.Notice
		if err := json.Unmarshal(h.deliveries()[0].Event, &n); err != nil {
			t.Fatal(err)
		}
		m, err := message.Compose(&n, message.Options{})
		if want := "It waits for a node. The scheduler says: 0/4 nodes are available: 4 Insufficient nvidia.com/gpu."; err != nil || n.Reason != "Unschedulable" || m.Sentence != want {
			t.Errorf("got reason %q, sentence %q, error %v; want Unschedulable, %q", n.Reason, m.Sentence, err, want)
		}
		h.pod("b", job.Queued, "Unschedulable", "no node")
		h.add(2 * time.Minute)
		p.settle()
		h.want("a/1/waits/slow/hook", "b/2/waits/slow/hook")
	})
}
