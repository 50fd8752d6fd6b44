package readapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"go.uber.org/goleak"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/readapi"
	"github.com/vedette-io/vedette/platform/portal/web"
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

// sight is a person who sees one namespace; "*" sees all, and jobsOnly before a namespace sees its
// jobs without their pods.
type sight string

const jobsOnly = "jobs of "

func (s sight) All() bool { return s == "*" }
func (s sight) Sees(_, namespace string) bool {
	return s.All() || strings.TrimPrefix(string(s), jobsOnly) == namespace
}

func (s sight) Since(_, _, _, namespace string) (time.Time, bool) {
	return time.Time{}, s.Sees("", namespace)
}

func (s sight) SeesJob(_, _, _, namespace string, _ time.Time) bool { return s.Sees("", namespace) }
func (s sight) SeesPods(_, namespace string) bool                   { return s.All() || string(s) == namespace }
func (s sight) Key() string                                         { return string(s) }

// world is an API server, a recorder that has recorded everything, an index, and the
// operations.
type world struct {
	t     *testing.T
	srv   *apitest.Server
	conn  *kube.Cluster
	db    *sqldb.DB
	h     *history.History
	index *jobindex.Index
	http  *httptest.Server
	// number of types that the recorder follows
	targets int
	api     huma.API
}

const clusterName = "west"

// kinds are the custom resources that a world may have.
var kinds = []apitest.Type{
	{Group: "kueue.x-k8s.io", Version: "v1beta1", Kind: "Workload", Namespaced: true},
	{Group: "kueue.x-k8s.io", Version: "v1beta1", Kind: "ClusterQueue"},
	{Group: "kueue.x-k8s.io", Version: "v1beta1", Kind: "LocalQueue", Namespaced: true},
}

// newWorld creates a world without jobs. Its recorder follows jobs, pods and further
// types.
func newWorld(t *testing.T, further ...string) *world {
	t.Helper()
	srv, err := apitest.New(apitest.Config{BookmarkInterval: 50 * time.Millisecond, Types: kinds})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	w := &world{t: t, srv: srv}
	if w.conn, err = kube.Connect(kube.Config{REST: srv.RESTConfig()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.conn.Close)
	if w.db, err = sqldb.Open(t.Context(), dbtest.First(t)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.db.Close() })
	if _, err := w.db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.h = history.New(w.db)
	for _, name := range []string{"kube-system", "team-a", "team-b"} {
		w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	targets := []record.Target{{Type: "jobs.batch"}, {Type: "pods"}}
	for _, typ := range further {
		targets = append(targets, record.Target{Type: typ})
	}
	r, err := record.New(w.db, record.Config{
		Cluster: w.conn, ClusterName: clusterName, Name: "recorder", Targets: targets, Logger: slog.New(slog.DiscardHandler),
		Reflector: reflector.Config{MinBackoff: time.Millisecond, MaxBackoff: 10 * time.Millisecond, SlowRetry: 20 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.targets = len(targets)
	w.run(r.Run)
	w.index = jobindex.New(jobindex.Config{DB: w.db, Logger: slog.New(slog.DiscardHandler)})
	w.run(w.index.Run)
	<-w.index.Ready()
	w.settle()
	return w
}

// run runs a function until the test ends.
func (w *world) run(f func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	var work sync.WaitGroup
	work.Go(func() { _ = f(ctx) })
	w.t.Cleanup(func() {
		cancel()
		work.Wait()
	})
}

// serve serves the operations. The header X-Person names the namespace that the person sees.
func (w *world) serve(change func(*readapi.Config)) {
	w.t.Helper()
	type key struct{}
	cfg := readapi.Config{
		DB: w.db, Index: w.index, Version: "v0", KeepsDays: 90, Patience: time.Minute, Logger: slog.New(slog.DiscardHandler),
		Sight: func(ctx context.Context) (readapi.Sight, error) {
			s, _ := ctx.Value(key{}).(sight)
			return s, nil
		},
		Clusters: []string{clusterName},
		Cluster:  func(context.Context, string) (*kube.Cluster, error) { return w.conn, nil },
	}
	if change != nil {
		change(&cfg)
	}
	mux := http.NewServeMux()
	w.api = web.NewAPI(mux, "v0")
	readapi.Register(w.api, cfg)
	w.http = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		name := r.Header.Get("X-Person")
		ctx := context.WithValue(r.Context(), key{}, sight(name))
		ctx = identity.With(ctx, identity.Person{Name: "ana", Names: []string{"ana"}, SignIn: api.SignInToken})
		ctx = web.WithLogger(ctx, slog.New(slog.DiscardHandler))
		mux.ServeHTTP(out, r.WithContext(ctx))
	}))
	w.t.Cleanup(w.http.Close)
}

func (w *world) create(o apitest.Object) apitest.Object {
	w.t.Helper()
	created, err := w.srv.Create(o)
	if err != nil {
		w.t.Fatal(err)
	}
	return created
}

// settle waits until the recorder and the index are current.
func (w *world) settle() {
	w.t.Helper()
	patience.Until(w.t, "the recorder and the index are current", func() string {
		a, err := w.h.Activity(w.t.Context(), 0)
		if err != nil {
			w.t.Fatal(err)
		}
		current := len(a.Coverage) == w.targets && a.Waiting == 0 && (len(a.Recent) == 0 || int(w.index.Position()) >= len(a.Recent))
		for _, c := range a.Coverage {
			current = current && uint64(c.Version) >= uint64(w.srv.Version())
		}
		if !current {
			return fmt.Sprintf("version %d: coverage %+v of %d types, %d wait, %d transitions, the index is at %d", w.srv.Version(), a.Coverage, w.targets, a.Waiting, len(a.Recent), w.index.Position())
		}
		return ""
	})
}

// get requests a path as a person, and returns the status and the body. It repeats a request
// that took too long, as on a loaded machine.
func (w *world) get(person, path string) (status int, text string) {
	w.t.Helper()
	patience.Until(w.t, "GET "+path+" answers", func() string {
		if status, text = w.ask(person, path); status == http.StatusGatewayTimeout && strings.Contains(text, " did not answer in ") {
			return text
		}
		return ""
	})
	return status, text
}

func (w *world) ask(person, path string) (int, string) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.http.URL+api.Prefix+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("X-Person", person)
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// read requests a path as somebody who sees everything, and decodes the answer.
func read[T any](w *world, path string) T {
	w.t.Helper()
	var out T
	status, text := w.get("*", path)
	if status != http.StatusOK {
		w.t.Fatalf("%s: got status %d and %s, want 200", path, status, text)
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		w.t.Fatalf("%s: not JSON: %v in %s", path, err, text)
	}
	return out
}

// newJob returns a job with a pod template.
func newJob(namespace, name string) *batchv1.Job {
	one := int32(1)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: map[string]string{"team": namespace, "kueue.x-k8s.io/queue-name": "gpu-" + namespace},
			Annotations: map[string]string{"vedette.io/user": "ana"},
		},
		Spec: batchv1.JobSpec{
			Parallelism: &one, Completions: &one,
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "train:v1"}}}},
		},
	}
}

// newPod returns a pod of a job. With an exit code other than 0, it has failed.
func newPod(job *batchv1.Job, name, node string, exit int32) *corev1.Pod {
	yes := true
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: job.Namespace, Name: name,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: job.Name, UID: job.UID, Controller: &yes}},
		},
		Spec:   corev1.PodSpec{NodeName: node, RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "train:v1"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	c := corev1.ContainerStatus{Name: "main", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}}
	if exit != 0 {
		p.Status.Phase = corev1.PodFailed
		c.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exit, Reason: "OOMKilled", StartedAt: now, FinishedAt: now}}
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{c}
	return p
}

// jobPath returns the path of an operation about a job.
func jobPath(path, uid string) string {
	return strings.NewReplacer("{cluster}", clusterName, "{uid}", uid).Replace(path)
}

// read1 returns the number of a job in the database.
func read1(w *world, j *batchv1.Job) (id int64) {
	w.t.Helper()
	if err := w.index.View(func(v *jobindex.View) error {
		row, ok := v.Job(clusterName, string(j.UID), time.Time{})
		if id = row.ID; !ok {
			w.t.Fatalf("the index lacks %s", j.Name)
		}
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	return id
}

// clusterUID returns the UID of the cluster.
func (w *world) clusterUID() string {
	w.t.Helper()
	a, err := w.h.Activity(w.t.Context(), 0)
	if err != nil || len(a.Coverage) == 0 {
		w.t.Fatal("no coverage: ", err)
	}
	return a.Coverage[0].ClusterUID
}
