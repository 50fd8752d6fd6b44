package stats_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/stats"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// recorded records the objects of a server into a database, and returns its index.
func recorded(t *testing.T, srv *apitest.Server, url string, objects int, types ...record.Target) (*sqldb.DB, *jobindex.Index) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	r, err := record.New(db, record.Config{Cluster: cluster, ClusterName: "gpu-west", Name: "one", Targets: types, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	stop := start(t, r.Run)
	patience.Until(t, "all objects are recorded", func() string {
		page, err := history.New(db).ListObjects(t.Context(), history.Filter{}, history.Paging{Limit: 1000})
		if err != nil || len(page.Items) < objects {
			return fmt.Sprintf("%d of %d, error %v", len(page.Items), objects, err)
		}
		return ""
	})
	stop()
	x := jobindex.New(jobindex.Config{DB: db, Logger: slog.New(slog.DiscardHandler)})
	stop = start(t, x.Run)
	<-x.Ready()
	stop()
	return db, x
}

// start runs a function until stop is called.
func start(t *testing.T, run func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = run(ctx) // it ends with ctx
	}()
	return func() {
		cancel()
		<-done
	}
}

// TestPods: the cause of a job comes from the pod that failed first; within a second, from a pod
// that no signal ended. Nodes count the pods of the jobs that the person sees.
func TestPods(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		srv, err := apitest.New(apitest.Config{BookmarkInterval: 20 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(srv.Close)
		now := time.Now().UTC()
		create := func(text string) string {
			var fields map[string]any
			if err := yaml.Unmarshal([]byte(strings.ReplaceAll(text, "NOW", now.Format(time.RFC3339))), &fields); err != nil {
				t.Fatal(err)
			}
			o, err := srv.Create(&unstructured.Unstructured{Object: fields})
			if err != nil {
				t.Fatal(err)
			}
			return string(o.GetUID())
		}
		create("apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system}")
		var uids [3]string
		for i, pods := range [][]string{ // of each job: node, exit code and reason of each pod
			{"n1 137 OOMKilled", "n2 143 Error"},
			{"n1 1 Error"},
			{"n2 0 Completed", "n3 0 Completed"},
		} {
			namespace := []string{"ml", "ml", "web"}[i]
			condition := `type: Failed, status: "True", reason: BackoffLimitExceeded`
			if i == 2 {
				condition = `type: Complete, status: "True"`
			}
			uid := create(fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata: {namespace: %s, name: job-%d}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}}\nstatus: {conditions: [{%s, lastTransitionTime: NOW}]}", namespace, i, condition))
			uids[i] = uid
			for k, pod := range pods {
				var node, reason string
				var code int
				if _, err := fmt.Sscan(pod, &node, &code, &reason); err != nil {
					t.Fatal(err)
				}
				phase := "Failed"
				if code == 0 {
					phase = "Succeeded"
				}
				create(fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {namespace: %s, name: job-%d-%d, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: job-%d, uid: %s, controller: true}]}\n"+
					"spec: {nodeName: %s, containers: [{name: main, image: x}]}\nstatus: {phase: %s, containerStatuses: [{name: main, state: {terminated: {exitCode: %d, reason: %s, finishedAt: '%s'}}}]}",
					namespace, i, k, i, uid, node, phase, code, reason, now.Format(time.RFC3339)))
			}
		}
		create(fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {namespace: other, name: claim, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: job-1, uid: %s, controller: true}]}\n"+
			"spec: {nodeName: n9, containers: [{name: main, image: x}]}\nstatus: {phase: Failed, containerStatuses: [{name: main, state: {terminated: {exitCode: 1, reason: Error, finishedAt: '%s'}}}]}",
			uids[1], now.Format(time.RFC3339))) // it claims the job of another namespace
		db, x := recorded(t, srv, url, 9, record.Target{Type: "jobs.batch"}, record.Target{Type: "pods"})
		later := now.Add(time.Hour)
		r := stats.New(stats.Config{DB: db, Index: x, Now: func() time.Time { return later }})
		w := stats.Window{From: now.Add(-time.Hour), To: later}
		for range 2 { // the second answer uses the ends that the first one read
			a, err := r.Stats(t.Context(), jobindex.Query{}, w, stats.Window{})
			if err != nil {
				t.Fatal(err)
			}
			if want := []api.Share{{Word: "Error, exit code 1", Count: 1}, {Word: "OOMKilled", Count: 1}}; !slices.Equal(a.Now.Causes, want) {
				t.Errorf("causes %+v, want %+v", a.Now.Causes, want)
			}
			if got := nodesOf(a); got != "n1 2/2, n2 1/2, n3 0/1" || !a.Now.NodesSeen {
				t.Errorf("got nodes %s, want n1 2/2, n2 1/2, n3 0/1", got)
			}
		}
		a, err := r.Stats(t.Context(), jobindex.Query{Sees: func(_, namespace string) bool { return namespace == "web" }}, w, stats.Window{})
		if err != nil || nodesOf(a) != "n2 0/1, n3 0/1" {
			t.Errorf("nodes of one namespace: %s, %v", nodesOf(a), err)
		}
	})
}

// nodesOf returns the nodes with their failed pods of all pods. The cells have to add up.
func nodesOf(a *api.Stats) string {
	var all []string
	for _, n := range a.Now.Nodes {
		failed := 0
		for _, c := range n.Cells {
			failed += c
		}
		if failed != n.Failed {
			return fmt.Sprintf("%s has %d failed pods, and %d in its cells", n.Node, n.Failed, failed)
		}
		all = append(all, fmt.Sprintf("%s %d/%d", n.Node, n.Failed, n.Pods))
	}
	return strings.Join(all, ", ")
}
