package portal_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// tenants is an API server in which some people may do everything in the namespace ml. Its clock is
// set by the test.
type tenants struct {
	*world
	behind atomic.Int64 // how far the clock of the API server is behind

	mu     sync.Mutex
	ml     map[string]bool // people and groups
	sealed bool            // the portal may not read namespaces
}

func newTenants(t *testing.T, url string) *tenants {
	t.Helper()
	n := &tenants{ml: map[string]bool{"ops": true}}
	n.behind.Store(int64(3 * time.Hour))
	n.world = newWorldOf(t, url, apitest.Config{
		Tokens: map[string]string{"portal": "portal"}, Authorize: n.authorize,
		Now: func() time.Time { return time.Now().Add(-time.Duration(n.behind.Load())) },
	})
	return n
}

func (n *tenants) authorize(r apitest.Request) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case r.User == "portal" && n.sealed && r.Resource.Resource == "namespaces" && r.Name != "kube-system":
	case r.User == "portal", r.User == "root":
		return nil
	case r.Namespace == "ml" && slices.ContainsFunc(append([]string{r.User}, r.Groups...), func(who string) bool { return n.ml[who] }):
		return nil
	}
	return errors.New("no")
}

// let gives a person or a group the rights in ml.
func (n *tenants) let(kind, who string) {
	n.Helper()
	n.mu.Lock()
	n.ml[who] = true
	n.mu.Unlock()
	n.create(&rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "RoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: who},
		Subjects:   []rbacv1.Subject{{Kind: kind, Name: who}}, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "edit"},
	})
}

// portal serves a portal that people with tokens may use.
func (n *tenants) portal(cluster access.Cluster) *served {
	n.Helper()
	file := filepath.Join(n.TempDir(), "tokens.yaml")
	var text strings.Builder
	text.WriteString("tokens:\n")
	for _, who := range []string{"anna", "ben", "carl", "dora", "olga", "root"} {
		fmt.Fprintf(&text, "- {name: %s, groups: [%s], token: token-of-%s-0123456789}\n", who, map[string]string{"olga": "ops"}[who], who)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		n.Fatal(err)
	}
	return n.serve(func(c *portal.Config) {
		c.Identity, c.Rights, c.Clusters, c.Operators = identity.Config{Tokens: file}, true, []access.Cluster{cluster}, []string{"ops"}
	}).ready()
}

// bearer is the header of a person.
func bearer(who string) []string {
	return []string{"Authorization", "Bearer token-of-" + who + "-0123456789"}
}

// answers returns the answers of all reading operations to a person, by path, and what the stream of
// changes sends up to its first beat.
func (s *served) answers(who string, job *batchv1.Job, ids []int64) map[string]string {
	s.Helper()
	all := map[string]string{}
	known := map[string]string{"type": "jobs.batch", "name": job.Name, "key": "name", "prefix": "mer", "cluster": "west", "namespace": "ml", "from": "30d", "context": "3"}
	read := func(path string) {
		var status int
		var text string
		patience.Until(s, "GET "+path+" is not limited, and not too slow on a loaded machine", func() string {
			switch status, _, text = s.send(http.MethodGet, path, "", bearer(who)...); status {
			case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout:
				return text
			}
			return ""
		})
		if status >= 500 {
			s.Errorf("%s to %s: got status %d and %s, want no server error", path, who, status, text)
		}
		all[path] = text
	}
	for path, item := range s.portal.API().OpenAPI().Paths {
		if item.Get == nil {
			continue
		}
		if path = strings.TrimPrefix(path, api.Prefix); path == api.PathStream {
			all[path] = s.streamed(who)
			continue
		}
		for _, id := range ids {
			at := strings.NewReplacer("{cluster}", "west", "{uid}", string(job.UID), "{version}", "last", "{type}", "jobs.batch", "{namespace}", "ml", "{name}", job.Name, "{id}", fmt.Sprint(id)).Replace(path)
			query := url.Values{}
			for _, p := range item.Get.Parameters {
				if value, ok := known[p.Name]; ok && p.In == "query" && (p.Name != "from" || path != api.PathDiff) {
					query.Set(p.Name, value)
				}
			}
			read(api.Prefix + at + "?" + query.Encode())
			query.Del("name")
			read(api.Prefix + at + "?" + query.Encode())
		}
	}
	all["the page of the newest job with the name"] = s.page(who, job.Name)
	return all
}

// page returns the answer to the address of the newest job with a name.
func (s *served) page(who, name string) string {
	s.Helper()
	status, header, _ := s.send(http.MethodGet, "/find/west/jobs.batch/ml/"+name, "", bearer(who)...)
	return fmt.Sprint(status, header.Get("Location"))
}

// streamed returns what the stream sends to a person who saw nothing yet, up to the first beat.
func (s *served) streamed(who string) string {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience.Limit(s))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+api.Prefix+api.PathStream+"?after=0", nil)
	if err != nil {
		s.Fatal(err)
	}
	header := bearer(who)
	r.Header.Set(header[0], header[1])
	resp, err := client.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, buffer := "", make([]byte, 4096)
	for !strings.Contains(text, "event: beat") {
		n, err := resp.Body.Read(buffer)
		if text += string(buffer[:n]); err != nil && err != io.EOF {
			s.Fatal(err)
		} else if err == io.EOF {
			break
		}
	}
	return text
}

// secretsOf returns the operations whose answers have a word of a job, without those that only repeat
// the request.
func secretsOf(answers map[string]string, words []string) (paths []string) {
	for path, text := range answers {
		asked, _ := url.QueryUnescape(path)
		for _, word := range words {
			if strings.Contains(text, word) && !strings.Contains(asked, word) {
				paths = append(paths, path)
				break
			}
		}
	}
	slices.Sort(paths)
	return paths
}

// old creates a failed job with a pod, an event, and a kept log. The returned words are only in these.
func (n *tenants) old() (job *batchv1.Job, words []string) {
	n.Helper()
	meta := metav1.ObjectMeta{Namespace: "ml", Name: "merger", Labels: map[string]string{"deal": "classified-label"}, Annotations: map[string]string{"vedette.io/user": "classified-owner"}}
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "classified-image"}}}}
	created, err := n.srv.Create(&batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: meta, Spec: batchv1.JobSpec{Template: template}})
	if err != nil {
		n.Fatal(err)
	}
	job = &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "merger", UID: created.GetUID()}, TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}}
	controller := true
	owner := metav1.OwnerReference{APIVersion: "batch/v1", Kind: "Job", Name: "merger", UID: job.UID, Controller: &controller}
	n.create(&corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "merger-abcde", OwnerReferences: []metav1.OwnerReference{owner}},
		Spec: corev1.PodSpec{NodeName: "classified-node", Containers: template.Spec.Containers},
		Status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: 3, Reason: "Error", FinishedAt: metav1.Now()},
		}}}},
	})
	n.create(&corev1.Event{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Event"}, ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "merger.17ab"},
		InvolvedObject: corev1.ObjectReference{Kind: "Job", Namespace: "ml", Name: "merger", UID: job.UID}, Reason: "classified-event",
	})
	if _, err := apitest.Modify(n.srv, job, func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "classified-reason", LastTransitionTime: metav1.Now()}}
	}); err != nil {
		n.Fatal(err)
	}
	uid, err := n.conn.Identity(n.Context(), time.Time{})
	if err != nil {
		n.Fatal(err)
	}
	log := joblog.Log{
		ClusterUID: uid, PodUID: "pod", Namespace: "ml", Pod: "merger-abcde", Container: "main", JobUID: string(job.UID), JobKind: "Job", JobName: "merger",
		OwnerUID: string(job.UID), OwnerKind: "Job", OwnerName: "merger", ExitCode: 3, Ended: time.Now(), Complete: true,
	}
	if err := joblog.New(n.db, joblog.Limits{}, nil).Put(n.Context(), log, []joblog.Line{{Time: time.Now(), Text: "classified-log"}}); err != nil {
		n.Fatal(err)
	}
	return job, []string{"merger", "classified", string(job.UID)}
}

// objects waits until a number of objects is recorded in ml, and returns the IDs of those of a job,
// its pod and its event.
func (n *tenants) objects(of string, count int) (ids []int64) {
	n.Helper()
	h := history.New(n.db)
	patience.Until(n, "the objects of ml are recorded", func() string {
		ids = ids[:0]
		found := 0
		for c, err := range history.All(n.Context(), history.Paging{}, func(ctx context.Context, p history.Paging) (history.Page[history.Change], error) {
			return h.ListTransitions(ctx, history.Filter{Namespace: "ml"}, p)
		}) {
			if err != nil {
				n.Fatal(err)
			}
			found++
			if strings.HasPrefix(c.Object.Name, of) && !slices.Contains(ids, c.Object.ID) {
				ids = append(ids, c.Object.ID)
			}
		}
		if found < count {
			return fmt.Sprintf("%d transitions, want %d", found, count)
		}
		return ""
	})
	return ids
}

// TestAttackByNewTenant: the owner of a namespace gets no byte about the jobs, pods, events, logs and
// statistics of an older namespace with its name from any reading operation, and the owner of a
// cluster none of an older cluster with its name. The old owner did, and an operator does.
func TestAttackByNewTenant(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		n := newTenants(t, url)
		n.let("User", "anna")
		n.let("User", "carl")
		rebuilt := newTenants(t, dbtest.Empty(t, "sqlite")) // its namespace ml is older than all jobs
		rebuilt.let("User", "dora")
		n.record("pods", "events")
		n.behind.Add(-int64(time.Hour))
		job, words := n.old()
		ids := n.objects("merger", 3)
		if len(ids) != 3 {
			t.Fatalf("got objects %v, want a job, a pod and an event", ids)
		}
		s := n.portal(access.Cluster{Name: "west", Kube: n.conn})
		seen := func(s *served, who string) []string {
			t.Helper()
			return secretsOf(s.answers(who, job, ids), words)
		}
		everything := seen(s, "root")
		if len(everything) < 25 {
			t.Fatalf("an operator sees the old job in %d answers: %q", len(everything), everything)
		}
		if got := seen(s, "anna"); len(got) < 25 {
			t.Errorf("the owner sees the job in %d answers: %q", len(got), got)
		}

		gone := &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "ml"}}
		for _, o := range []apitest.Object{job, gone} {
			if err := n.srv.Delete(o); err != nil {
				t.Fatal(err)
			}
		}
		n.behind.Add(-int64(time.Hour))
		n.create(gone)
		n.let("User", "ben")
		n.let("Group", "ops")
		n.job("tidy")
		n.objects("tidy", 5)
		patience.Until(t, "the new owner sees the new job", func() string {
			if text := s.page("ben", "tidy"); !strings.Contains(text, "/jobs/west/") {
				return text
			}
			return ""
		})
		for _, who := range []string{"ben", "carl"} { // the sight of carl begins here
			for _, path := range seen(s, who) {
				t.Errorf("%s sees the old job in %s", who, path)
			}
		}
		for _, who := range []string{"root", "olga"} {
			if got := seen(s, who); len(got) < 25 {
				t.Errorf("%s, an operator, sees the old job in %d answers: %q", who, len(got), got)
			}
		}
		counts := func(s *served, who string) string {
			_, _, jobs := s.send(http.MethodGet, api.Prefix+api.PathCounts, "", bearer(who)...)
			_, _, records := s.send(http.MethodGet, api.Prefix+api.PathRecordStats+"?cluster=west&namespace=ml&type=jobs.batch", "", bearer(who)...)
			return jobs + records
		}
		if text := counts(s, "ben"); !strings.Contains(text, `"all":{"n":1}`) || !strings.Contains(text, `"objects":1`) {
			t.Errorf("the new owner gets counts of other jobs than the new one: %s", text)
		}
		if text := counts(s, "root"); !strings.Contains(text, `"all":{"n":2}`) || !strings.Contains(text, `"objects":2`) {
			t.Errorf("an operator gets counts of fewer jobs than both: %s", text)
		}

		other := n.portal(access.Cluster{Name: "west", Kube: rebuilt.conn})
		for _, path := range secretsOf(other.answers("dora", job, ids), append(words, "tidy")) {
			t.Errorf("the owner of the namespace in a cluster of the same name sees a job in %s", path)
		}
		if got := seen(other, "root"); len(got) < 25 {
			t.Errorf("an operator of the rebuilt cluster sees the old job in %d answers: %q", len(got), got)
		}

		n.mu.Lock()
		n.sealed = true
		n.mu.Unlock()
		trusting := n.portal(access.Cluster{Name: "west", Kube: n.conn})
		if got := seen(trusting, "ben"); len(got) < 25 {
			t.Errorf("without the right to read namespaces, the name is not trusted: %q", got)
		}
		if _, _, text := trusting.send(http.MethodGet, api.Prefix+api.PathOperations, "", bearer("root")...); !strings.Contains(text, `"namespace names"`) {
			t.Errorf("the operations page does not say that names are trusted: %s", text)
		}
	})
}
