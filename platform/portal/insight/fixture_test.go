package insight_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/reflector"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// kinds are the custom resources of the tests, with the versions of real servers.
var kinds = []apitest.Type{
	{Group: "kueue.x-k8s.io", Version: "v1beta1", Kind: "Workload", Namespaced: true},
	{Group: "kueue.x-k8s.io", Version: "v1beta1", Kind: "ClusterQueue"},
	{Group: "kueue.x-k8s.io", Version: "v1beta1", Kind: "LocalQueue", Namespaced: true},
	{Group: "scheduling.volcano.sh", Version: "v1beta1", Kind: "PodGroup", Namespaced: true},
	{Group: "scheduling.volcano.sh", Version: "v1beta1", Kind: "Queue"},
	{Group: "batch.volcano.sh", Version: "v1alpha1", Kind: "Job", Namespaced: true},
	{Group: "flink.apache.org", Version: "v1beta1", Kind: "FlinkDeployment", Namespaced: true},
}

// scene is a recorded cluster.
type scene struct {
	*testing.T
	srv     *apitest.Server
	db      *sqldb.DB
	index   *jobindex.Index
	insight *insight.Insight
	now     time.Time
	created map[string]int    // objects by type
	uids    map[string]string // by name
}

// newScene creates a cluster with the objects of a YAML text.
func newScene(t *testing.T, url string) *scene {
	t.Helper()
	srv, err := apitest.New(apitest.Config{Types: kinds, BookmarkInterval: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
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
	s := &scene{T: t, srv: srv, db: db, now: time.Now().UTC(), uids: map[string]string{}, created: map[string]int{}}
	s.create("apiVersion: v1\nkind: Namespace\nmetadata: {name: kube-system}")
	return s
}

// create creates objects from YAML. UID(name) in the text is replaced by the UID of an
// object that was created before, and NOW by the instant of the scene.
func (s *scene) create(text string) {
	s.Helper()
	text = strings.ReplaceAll(text, "NOW", s.now.Format(time.RFC3339))
	for part := range strings.SplitSeq(text, "\n---\n") {
		for name, uid := range s.uids {
			part = strings.ReplaceAll(part, "UID("+name+")", uid)
		}
		var fields map[string]any
		if err := yaml.Unmarshal([]byte(part), &fields); err != nil {
			s.Fatalf("not YAML: %v in\n%s", err, part)
		}
		made, err := s.srv.Create(&unstructured.Unstructured{Object: fields})
		if err != nil {
			s.Fatalf("create failed: %v:\n%s", err, part)
		}
		s.uids[made.GetName()] = string(made.GetUID())
		group, _, named := strings.Cut(made.GetObjectKind().GroupVersionKind().GroupVersion().String(), "/")
		name := strings.ToLower(made.GetObjectKind().GroupVersionKind().Kind) + "s"
		if named {
			name += "." + group
		}
		s.created[name]++
	}
}

// record records all objects of some types, and loads them into the index.
func (s *scene) record(types ...string) {
	s.Helper()
	s.recording(types...)()
	s.load()
}

// recording records some types until stop is called. All objects that exist are recorded when it
// returns.
func (s *scene) recording(types ...string) (stop func()) {
	s.Helper()
	cluster, err := kube.Connect(kube.Config{REST: s.srv.RESTConfig()})
	if err != nil {
		s.Fatal(err)
	}
	var targets []record.Target
	for _, name := range types {
		targets = append(targets, record.Target{Type: name})
	}
	r, err := record.New(s.db, record.Config{
		Cluster: cluster, ClusterName: "gpu-west", Name: "one", Targets: targets, Logger: slog.New(slog.DiscardHandler),
		Reflector: reflector.Config{MinBackoff: time.Millisecond, MaxBackoff: 10 * time.Millisecond, SlowRetry: 20 * time.Millisecond},
	})
	if err != nil {
		s.Fatal(err)
	}
	end := s.run(r.Run)
	want := 0
	for _, name := range types {
		want += s.created[name]
	}
	patience.Until(s, "all objects are recorded", func() string {
		page, err := history.New(s.db).ListObjects(s.Context(), history.Filter{}, history.Paging{Limit: 1000})
		if err != nil || len(page.Items) < want {
			return fmt.Sprintf("%d of %d, error %v", len(page.Items), want, err)
		}
		return ""
	})
	return func() {
		end()
		cluster.Close()
	}
}

// load loads the recorded objects into the index.
func (s *scene) load() {
	s.Helper()
	s.index = jobindex.New(jobindex.Config{DB: s.db, Logger: slog.New(slog.DiscardHandler)})
	stop := s.run(s.index.Run)
	<-s.index.Ready()
	stop()
	s.insight = insight.New(insight.Config{DB: s.db, Index: s.index})
}

// run runs a function until stop is called.
func (s *scene) run(f func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(s.Context())
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil && ctx.Err() == nil {
			s.Error(err)
		}
	}
}

// job returns the row of a job.
func (s *scene) job(namespace, name string) *jobindex.Row {
	s.Helper()
	var row jobindex.Row
	found := false
	err := s.index.View(func(v *jobindex.View) error {
		for _, typ := range []string{"jobs.batch", "jobs.batch.volcano.sh", "flinkdeployments.flink.apache.org"} {
			if r, ok := v.Newest("gpu-west", typ, namespace, name); ok {
				row, found = r, true
			}
		}
		return nil
	})
	if err != nil || !found {
		s.Fatalf("job %s/%s: found %v, error %v; want true", namespace, name, found, err)
	}
	return &row
}
