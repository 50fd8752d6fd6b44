package parts_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/batch"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/internal/parts"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
)

// TestRelink: a part and its job that two transactions write at the same time are joined after the
// later commit, whichever it is.
func TestRelink(t *testing.T) {
	const label = "jobset.sigs.k8s.io/jobset-name"
	at := time.Unix(1_772_000_000, 0)
	one := func(kind, name string) object {
		return object{kind: kind, cluster: 1, Observation: observe.Observation{
			UID: "uid-" + name, Name: name, Namespace: "ml", Version: 1, Created: at, Seen: at, Source: model.Watched, Body: []byte("{}"), Status: job.Status{State: job.Running},
		}}
	}
	train := one("JobSet", "train")
	train.OfJob, train.Facts = true, &job.Facts{PodLabel: label, PodLabelValue: "train"}
	between := one("ReplicaSet", "between")
	between.Owner = model.Owner{UID: "uid-train", Kind: "JobSet", Name: "train"}
	owned, below, labeled := one("Pod", "pod"), one("Pod", "pod"), one("Pod", "pod")
	owned.Pod, below.Pod, labeled.Pod = true, true, true
	owned.Owner, below.Owner = between.Owner, model.Owner{UID: "uid-between", Kind: "ReplicaSet", Name: "between"}
	labeled.Labels = map[string]string{label: "train"}
	plain := train
	plain.Facts = &job.Facts{}
	for _, c := range []struct {
		name           string
		before         []object // committed before both
		upper, pod     object
		podCommitsLast bool
	}{
		{"owner, pod last", nil, plain, owned, true},
		{"owner, job last", nil, plain, owned, false},
		{"label, pod last", nil, train, labeled, true},
		{"label, job last", nil, train, labeled, false},
		{"object between, pod last", []object{plain}, between, below, true},
		{"object between, object last", []object{plain}, between, below, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, kind := range dbtest.Kinds() {
				if kind == "sqlite" {
					continue // it has one transaction at a time
				}
				d := modeltest.Open(t, dbtest.Empty(t, kind))
				r := resourcesOf(t, d.DB)
				for i := range c.before {
					write(t, d.DB, r, c.before, []int{i})
				}
				first, last := c.pod, c.upper
				if c.podCommitsLast {
					first, last = last, first
				}
				relink := func(w parts.Written) {
					if _, err := parts.Relink(t.Context(), d.DB, w); err != nil {
						t.Fatal(err)
					}
				}
				relink(writeAround(t, d.DB, r, last, func() { relink(writeAround(t, d.DB, r, first, func() {})) }))
				want := []string{"pod train"}
				if len(c.before) > 0 {
					want = []string{"between train", "pod train"}
				}
				d.Want(storedParts, want...)
			}
		})
	}
}

// writeAround writes an object in a transaction that commits after a function has returned.
func writeAround(t *testing.T, db *sqldb.DB, resources map[string]int64, o object, before func()) (linked parts.Written) {
	t.Helper()
	err := db.Transact(t.Context(), func(tx *sqldb.Tx) error {
		s := model.Scope{Cluster: o.cluster, Resource: resources[o.kind]}
		w, err := batch.Write(context.Background(), tx, s, bodies.NewEncoder(s.Resource, 1<<20), []observe.Observation{o.Observation})
		if err != nil {
			return fmt.Errorf("%s: %w", o.Name, err)
		}
		linked = w.Linked
		before()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return linked
}
