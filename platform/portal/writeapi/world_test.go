package writeapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/audit"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/platform/portal/writeapi"
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

const clusterName = "west"

// people are the tokens of the people in the tests: anna owns team-a and ben team-b, vera may
// only read team-a, and root may do everything.
const people = `tokens:
- {name: anna, token: token-of-anna-0123456789}
- {name: ben, token: token-of-ben-0123456789}
- {name: vera, token: token-of-vera-0123456789}
- {name: root, token: token-of-root-0123456789}
`

// world is an API server, a recorder that has recorded everything, and the portal's
// writes.
type world struct {
	t      *testing.T
	srv    *apitest.Server
	db     *sqldb.DB
	index  *jobindex.Index
	http   *httptest.Server
	logged *lockedBuffer
	refuse func(metav1.Object) error // admission
	mu     sync.Mutex
	sent   []string // bodies that the webhook got
}

// lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// authorize implements the rights of the people.
func authorize(r apitest.Request) error {
	team := map[string]string{"anna": "team-a", "ben": "team-b", "vera": "team-a"}[r.User]
	reads := r.Verb == apitest.VerbGet || r.Verb == apitest.VerbList || r.Verb == apitest.VerbWatch
	switch {
	case r.User == "portal", r.User == "root":
	case team == "" || r.Namespace != team, r.User == "vera" && !reads:
		return fmt.Errorf("User %q cannot %s resource %q", r.User, r.Verb, r.Resource.Resource)
	}
	return nil
}

// rules lists the rights of the people to create.
func rules(user string, groups []string, namespace string) (s authorizationv1.SubjectRulesReviewStatus) {
	for _, verb := range []apitest.Verb{apitest.VerbCreate, apitest.VerbList} {
		if authorize(apitest.Request{User: user, Groups: groups, Verb: verb, Namespace: namespace}) == nil {
			s.ResourceRules = append(s.ResourceRules, authorizationv1.ResourceRule{Verbs: []string{string(verb)}, APIGroups: []string{"batch"}, Resources: []string{"jobs"}})
		}
	}
	return s
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, logged: &lockedBuffer{}}
	var err error
	w.srv, err = apitest.New(apitest.Config{
		BookmarkInterval: 50 * time.Millisecond, Authorize: authorize, Rules: rules, Tokens: map[string]string{"portal": "portal"},
		Admit: func(_ apitest.Request, o metav1.Object) error {
			if w.refuse != nil {
				return w.refuse(o)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.srv.Close)
	rc := w.srv.RESTConfig()
	rc.BearerToken = "portal"
	cluster, err := kube.Connect(kube.Config{REST: rc})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	if w.db, err = sqldb.Open(t.Context(), dbtest.First(t)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.db.Close() })
	if _, err := w.db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kube-system", "team-a", "team-b"} {
		w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	for name, team := range map[string]string{"anna": "team-a", "vera": "team-a", "ben": "team-b"} {
		w.create(&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: name}, Subjects: []rbacv1.Subject{{Kind: "User", Name: name}}, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "edit"}})
	}
	r, err := record.New(w.db, record.Config{
		Cluster: cluster, ClusterName: clusterName, Name: "recorder", Targets: []record.Target{{Type: "jobs.batch"}}, Logger: slog.New(slog.DiscardHandler),
		Reflector: reflector.Config{MinBackoff: time.Millisecond, MaxBackoff: 10 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.run(r.Run)
	w.index = jobindex.New(jobindex.Config{DB: w.db, Logger: slog.New(slog.DiscardHandler)})
	w.run(w.index.Run)
	<-w.index.Ready()
	w.serve(cluster)
	return w
}

// serve serves the operations with sign-in and rights.
func (w *world) serve(cluster *kube.Cluster) {
	logger := slog.New(slog.NewTextHandler(w.logged, nil))
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.sent = append(w.sent, string(text))
	}))
	w.t.Cleanup(hook.Close)
	file, err := config.Parse("notify.yaml", []byte("network: {allow: [127.0.0.0/8]}\npeople:\n  anna: {also: [anna@example.com]}\nchannels:\n  hook: {type: webhook, url: \""+hook.URL+"\", secret: {env: HOOK}, named-by-jobs: true}\n  closed: {type: webhook, url: \""+hook.URL+"\", secret: {env: HOOK}}\nrules: []\n"), config.Options{LookupEnv: func(string) (string, bool) { return "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", true }})
	if err != nil {
		w.t.Fatal(err)
	}
	path := filepath.Join(w.t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(path, []byte(people), 0o600); err != nil {
		w.t.Fatal(err)
	}
	who, err := identity.New(identity.Config{Listen: ":8790", Tokens: path, Logger: logger, Review: func(_ context.Context, token, cluster string) (identity.Person, bool, error) {
		name, ok := strings.CutPrefix(token, "token-of-a-cluster-for-")
		return identity.Person{Name: name, Names: []string{name}, Cluster: cluster, SignIn: api.SignInToken}, ok, nil
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	rights := access.New(access.Config{Clusters: []access.Cluster{{Name: clusterName, Kube: cluster}}, Rights: true, Logger: logger})
	w.run(rights.Run)
	patience.Until(w.t, "the bindings are known", func() string {
		s, err := rights.Sight(identity.With(w.t.Context(), identity.Person{Name: "anna", Extra: map[string][]string{"try": {time.Now().String()}}}))
		if err != nil || !s.Sees(clusterName, "team-a") {
			return fmt.Sprintf("anna has the sight %+v, error %v", s, err)
		}
		return ""
	})
	mux := http.NewServeMux()
	writeapi.Register(web.NewAPI(mux, "v0"), writeapi.Config{DB: w.db, Index: w.index, Access: rights, Notify: file, EndSessions: who.EndSessions, Logger: logger})
	w.http = httptest.NewServer(who.Handler(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(out, r.WithContext(web.WithLogger(r.Context(), logger)))
	})))
	w.t.Cleanup(w.http.Close)
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

func (w *world) create(o apitest.Object) apitest.Object {
	w.t.Helper()
	created, err := w.srv.Create(o)
	if err != nil {
		w.t.Fatal(err)
	}
	return created
}

// job creates a job with GPUs, and waits until the index has it.
func (w *world) job(namespace, name, owner string, gpus int64, active int32) *batchv1.Job {
	w.t.Helper()
	one := int32(1)
	now := metav1.Now()
	j := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Annotations: map[string]string{"vedette.io/submitter": owner}},
		Spec: batchv1.JobSpec{Parallelism: &one, Completions: &one, Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers: []corev1.Container{{Name: "main", Image: "train:7", Resources: corev1.ResourceRequirements{
				Limits: corev1.ResourceList{"nvidia.com/gpu": *resource.NewQuantity(gpus, resource.DecimalSI)},
			}}},
		}}},
		Status: batchv1.JobStatus{Active: active, Ready: &active, StartTime: &now},
	}
	created, ok := w.create(j).(*batchv1.Job)
	if !ok {
		w.t.Fatal("no job")
	}
	patience.Until(w.t, "the index has "+name, func() (problem string) {
		err := w.index.View(func(v *jobindex.View) error {
			if row, ok := v.Job(clusterName, string(created.UID), time.Time{}); !ok || row.GPUs < 0 {
				problem = fmt.Sprintf("found %v, %d GPUs", ok, row.GPUs)
			}
			return nil
		})
		if err != nil {
			return err.Error()
		}
		return problem
	})
	return created
}

// send sends a request as a person, and returns the status and the body. "anna of lab" is a person
// whom the cluster lab has identified.
func (w *world) send(person, method, path string, body any) (int, string) {
	w.t.Helper()
	var text []byte
	switch b := body.(type) {
	case nil:
	case string:
		text = []byte(b)
	default:
		text, _ = json.Marshal(b)
	}
	r, err := http.NewRequestWithContext(patience.Context(w.t, method+" "+path), method, w.http.URL+path, bytes.NewReader(text))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer token-of-"+person+"-0123456789")
	if name, cluster, ok := strings.Cut(person, " of "); ok {
		r.Header.Set("Authorization", "Bearer token-of-a-cluster-for-"+name)
		r.Header.Set(api.HeaderCluster, cluster)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer.StatusCode, string(got)
}

// withoutBody posts the header of a request, and returns the status of the answer. The body never
// comes, so a server that reads it does not answer for seconds, and with another status.
func (w *world) withoutBody(person, path, length string) int {
	w.t.Helper()
	c, err := net.Dial("tcp", w.http.Listener.Addr().String())
	if err != nil {
		w.t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience.Limit(w.t)))
	name, value := "Authorization", "Bearer token-of-"+person+"-0123456789"
	if name, cluster, ok := strings.Cut(person, " of "); ok {
		value = "Bearer token-of-a-cluster-for-" + name + "\r\n" + api.HeaderCluster + ": " + cluster
	}
	fmt.Fprintf(c, "POST %s%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nConnection: close\r\n%s: %s\r\n%s\r\n\r\n", api.Prefix, path, c.RemoteAddr(), name, value, length)
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// post posts a request that must succeed.
func post[T any](w *world, person, path string, body any) (out T) {
	w.t.Helper()
	status, text := w.send(person, http.MethodPost, api.Prefix+path, body)
	if err := json.Unmarshal([]byte(text), &out); err != nil || status != http.StatusOK {
		w.t.Fatalf("%s: POST %s: got status %d, %s and error %v; want 200 and JSON", person, path, status, text, err)
	}
	return out
}

// refused posts a request that must be refused with a status.
func (w *world) refused(person, path string, body any, want int) (p api.Problem) {
	w.t.Helper()
	status, text := w.send(person, http.MethodPost, api.Prefix+path, body)
	if err := json.Unmarshal([]byte(text), &p); err != nil || status != want {
		w.t.Errorf("%s: POST %s: %d %.300s, want %d", person, path, status, text, want)
	}
	return p
}

// acts returns the rows of the audit, oldest first.
func (w *world) acts() (all []string) {
	w.t.Helper()
	found, err := audit.List(w.t.Context(), w.db, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range slices.Backward(found) {
		all = append(all, fmt.Sprint(e.Person, " ", e.Act, " ", e.Object, " ", e.Result))
		if e.SignIn != "token" || e.Address != "127.0.0.1" {
			w.t.Errorf("the audit has %+v", e)
		}
	}
	return all
}

// wantActs compares the audit.
func (w *world) wantActs(want ...string) {
	w.t.Helper()
	if got := w.acts(); !slices.Equal(got, want) {
		w.t.Errorf("the audit has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// in returns the path of a job.
func in(j *batchv1.Job, act string) string {
	return fmt.Sprintf("/jobs/%s/%s/%s", clusterName, j.UID, act)
}

var errQuota = errors.New("exceeded quota: gpus")
