package cancel_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/crds"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

// stage is a control plane with a recorder.
type stage struct {
	plane     *controlplane.Cluster
	cluster   *kube.Cluster
	client    *submit.Client
	history   *history.History
	namespace string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{plane: controlplane.ForTest(t, controlplane.Options{}), namespace: "ml"}
	var err error
	if s.cluster, err = kube.Connect(kube.Config{REST: s.plane.RESTConfig(), Namespace: s.namespace}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.cluster.Close)
	s.client = submit.New(s.cluster, submit.Config{User: "ann"})
	namespaces, err := kube.For[corev1.Namespace](s.cluster, kube.ClientConfig{})
	if err == nil {
		_, err = namespaces.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}})
	}
	if err != nil {
		t.Fatal(err)
	}
	targets := []record.Target{{Type: "jobs.batch"}}
	names := []string{"commands.bus.volcano.sh"}
	for _, c := range types {
		names, targets = append(names, c.resource), append(targets, record.Target{Type: c.resource})
	}
	crds.Install(t, s.cluster, names...)
	s.record(t, targets)
	return s
}

// record runs a recorder into a new database.
func (s *stage) record(t *testing.T, targets []record.Target) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := record.New(db, record.Config{Cluster: s.cluster, Name: "one", Targets: targets, Logger: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	s.history = history.New(db)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// submit submits the only job in a text.
func (s *stage) submit(t *testing.T, text string) submit.Job {
	t.Helper()
	all, err := manifest.Parse(t.Context(), "job.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.client.Submit(t.Context(), submit.Request{Manifest: all[0], Namespace: s.namespace})
	if err != nil || !result.Created {
		t.Fatalf("created %v: %v", result.Created, err)
	}
	return result.Job()
}

// reaches waits until the history shows a job in a state, with a message.
func (s *stage) reaches(t *testing.T, j submit.Job, want job.State, message string) {
	t.Helper()
	patience.Until(t, j.String()+" is "+string(want), func() string {
		of := history.ObjectName{Type: typeOf(j), Namespace: j.Namespace, Name: j.Name}
		page, err := s.history.Objects(t.Context(), of, history.Paging{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Items) == 0 {
			return "not recorded"
		}
		if o := page.Items[0]; o.State != string(want) || o.Message != message && message != "" {
			return o.State + " " + o.Message
		}
		return ""
	})
}

// chain returns the attempts of a job.
func (s *stage) chain(t *testing.T, job submit.Job) []history.Attempt {
	t.Helper()
	chain, err := s.history.Chain(t.Context(), "", typeOf(job), job.UID)
	if err != nil || len(chain) == 0 {
		t.Fatal(len(chain), err)
	}
	return chain
}

func typeOf(job submit.Job) history.Type {
	return history.Type{Group: job.Resource.Group, Resource: job.Resource.Name, Kind: job.Resource.Kind}
}

// jsonOf returns YAML as JSON.
func jsonOf(t *testing.T, text string) []byte {
	t.Helper()
	out, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
