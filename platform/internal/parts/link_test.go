package parts_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/batch"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/internal/parts"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	os.Exit(code)
}

// types are the types of drawn objects, by their kind.
var types = map[string]model.Type{
	"JobSet": {Group: "jobset.x-k8s.io", Resource: "jobsets", Kind: "JobSet"}, "Job": {Group: "batch", Resource: "jobs", Kind: "Job"},
	"MPIJob": {Group: "kubeflow.org", Resource: "mpijobs", Kind: "MPIJob"}, "ReplicaSet": {Group: "apps", Resource: "replicasets", Kind: "ReplicaSet"}, "Pod": {Resource: "pods", Kind: "Pod"},
}

// object is a drawn object.
type object struct {
	observe.Observation
	kind    string
	cluster int64
	owner   int // index; -1: none
}

func (o *object) isJob() bool { return o.OfJob && !slices.Contains(job.Parents(), o.Owner.Kind) }

// drawObjects draws objects that may own later ones, also across namespaces and clusters.
func drawObjects(t *rapid.T) (all []object) {
	for i := range rapid.IntRange(1, 10).Draw(t, "objects") {
		kind := rapid.SampledFrom([]string{"JobSet", "Job", "ReplicaSet", "Pod", "Pod"}).Draw(t, "kind")
		at := time.Unix(1_772_000_000+int64(rapid.IntRange(0, 3).Draw(t, "created")), 0)
		o := object{kind: kind, cluster: int64(1 + rapid.IntRange(0, 4).Draw(t, "cluster")/4), owner: rapid.IntRange(-1, i-1).Draw(t, "owner"), Observation: observe.Observation{
			UID: fmt.Sprint("uid-", i), Name: fmt.Sprint("n", i), Namespace: []string{"ml", "web"}[rapid.IntRange(0, 4).Draw(t, "namespace")/4], Version: wire.Version(i + 1),
			Created: at, Seen: at, Source: model.Watched, Body: fmt.Appendf(nil, "{%d}", i), Status: job.Status{State: job.Running}, Pod: kind == "Pod",
		}}
		if o.owner >= 0 {
			p := &all[o.owner]
			o.Owner = model.Owner{UID: p.UID, Kind: p.kind, Name: p.Name}
		}
		if kind == "JobSet" || kind == "Job" {
			o.OfJob, o.Facts = true, &job.Facts{}
		}
		if kind == "JobSet" {
			o.Facts.PodLabel, o.Facts.PodLabelValue = "jobset.sigs.k8s.io/jobset-name", o.Name
		}
		if set := rapid.IntRange(-1, i-1).Draw(t, "set"); kind == "Pod" && set >= 0 && all[set].kind == "JobSet" {
			o.Labels = map[string]string{"jobset.sigs.k8s.io/jobset-name": all[set].Name}
		}
		all = append(all, o)
	}
	return all
}

// jobOf returns the name of the job of an object by its chain of owners, or by its label.
func jobOf(all []object, i int) string {
	o := &all[i]
	if o.isJob() {
		return ""
	}
	if o.owner >= 0 {
		p := &all[o.owner]
		if p.cluster == o.cluster && p.Namespace == o.Namespace {
			if p.isJob() {
				return p.Name
			}
			if of := jobOf(all, o.owner); of != "" {
				return of
			}
		}
	}
	for k := range all {
		if p := &all[k]; o.kind == "Pod" && p.kind == "JobSet" && p.isJob() && p.Name == o.Labels["jobset.sigs.k8s.io/jobset-name"] && p.cluster == o.cluster && p.Namespace == o.Namespace && !p.Created.After(o.Created) {
			return p.Name
		}
	}
	return ""
}

// TestLink checks the jobs of objects that are written in any order and in any batches against
// the chains of their owners.
func TestLink(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := modeltest.Open(t, url)
		resources := resourcesOf(t, d.DB)
		modeltest.Check(t, func(t *rapid.T) {
			d.Clear()
			all := drawObjects(t)
			var want []string
			for i := range all {
				if of := jobOf(all, i); of != "" {
					want = append(want, all[i].Name+" "+of)
				}
			}
			order := rapid.Permutation(indexes(len(all))).Draw(t, "order")
			for len(order) > 0 {
				n := rapid.IntRange(1, len(order)).Draw(t, "transaction")
				write(t, d.DB, resources, all, order[:n])
				order = order[n:]
			}
			if got := d.Rows(storedParts); !slices.Equal(got, sorted(want)) {
				t.Fatalf("got %q, want %q", got, want)
			}
			if left := d.Rows("SELECT c.name FROM job_parts p JOIN open_parts x ON x.object_id = p.object_id JOIN objects c ON c.id = p.object_id" +
				" JOIN objects o ON o.uid = c.owner_uid AND o.namespace = c.namespace AND o.cluster_id = c.cluster_id LEFT JOIN job_parts q ON q.object_id = o.id WHERE o.id = p.job_id OR q.job_id = p.job_id"); left != nil {
				t.Fatalf("parts whose owner leads to their job are open: %q", left)
			}
		})
	})
}

const storedParts = "SELECT o.name, j.name FROM job_parts p JOIN objects o ON o.id = p.object_id JOIN objects j ON j.id = p.job_id ORDER BY o.name"

func sorted(all []string) []string {
	slices.Sort(all)
	return all
}

func indexes(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

func resourcesOf(t *testing.T, db *sqldb.DB) map[string]int64 {
	ids := map[string]int64{}
	err := db.Transact(t.Context(), func(tx *sqldb.Tx) error {
		for kind, of := range types {
			id, err := model.EnsureResource(t.Context(), tx, of)
			if err != nil {
				return err
			}
			ids[kind] = id
		}
		_, err := model.EnsureCluster(t.Context(), tx, "uid-2", "2", time.Time{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// write writes some objects in one transaction, each type as a recorder does.
func write(t interface{ Fatal(args ...any) }, db *sqldb.DB, resources map[string]int64, all []object, some []int) {
	err := db.Transact(context.Background(), func(tx *sqldb.Tx) error {
		for i := 0; i < len(some); {
			first := &all[some[i]]
			var batched []observe.Observation
			for ; i < len(some) && all[some[i]].kind == first.kind && all[some[i]].cluster == first.cluster; i++ {
				batched = append(batched, all[some[i]].Observation)
			}
			s := model.Scope{Cluster: first.cluster, Resource: resources[first.kind]}
			if _, err := batch.Write(context.Background(), tx, s, bodies.NewEncoder(s.Resource, 1<<20), batched); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSweep: a part and its job that were written at the same time are joined by a sweep, in the
// second step after the part at the latest.
func TestSweep(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := modeltest.Open(t, url)
		r := resourcesOf(t, d.DB)
		insert := func(kind, name, owner, ownerKind string) {
			d.Exec(fmt.Sprintf("INSERT INTO objects (cluster_id, resource_id, namespace, name, uid, owner_uid, owner_kind, owner_name, queue, submitter, created_at, seen_at, presence, deleted_at, version,"+
				" state, raw_state, reason, message, since, attributes_hash, selector_hash, keyframe_version, deltas) VALUES (1, %d, 'ml', '%s', 'uid-%[2]s', '%s', '%s', '', '', '', 0, 0, 0, 0, 1, '', '', '', '', 0, 1, 0, 0, 0)",
				r[kind], name, owner, ownerKind))
		}
		var s parts.Sweeper
		sweep := func() {
			t.Helper()
			if err := s.Sweep(t.Context(), d.DB); err != nil {
				t.Fatal(err)
			}
		}
		insert("Pod", "stranger", "uid-nobody", "ReplicaSet")
		d.Exec("INSERT INTO open_parts (object_id, owner_uid) SELECT id, owner_uid FROM objects")
		sweep()
		insert("Pod", "pod", "uid-train", "Job")
		d.Exec("INSERT INTO open_parts (object_id, owner_uid) SELECT id, owner_uid FROM objects WHERE name = 'pod'")
		sweep()
		insert("Job", "train", "", "")
		d.Exec("INSERT INTO jobs (object_id, state, reason, message, since, entered_at, decisions) SELECT id, state, reason, message, since, since, 0 FROM objects WHERE name = 'train'")
		sweep()
		d.Want(storedParts, "pod train")
		if open := d.Rows("SELECT o.name FROM open_parts p JOIN objects o ON o.id = p.object_id"); strings.Join(open, " ") != "stranger" {
			t.Errorf("open parts: got %q, want stranger", open)
		}
	})
}

// TestLabelOfSeveralKinds: a pod belongs to the MPIJob that its label names although its owner, the
// launcher, is not recorded and other kinds have the same label, before and after the job.
func TestLabelOfSeveralKinds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := modeltest.Open(t, url)
		resources := resourcesOf(t, d.DB)
		at := time.Unix(1_772_000_000, 0)
		spec := job.ReadSpec(map[string]any{"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": map[string]any{"name": "train"}})
		facts := spec.Facts(job.Running)
		mpi := object{kind: "MPIJob", cluster: 1, Observation: observe.Observation{
			UID: "uid-train", Name: "train", Namespace: "ml", Version: 2, Created: at, Seen: at, Source: model.Watched, Body: []byte("{}"), Status: job.Status{State: job.Running}, OfJob: true, Facts: &facts,
		}}
		pod := func(name string, version wire.Version) object {
			return object{kind: "Pod", cluster: 1, Observation: observe.Observation{
				UID: "uid-" + name, Name: name, Namespace: "ml", Version: version, Created: at.Add(time.Second), Seen: at, Source: model.Watched, Body: []byte("{}"), Status: job.Status{State: job.Running},
				Pod: true, Owner: model.Owner{UID: "uid-launcher", Kind: "Job", Name: "train-launcher"}, Labels: map[string]string{facts.PodLabel: "train"},
			}}
		}
		all := []object{pod("before", 1), mpi, pod("later", 3)}
		for i := range all {
			write(t, d.DB, resources, all, []int{i})
		}
		d.Want(storedParts, "before train", "later train")
	})
}
