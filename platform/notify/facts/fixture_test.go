package facts_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify/facts"
	"github.com/vedette-io/vedette/platform/notify/message"
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

// kinds are the custom resources of the tests.
var kinds = []apitest.Type{{Group: "kubeflow.org", Version: "v2beta1", Kind: "MPIJob", Namespaced: true}}

// platform is an API server with a recorder that writes to a database.
type platform struct {
	*testing.T
	srv  *apitest.Server
	db   *sqldb.DB
	stop func() // of the recorder
}

func newPlatform(t *testing.T, url string) *platform {
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
	p := &platform{T: t, srv: srv, db: db}
	p.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	p.record()
	return p
}

func (p *platform) create(o apitest.Object) {
	p.Helper()
	if _, err := p.srv.Create(o); err != nil {
		p.Fatal(err)
	}
}

// record runs a recorder of jobs and pods until stop is called.
func (p *platform) record() {
	p.Helper()
	cluster, err := kube.Connect(kube.Config{REST: p.srv.RESTConfig()})
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(cluster.Close)
	r, err := record.New(p.db, record.Config{
		Cluster: cluster, ClusterName: "gpu-west", Name: "one", Targets: []record.Target{{Type: "pods"}, {Type: "jobs.batch"}, {Type: "mpijobs.kubeflow.org"}}, Logger: slog.New(slog.DiscardHandler),
		Reflector: reflector.Config{MinBackoff: time.Millisecond, MaxBackoff: 10 * time.Millisecond, SlowRetry: 20 * time.Millisecond},
	})
	if err != nil {
		p.Fatal(err)
	}
	ctx, cancel := context.WithCancel(p.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	p.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			p.Error(err)
		}
	})
	p.Cleanup(p.stop)
}

// seen waits until the feed has a transition of an object to a state, and returns the
// newest.
func (p *platform) seen(name string, to job.State) feed.Transition {
	p.Helper()
	var last feed.Transition
	patience.Until(p, fmt.Sprintf("%s becomes %s", name, to), func() string {
		if _, err := feed.Sequence(p.Context(), p.db); err != nil {
			p.Fatal(err)
		}
		for t, err := range feed.Read(p.Context(), p.db, 0) {
			if err != nil {
				p.Fatal(err)
			}
			if t.Object.Name == name {
				last = t
			}
		}
		if last.To != to {
			return fmt.Sprintf("it is %q", last.To)
		}
		return ""
	})
	return last
}

// fill returns the notice of a transition with all facts in the history.
func (p *platform) fill(kind message.Kind, t feed.Transition) message.Notice {
	p.Helper()
	n := message.Notice{Kind: kind, Version: uint64(t.Version), From: t.From, To: t.To, Reason: t.Reason, Message: t.Message, Happened: t.Happened, Seen: t.Seen}
	if err := facts.New(p.db).Fill(p.Context(), &n, t.Object); err != nil {
		p.Fatal(err)
	}
	return n
}

// trainJob is a job whose pods have eight GPUs and 480 GiB.
func trainJob() *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ml", Name: "train", Labels: map[string]string{"kueue.x-k8s.io/queue-name": "gpu-h100"}, Annotations: map[string]string{"vedette.io/user": "ann"},
		},
		Spec: batchv1.JobSpec{BackoffLimit: new(int32(2)), ActiveDeadlineSeconds: new(int64(7200)), Template: corev1.PodTemplateSpec{Spec: podSpec()}},
	}
}

// status changes the status of the job.
func (p *platform) status(change func(s *batchv1.JobStatus)) {
	p.Helper()
	if _, err := apitest.Modify(p.srv, trainJob(), func(j *batchv1.Job) { change(&j.Status) }); err != nil {
		p.Fatal(err)
	}
}
