package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a cluster whose rights the test sets.
type world struct {
	*apitest.Server
	t    *testing.T
	kube *kube.Cluster

	mu      sync.Mutex
	rights  map[string]bool // "SUBJECT VERB RESOURCE NAMESPACE"
	secret  bool            // bindings may not be read
	sealed  bool            // namespaces may not be read
	reviews []string        // namespaces that were reviewed
	listed  []string        // namespaces of the reviews of rules

	incomplete bool // rules are
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, rights: map[string]bool{}}
	srv, err := apitest.New(apitest.Config{
		Authorize: w.authorize, Rules: w.rules, Window: 20_000,
		Tokens: map[string]string{"portal": "portal", "anna-token": "anna", "ci-token": "system:serviceaccount:ml:ci"},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Server = srv
	rc := srv.RESTConfig()
	rc.BearerToken = "portal"
	if w.kube, err = kube.Connect(kube.Config{REST: rc}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) close() {
	w.kube.Close()
	w.Server.Close()
}

// authorize answers reviews and requests.
func (w *world) authorize(r apitest.Request) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.User == "portal" {
		if w.secret && strings.HasSuffix(r.Resource.Resource, "rolebindings") || w.sealed && r.Resource.Resource == "namespaces" {
			return errors.New("no")
		}
		return nil
	}
	if r.Verb == "list" {
		w.reviews = append(w.reviews, r.Namespace)
	}
	for _, who := range append([]string{r.User}, r.Groups...) {
		for _, namespace := range []string{"", r.Namespace} {
			if w.rights[fmt.Sprintf("%s %s %s %s", who, r.Verb, r.Resource.Resource, namespace)] {
				return nil
			}
		}
	}
	return errors.New("no")
}

// asked returns the reviewed namespaces since the last call.
func (w *world) asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.reviews
	w.reviews = nil
	slices.Sort(all)
	return all
}

// allow grants or revokes a right.
func (w *world) allow(right string, yes bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rights[right] = yes
}

// bind adds a binding of a ClusterRole.
func (w *world) bind(namespace, kind, name string) {
	w.t.Helper()
	w.bindRole(namespace, kind, name, "ClusterRole")
}

// bindRole adds a binding of a role of a kind.
func (w *world) bindRole(namespace, kind, name, role string) {
	w.t.Helper()
	w.namespace(namespace)
	b := &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "RoleBinding"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "b-" + strings.ToLower(kind) + "-" + name},
		Subjects:   []rbacv1.Subject{{Kind: kind, Name: name}}, RoleRef: rbacv1.RoleRef{Kind: role, Name: "view"},
	}
	if _, err := w.Create(b); err != nil {
		w.t.Fatal(err)
	}
}

// namespace creates a namespace, unless it exists.
func (w *world) namespace(name string) {
	w.t.Helper()
	_, err := w.Create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: name}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		w.t.Fatal(err)
	}
}

// seesType reports whether a sight has jobs of a type in a namespace.
func seesType(s *Sight, cluster, typ, namespace string) bool {
	_, some := s.Since(cluster, "", typ, namespace)
	return some
}

// unbind removes a binding.
func (w *world) unbind(namespace, name string) {
	w.t.Helper()
	b := &rbacv1.RoleBinding{TypeMeta: metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "RoleBinding"}, ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	if err := w.Delete(b); err != nil {
		w.t.Fatal(err)
	}
}

// follow runs an Access until the test ends, and waits until it has loaded the bindings.
func (w *world) follow(cfg Config) *Access {
	if cfg.Clusters == nil {
		cfg.Clusters = []Cluster{{"prod", w.kube}}
	}
	cfg.Rights = true
	a := New(cfg)
	ctx, stop := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = a.Run(ctx)
	}()
	w.t.Cleanup(func() {
		stop()
		<-done
		w.close()
	})
	synctest.Wait()
	return a
}

// as returns a context of a person.
func as(t *testing.T, name string, groups ...string) context.Context {
	return identity.With(t.Context(), identity.Person{Name: name, Groups: groups})
}

func (w *world) sight(a *Access, ctx context.Context, asked ...string) *Sight {
	w.t.Helper()
	s, err := a.Sight(ctx, asked...)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// TestSight: a person sees the namespaces in which they may list the type, by name or by group, and
// not those in which a binding gives other rights.
func TestSight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.bind("ml", "User", "anna")
		w.bind("vision", "Group", "team-vision")
		w.bind("public", "Group", "system:authenticated")
		w.bind("secret", "User", "anna")
		w.bind("other", "User", "ben")
		for _, right := range []string{"anna list jobs ml", "team-vision list jobs vision", "team-vision list pytorchjobs vision", "system:authenticated list jobs public", "ben list jobs other", "root list jobs ", "root list pytorchjobs ", "anna list pods ml", "root list pods "} {
			w.allow(right, true)
		}
		a := w.follow(Config{Types: func(string) []string { return []string{"jobs.batch", "pytorchjobs.kubeflow.org"} }, Operators: []string{"ops"}})
		s := w.sight(a, as(t, "anna", "team-vision"))
		for _, c := range []struct {
			typ, namespace string
			want           bool
		}{
			{"jobs.batch", "ml", true},
			{"jobs.batch", "vision", true},
			{"jobs.batch", "public", true},
			{"jobs.batch", "secret", false},
			{"jobs.batch", "other", false},
			{"jobs.batch", "", false},
			{"pytorchjobs.kubeflow.org", "vision", true},
			{"pytorchjobs.kubeflow.org", "ml", false},
			{"jobsets.jobset.x-k8s.io", "ml", false},
		} {
			if got := seesType(s, "prod", c.typ, c.namespace); got != c.want {
				t.Errorf("%s in %q: %v, want %v", c.typ, c.namespace, got, c.want)
			}
		}
		if s.All() || !s.Sees("prod", "ml") || s.Sees("prod", "other") || s.Sees("elsewhere", "ml") || s.SeesCluster("elsewhere") || !s.SeesCluster("prod") {
			t.Error("Sees, All or SeesCluster is wrong")
		}
		if !s.SeesPods("prod", "ml") || s.SeesPods("prod", "vision") || s.SeesPods("elsewhere", "ml") {
			t.Error("pods are visible without the right to list them, or hidden with it")
		}
		if got, want := w.asked(), []string{"", "", "", "ml", "ml", "ml", "public", "public", "public", "secret", "secret", "secret", "vision", "vision", "vision"}; !slices.Equal(got, want) {
			t.Errorf("reviewed %v, want %v", got, want)
		}
		again := w.sight(a, as(t, "anna", "team-vision"))
		if len(w.asked()) > 0 || again.Key() != s.Key() {
			t.Error("a valid sight is reviewed again")
		}
		root := w.sight(a, as(t, "root"))
		if !root.All() || !seesType(root, "prod", "jobs.batch", "anything") || root.Key() == s.Key() || len(w.asked()) != 3 {
			t.Error("a person with all rights does not see everything, after one review for each type and one for pods")
		}
		if !root.SeesPods("prod", "anything") {
			t.Error("a person with all rights does not see pods")
		}
		for who, want := range map[string]bool{"anna team-vision": false, "root": true, "carl ops": true} {
			words := strings.Fields(who)
			if got, err := a.Operates(as(t, words[0], words[1:]...)); err != nil || got != want {
				t.Errorf("%s operates: got %v and error %v, want %v", who, got, err, want)
			}
		}
		if _, err := a.Sight(t.Context()); !isProblem(err, api.ProblemSignIn) {
			t.Errorf("nobody sees something: %v", err)
		}
	})
}

// TestAllOfTheHistory: a person with all rights in the connected clusters does not see the jobs of
// other clusters in the history, nor types that were recorded after the review.
func TestAllOfTheHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.allow("root list jobs ", true)
		types, recorded := []string{"jobs.batch"}, []string{"prod"}
		a := w.follow(Config{Types: func(string) []string { return types }, Recorded: func() []string { return recorded }})
		root := as(t, "root")
		s := w.sight(a, root)
		if !s.All() {
			t.Fatal("a person with all rights does not see everything")
		}
		recorded = append(recorded, "elsewhere")
		operates, err := a.Operates(root)
		if err != nil || s.All() || operates || seesType(s, "elsewhere", "jobs.batch", "ml") || s.SeesCluster("elsewhere") || !seesType(s, "prod", "jobs.batch", "ml") {
			t.Errorf("a cluster without a connection is visible: %v, %v, %v", s.All(), operates, err)
		}
		recorded, types = recorded[:1], append(types, "pytorchjobs.kubeflow.org")
		if s.All() || seesType(s, "prod", "pytorchjobs.kubeflow.org", "ml") {
			t.Error("a type without a review is visible")
		}
		<-time.After(sightFor)
		if s = w.sight(a, root); s.All() || !seesType(s, "prod", "jobs.batch", "ml") {
			t.Error("a type without the right is visible, or a type with the right is hidden")
		}
	})
}

func isProblem(err error, of string) bool {
	var p *api.Problem
	return errors.As(err, &p) && p.Type == of
}

// TestManyNamespaces: 5,000 namespaces need far fewer reviews, whether the person has rights in a
// few of them or in all.
func TestManyNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for n := range 5000 {
			name := fmt.Sprintf("team-%04d", n)
			w.bind(name, "User", "owner-"+name)
			w.bind(name, "Group", "everybody")
			w.bind(name, "Group", "strangers")
			w.allow("everybody list jobs "+name, true)
			if n%700 == 0 {
				w.bind(name, "User", "anna")
				w.allow("anna list jobs "+name, true)
			}
		}
		w.allow("strangers list jobs team-0000", true) // another authorizer than RBAC
		w.allow("strangers list jobs team-0003", true)
		a := w.follow(Config{})
		for _, c := range []struct {
			who, group string
			sees, most int
		}{{"anna", "", 8, 18}, {"ben", "everybody", 5000, 8}, {"carl", "strangers", 2, 505}, {"dora", "", 0, 1}} {
			s := w.sight(a, as(t, c.who, c.group))
			sees := 0
			for n := range 5000 {
				if seesType(s, "prod", "jobs.batch", fmt.Sprintf("team-%04d", n)) {
					sees++
				}
			}
			if n := len(w.asked()); sees != c.sees || n > c.most {
				t.Errorf("%s sees %d namespaces after %d reviews, want %d after at most %d", c.who, sees, n, c.sees, c.most)
			}
		}
	})
}

// TestRevocation: a revoked right ends after 30 s, or at once if a binding changes; open streams
// are notified.
func TestRevocation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.bind("ml", "User", "anna")
		w.bind("vision", "Group", "team-vision")
		w.allow("anna list jobs ml", true)
		w.allow("team-vision list jobs vision", true)
		a := w.follow(Config{})
		ctx := as(t, "anna", "team-vision")
		s := w.sight(a, ctx)
		began := time.Now()
		w.allow("anna list jobs ml", false) // the role has changed, and no binding
		<-s.Expired()
		if took := time.Since(began); took > sightFor {
			t.Errorf("a stream is notified after %v", took)
		}
		after := w.sight(a, ctx)
		if after.Sees("prod", "ml") || !after.Sees("prod", "vision") || after.Key() == s.Key() {
			t.Error("a revoked right still counts")
		}
		began = time.Now()
		w.allow("team-vision list jobs vision", false)
		w.unbind("vision", "b-group-team-vision")
		<-after.Expired()
		if took := time.Since(began); took > time.Second {
			t.Errorf("after the deletion of a binding, a stream is notified after %v", took)
		}
		last := w.sight(a, ctx)
		if last.Sees("prod", "vision") {
			t.Error("a right without its binding still counts")
		}
		w.allow("anna list jobs new", true)
		w.bind("new", "User", "anna")
		<-last.Expired()
		if s := w.sight(a, ctx); !s.Sees("prod", "new") {
			t.Error("a new right does not count")
		}
		if s := w.sight(a, as(t, "ben")); s.Expired() == nil {
			t.Error("a sight never ends")
		}
	})
}

// TestLaggingAuthorizer: the API server may see a binding later than the portal. Its answer then
// counts for two seconds only.
func TestLaggingAuthorizer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.bind("ml", "User", "anna")
		w.allow("anna list jobs ml", true)
		a := w.follow(Config{})
		s := w.sight(a, as(t, "anna"))
		began := time.Now()
		w.bind("ml", "User", "someone") // of others, without a change for anna
		synctest.Wait()
		if w.sight(a, as(t, "anna")) != s {
			t.Error("the binding of somebody else ends a sight")
		}
		w.unbind("ml", "b-user-anna")
		w.bind("ml", "User", "anna") // so that ml is a candidate
		<-s.Expired()
		s = w.sight(a, as(t, "anna"))
		w.allow("anna list jobs ml", false)
		<-s.Expired()
		if s = w.sight(a, as(t, "anna")); s.Sees("prod", "ml") || time.Since(began) > 2*settleFor {
			t.Errorf("the earlier answer counts for %v", time.Since(began))
		}
	})
}
