package smoke_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/channel/webhook"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/simulation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	clusterName = "west"
	namespace   = "ml"    // the namespace of anna
	elsewhere   = "other" // a namespace that anna may not see

	portalToken = "token-of-the-portal"
	annaToken   = "token-of-anna"
)

// authorize gives the portal all rights, and anna those to read and create in her namespace.
func authorize(r apitest.Request) error {
	verbs := []apitest.Verb{apitest.VerbGet, apitest.VerbList, apitest.VerbWatch, apitest.VerbCreate}
	if r.User == "portal" || r.User == "anna" && r.Namespace == namespace && slices.Contains(verbs, r.Verb) {
		return nil
	}
	return fmt.Errorf("User %q cannot %s resource %q in the namespace %q", r.User, r.Verb, r.Resource.Resource, r.Namespace)
}

// stage is everything in one process: an API server whose jobs run, a recorder, a notifier with
// a webhook, and a portal.
type stage struct {
	t        *testing.T
	server   *apitest.Server
	cluster  *kube.Cluster
	db       *sqldb.DB
	recorder *record.Recorder
	unrecord func() // ends the recorder
	notifier *notify.Notifier
	base     string // address of the portal

	simulated chan struct{} // closed when the time of the simulation may elapse

	mu     sync.Mutex
	events []*webhook.Event // that the webhook received
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, simulated: make(chan struct{})}
	server, err := apitest.New(apitest.Config{
		SystemNamespaces: true, Tokens: map[string]string{portalToken: "portal", annaToken: "anna"}, Authorize: authorize, Admit: simulation.Admit,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	s.server = server
	rc := server.RESTConfig()
	rc.BearerToken = portalToken
	s.cluster = must(kube.Connect(kube.Config{REST: rc}))(t)
	t.Cleanup(s.cluster.Close)
	s.db = must(sqldb.Open(t.Context(), dbtest.Empty(t, "sqlite")))(t)
	t.Cleanup(func() { _ = s.db.Close() })
	must(s.db.Migrate(t.Context()))(t)
	for _, name := range []string{namespace, elsewhere} {
		must(server.Create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: name}}))(t)
	}
	must(server.Create(&rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "RoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "anna"},
		Subjects:   []rbacv1.Subject{{Kind: "User", Name: "anna"}}, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "edit"},
	}))(t)
	s.run("the simulation", func(ctx context.Context) error { return simulation.New(server, s.cluster, s.elapse).Run(ctx) })
	s.record()
	s.notify()
	s.serve()
	return s
}

// must returns a value, and ends the test after an error.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// run runs a part until the test ends, or until end is called. A part that ends earlier fails the
// test.
func (s *stage) run(what string, part func(context.Context) error) (end func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	var work sync.WaitGroup
	work.Go(func() {
		if err := part(ctx); ctx.Err() == nil {
			s.t.Errorf("%s has ended: %v", what, err)
		} else if err != nil {
			s.t.Errorf("%s ends with an error: %v", what, err)
		}
	})
	end = func() { cancel(); work.Wait() }
	s.t.Cleanup(end)
	return end
}

// elapse makes the simulation wait until start, and never after that.
func (s *stage) elapse(ctx context.Context, _ time.Duration) {
	select {
	case <-s.simulated:
	case <-ctx.Done():
	}
}

// start lets the jobs run to their ends, and all later jobs too.
func (s *stage) start() { close(s.simulated) }

// record records jobs and pods.
func (s *stage) record() {
	s.t.Helper()
	s.recorder = must(record.New(s.db, record.Config{
		Cluster: s.cluster, ClusterName: clusterName, Name: "smoke", Targets: []record.Target{{Type: "jobs.batch"}, {Type: "pods"}}, Logger: slog.New(slog.NewTextHandler(s.t.Output(), nil)),
	}))(s.t)
	s.unrecord = s.run("the recorder", s.recorder.Run)
}

// notify sends a message about each failed job to a webhook in this process.
func (s *stage) notify() {
	s.t.Helper()
	hook := httptest.NewServer(http.HandlerFunc(s.receive))
	s.t.Cleanup(hook.Close)
	secret := "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret of the test, of 32 bytes"))
	file := must(config.Parse("smoke", fmt.Appendf(nil, `
network: {allow: [127.0.0.0/8]}
channels:
  hook: {type: webhook, url: %s, plain: true, secret: {env: SECRET}}
rules:
- {name: failed jobs, types: [jobs.batch], enter: [Failed], to: [hook]}
`, hook.URL), config.Options{LookupEnv: func(string) (string, bool) { return secret, true }}))(s.t)
	s.notifier = must(notify.New(s.db, notify.Config{File: file, Logger: slog.New(slog.NewTextHandler(s.t.Output(), nil))}))(s.t)
	s.run("the notifier", s.notifier.Run)
	// The first run of a notifier begins with the next transition.
	patience.Until(s.t, "the notifier has its place in the feed", func() string {
		if h, err := s.notifier.Health(s.t.Context()); err != nil || !h.Cursor {
			return fmt.Sprintf("%+v, error %v", h, err)
		}
		return ""
	})
}

// receive accepts a message.
func (s *stage) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	event := &webhook.Event{}
	if err == nil {
		err = json.Unmarshal(body, event)
	}
	if err != nil || r.Header.Get("Webhook-Signature") == "" {
		s.t.Errorf("the webhook received %q with the signature %q: %v", body, r.Header.Get("Webhook-Signature"), err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, event)
}

// serve serves the portal. People sign in with a token of the cluster, which decides their
// rights.
func (s *stage) serve() {
	s.t.Helper()
	p := must(portal.New(portal.Config{
		DB: s.db, Clusters: []access.Cluster{{Name: clusterName, Kube: s.cluster}}, Rights: true, ClusterTokens: true, Version: "smoke", Logger: slog.New(slog.NewTextHandler(s.t.Output(), nil)),
	}))(s.t)
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(s.t)
	s.base = "http://" + listener.Addr().String()
	s.run("the portal", func(ctx context.Context) error { return p.Serve(ctx, listener) })
	patience.NoError(s.t, "the portal is ready", p.Ready)
}

// submit creates a job whose container exceeds its memory.
func (s *stage) submit(in, name string) {
	s.t.Helper()
	must(s.server.Create(&batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: name},
		Spec: batchv1.JobSpec{
			BackoffLimit: new(int32), Parallelism: new(int32(1)), Completions: new(int32(1)),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "train", Image: "train:7", Command: []string{"oom"}}},
			}},
		},
	}))(s.t)
}

// jobs lists the jobs of the API server in a namespace.
func (s *stage) jobs() (all []*batchv1.Job) {
	s.t.Helper()
	for _, o := range must(s.server.List(&batchv1.Job{}, namespace))(s.t) {
		all = append(all, o.(*batchv1.Job))
	}
	return all
}

// failed waits until a job of the API server has failed.
func (s *stage) failed(name string) {
	s.t.Helper()
	patience.Until(s.t, "the job "+name+" fails in the cluster", func() string {
		var seen []string
		for _, job := range s.jobs() {
			isFailed := func(c batchv1.JobCondition) bool {
				return c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue
			}
			if job.Name == name && slices.ContainsFunc(job.Status.Conditions, isFailed) {
				return ""
			}
			seen = append(seen, fmt.Sprintf("%s: %+v", job.Name, job.Status))
		}
		return fmt.Sprintf("the cluster has %q", seen)
	})
}

// recorded waits until the database has a job in a state.
func (s *stage) recorded(name, state string) {
	s.t.Helper()
	patience.Until(s.t, fmt.Sprintf("the database has the job %s as %s", name, state), func() string {
		page, err := history.New(s.db).ListObjects(s.t.Context(), history.Filter{Namespace: namespace, Types: []history.Type{{Group: "batch", Resource: "jobs"}}}, history.Paging{})
		var seen []string
		for i := range page.Items {
			o := &page.Items[i]
			if o.Name == name && o.State == state {
				return ""
			}
			seen = append(seen, o.Name+" "+o.State)
		}
		return fmt.Sprintf("it has the jobs %q, error %v; the recorder: %+v", seen, err, s.recorder.Health())
	})
}

// told waits until the webhook has the message that a job has failed.
func (s *stage) told(name string) {
	s.t.Helper()
	patience.Until(s.t, "the webhook has the message about "+name, func() string {
		s.mu.Lock()
		defer s.mu.Unlock()
		var seen []string
		for _, e := range s.events {
			if e.Subject == namespace+"/"+name && e.Type == "io.vedette.job.failed.v1" {
				return ""
			}
			seen = append(seen, e.Type+" "+e.Subject)
		}
		h, err := s.notifier.Health(s.t.Context())
		return fmt.Sprintf("it has %q; the notifier: %+v, error %v; it counts %+v and sent %+v", seen, h, err, s.notifier.Stats(), s.notifier.SendStats())
	})
}
