package portal_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
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

// client keeps no connections.
var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// world is an API server, a recorder, and a database.
type world struct {
	*testing.T
	srv  *apitest.Server
	conn *kube.Cluster
	db   *sqldb.DB
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldOf(t, dbtest.First(t), apitest.Config{})
}

// newWorldOf creates a world with an empty database and with an API server of a configuration. The
// portal and the recorder use the token "portal" if there are tokens.
func newWorldOf(t *testing.T, url string, cfg apitest.Config) *world {
	t.Helper()
	cfg.BookmarkInterval = 50 * time.Millisecond
	srv, err := apitest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	w := &world{T: t, srv: srv}
	rc := srv.RESTConfig()
	if cfg.Tokens != nil {
		rc.BearerToken = "portal"
	}
	if w.conn, err = kube.Connect(kube.Config{REST: rc}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.conn.Close)
	if w.db, err = sqldb.Open(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.db.Close() })
	if _, err := w.db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kube-system", "ml"} {
		w.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	return w
}

// record records jobs, and objects of further types, until the test ends.
func (w *world) record(further ...string) {
	w.Helper()
	targets := []record.Target{{Type: "jobs.batch"}}
	for _, typ := range further {
		targets = append(targets, record.Target{Type: typ})
	}
	r, err := record.New(w.db, record.Config{Cluster: w.conn, ClusterName: "west", Name: "recorder", Targets: targets, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		w.Fatal(err)
	}
	w.run(r.Run)
}

// run runs a function until the test ends, or stop is called.
func (w *world) run(f func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := f(ctx); err != nil && ctx.Err() == nil {
			w.Error(err)
		}
	}()
	stop = func() {
		w.Helper()
		cancel()
		patience.Closed(w, "the end of the programs of the test", ended)
	}
	w.Cleanup(stop)
	return stop
}

func (w *world) create(o apitest.Object) {
	w.Helper()
	if _, err := w.srv.Create(o); err != nil {
		w.Fatal(err)
	}
}

// job creates a job.
func (w *world) job(name string) {
	w.Helper()
	w.create(&batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "busybox"}}}}},
	})
}

// end ends a job.
func (w *world) end(name string) {
	w.Helper()
	job := &batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}}
	_, err := apitest.Modify(w.srv, job, func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	})
	if err != nil {
		w.Fatal(err)
	}
}

// served is a portal at an address.
type served struct {
	*world
	portal  *portal.Portal
	address string
	stop    func()
}

// serve serves a portal. change may change its configuration; it may be nil.
func (w *world) serve(change func(*portal.Config)) *served {
	w.Helper()
	cfg := portal.Config{DB: w.db, Clusters: []access.Cluster{{Name: "west", Kube: w.conn}}, Version: "v0", Metrics: true, Logger: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&cfg)
	}
	if i := &cfg.Identity; !cfg.ClusterTokens && i.Tokens == "" && i.OIDC == nil && i.Proxy == nil {
		i.InsecureLoopback = i.LocalToken == "" // tests are not about other users of the machine
	}
	p, err := portal.New(cfg)
	if err != nil {
		w.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	s := &served{world: w, portal: p, address: l.Addr().String()}
	s.stop = w.run(func(ctx context.Context) error { return p.Serve(ctx, l) })
	return s
}

// ready waits until the portal has loaded the history.
func (s *served) ready() *served {
	s.Helper()
	patience.NoError(s, "the portal is ready", s.portal.Ready)
	return s
}

// send sends a request, and returns the status, the header and the body of the answer.
func (s *served) send(method, path, body string, header ...string) (int, http.Header, string) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, "http://"+s.address+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	var resp *http.Response
	answer := func() error {
		if r.Body, err = r.GetBody(); err == nil {
			resp, err = client.Do(r)
		}
		return err
	}
	// A server that refuses a large body answers and closes the connection before it has read all
	// of it. The client may fail to write before it reads the answer (RFC 9112, section 9.6).
	if len(body) > 64<<10 {
		patience.NoError(s, "an answer to a large body", answer)
	} else if err := answer(); err != nil {
		s.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

// get decodes the answer to a request.
func get[T any](s *served, path string) (v T) {
	s.Helper()
	status, _, text := s.send(http.MethodGet, path, "")
	if err := json.Unmarshal([]byte(text), &v); err != nil || status != http.StatusOK {
		s.Fatalf("%s: got status %d and %s, want 200 and JSON", path, status, text)
	}
	return v
}

// events opens the stream behind a position. It is closed at the end of the test.
func (s *served) events(query string) *bufio.Reader {
	s.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+"/api/v1/stream"+query, nil)
	if err != nil {
		s.Fatal(err)
	}
	resp, err := client.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { cancel(); _ = resp.Body.Close() })
	return bufio.NewReader(resp.Body)
}

// changes reads changes from a stream until f returns true.
func (s *served) changes(in *bufio.Reader, f func(api.Change) bool) {
	s.Helper()
	for event := ""; ; {
		line, err := in.ReadString('\n')
		if err != nil {
			s.Fatal(err)
		}
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if key == "event" {
			event = value
		}
		if event == "reset" && key == "data" {
			s.Fatalf("got a reset: %s, want only changes", value)
		}
		if key != "data" || event != "changes" {
			continue
		}
		var some api.Changes
		if err := json.Unmarshal([]byte(value), &some); err != nil {
			s.Fatal(err)
		}
		if slices.ContainsFunc(some.Changes, f) {
			return
		}
	}
}
