package record_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	authv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/wait"
	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/reflector"
)

// TestRights: a running recorder loses the right to see pods and gets it back, a type is
// deleted and recreated, and finally another cluster replaces this one at the same
// address. The recorder distinguishes each case from deleted objects.
func TestRights(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := newStage(t, "", kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "jobs", "pods", "widgets")
			s.load.makeMarkers(t)
			s.makeType(t)
			for _, name := range []string{"changes", "stays", "goes"} {
				s.makePod(t, name)
			}
			stop := s.recordHere(t, s.limited(t))
			s.settle(t, 3*time.Minute, "here")
			s.rights(t)
			s.typeAgain(t)
			s.compare(t, true)
			stop()
			if !t.Failed() {
				s.rebuilt(t)
			}
		})
	}
}

// recordHere runs a recorder in this process, with shorter check intervals than the
// default, until stop.
func (s *stage) recordHere(t *testing.T, cfg *rest.Config) (stop func()) {
	t.Helper()
	cfg.Host = "https://" + s.api.Address()
	cluster, err := kube.Connect(kube.Config{REST: cfg})
	if err != nil {
		t.Fatal(err)
	}
	d, err := sqldb.Open(t.Context(), s.through(t))
	if err != nil {
		t.Fatal(err)
	}
	rc := record.Config{
		Cluster: cluster, ClusterName: "the-cluster", Name: "here", MonitorInterval: 100 * time.Millisecond,
		Reflector: reflector.Config{SlowRetry: 500 * time.Millisecond, MaxBackoff: time.Second},
		Logger:    slog.New(slog.DiscardHandler),
	}
	for _, name := range s.types {
		rc.Targets = append(rc.Targets, record.Target{Type: name})
	}
	r, err := record.New(d, rc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() {
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		work.Wait()
		cluster.Close()
		_ = d.Close()
	})
	t.Cleanup(stop)
	return stop
}

// limited returns the configuration of a user with few rights: a role for each type.
func (s *stage) limited(t *testing.T) *rest.Config {
	t.Helper()
	ctx, c := t.Context(), s.load.client
	if _, err := c.CoreV1().ServiceAccounts("default").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "recorder"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, rule := range map[string]rbacv1.PolicyRule{
		"namespaces": {APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get"}},
		"jobs":       {APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: []string{"list", "watch"}},
		"pods":       {APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list", "watch"}},
		"widgets":    {APIGroups: []string{"example.com"}, Resources: []string{"widgets"}, Verbs: []string{"list", "watch"}},
	} {
		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "record-" + name}, Rules: []rbacv1.PolicyRule{rule}}
		if _, err := c.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		s.grant(t, name)
	}
	token, err := c.CoreV1().ServiceAccounts("default").CreateToken(ctx, "recorder", &authv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.plane.RESTConfig()
	cfg.BearerToken = token.Status.Token
	return cfg
}

func (s *stage) grant(t *testing.T, name string) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "record-" + name},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "record-" + name},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "default", Name: "recorder"}},
	}
	if _, err := s.load.client.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// presences counts the objects of a type by their presence.
func (h *tables) presences() (n [4]int) {
	for _, o := range h.objects {
		n[o.presence]++
	}
	return n
}

// awaitPresences waits until given numbers of objects of a type are present, deleted,
// unknown and unselected.
func (s *stage) awaitPresences(t *testing.T, resource string, want [4]int) {
	t.Helper()
	d := s.open(t)
	defer d.Close()
	wait.Until(t, time.Minute, resource+" are present, deleted, unknown, unselected", func() string {
		if got := read(t, d, resource).presences(); got != want {
			return fmt.Sprintf("%v, want %v", got, want)
		}
		return ""
	})
}

// rights revokes the right to see pods, and restores it.
func (s *stage) rights(t *testing.T) {
	t.Helper()
	s.awaitPresences(t, "pods", [4]int{isThere: 4})
	if err := s.load.client.RbacV1().ClusterRoleBindings().Delete(t.Context(), "record-pods", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.until403(t)
	s.api.Set(network.Reset) // an open watch does not end without the right
	s.awaitPresences(t, "pods", [4]int{isUnknown: 4})
	s.awaitPresences(t, "jobs", [4]int{isThere: 1})
	s.change(t, "unseen")
	s.deletePod(t, "goes")
	s.grant(t, "pods")
	s.settle(t, 3*time.Minute, "here")
	s.awaitPresences(t, "pods", [4]int{isThere: 4, isDeleted: 2})
	d := s.open(t)
	defer d.Close()
	h := read(t, d, "pods")
	if len(h.gaps) != 1 || h.gaps[0].cause != history.CauseDenied || !h.gaps[0].healed {
		t.Errorf("the gaps are %v, want one with cause rights, healed: the server had the whole history", h.gaps)
	}
	s.restarts = append(s.restarts, span{from: 0, to: 1 << 60, cause: history.CauseDenied})
	s.compare(t, true)
}

// until403 waits until the server enforces the revocation.
func (s *stage) until403(t *testing.T) {
	t.Helper()
	ask := fmt.Appendf(nil, `{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"system:serviceaccount:default:recorder","resourceAttributes":{"verb":"watch","resource":"pods"}}}`)
	wait.Until(t, time.Minute, "the right is revoked", func() string {
		raw, err := s.load.client.Discovery().RESTClient().Post().AbsPath("/apis/authorization.k8s.io/v1/subjectaccessreviews").Body(ask).DoRaw(t.Context())
		if err != nil {
			return err.Error()
		}
		var answer struct {
			Status struct{ Allowed bool }
		}
		if err := json.Unmarshal(raw, &answer); err != nil || answer.Status.Allowed {
			return fmt.Sprintf("not yet: %s %v", raw, err)
		}
		return ""
	})
}

const (
	typesPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	widget    = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":%q,"namespace":"default"},"status":{"phase":"Running"}}`
	widgets   = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},"spec":{
		"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`
)

// makeType defines a type, and creates three objects of it.
func (s *stage) makeType(t *testing.T) {
	t.Helper()
	client := s.load.client.Discovery().RESTClient()
	if err := client.Post().AbsPath(typesPath).Body([]byte(widgets)).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"marker", "first", "second"} {
		wait.Until(t, time.Minute, "the type is served", func() string {
			if err := client.Post().AbsPath(paths["widgets"]).Body(fmt.Appendf(nil, widget, name)).Do(t.Context()).Error(); err != nil {
				return err.Error()
			}
			return ""
		})
	}
}

// typeAgain deletes a type, and recreates it with objects of the same names.
func (s *stage) typeAgain(t *testing.T) {
	t.Helper()
	s.awaitPresences(t, "widgets", [4]int{isThere: 3})
	client := s.load.client.Discovery().RESTClient()
	if err := client.Delete().AbsPath(typesPath + "/widgets.example.com").Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	s.awaitPresences(t, "widgets", [4]int{isDeleted: 3}) // the server deletes them first
	d := s.open(t)
	defer d.Close()
	wait.Until(t, time.Minute, "the absence of the type is recorded", func() string {
		h := read(t, d, "widgets")
		if len(h.gaps) != 1 || h.gaps[0].cause != history.CauseAbsent {
			return fmt.Sprintf("the gaps are %v", h.gaps)
		}
		return ""
	})
	s.makeType(t)
	s.settle(t, 3*time.Minute, "here")
	s.awaitPresences(t, "widgets", [4]int{isThere: 3, isDeleted: 3})
	s.restarts = append(s.restarts, span{from: 0, to: 1 << 60, cause: history.CauseAbsent})
}

// rebuilt replaces the cluster at its address while a recorder runs.
func (s *stage) rebuilt(t *testing.T) {
	t.Helper()
	s.types = []string{"jobs", "pods"}
	stop := s.recordHere(t, s.plane.RESTConfig())
	s.settle(t, 3*time.Minute, "here")
	s.unwatch()
	if err := s.plane.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"changes", "new"} {
		wait.Until(t, time.Minute, "the server accepts pods", func() string {
			pod := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q},"spec":{"schedulerName":"nobody","containers":[{"name":"main","image":"train"}]}}`, name)
			if err := s.load.client.Discovery().RESTClient().Post().AbsPath(paths["pods"]).Body(pod).Do(t.Context()).Error(); err != nil {
				return err.Error()
			}
			return ""
		})
	}
	s.awaitPresences(t, "pods", [4]int{isThere: 2, isDeleted: 2, isUnknown: 4})
	s.awaitPresences(t, "jobs", [4]int{isUnknown: 1})
	stop()
	d := s.open(t)
	defer d.Close()
	clusters := 0
	rows(t, d.SQL(), "SELECT COUNT(*) FROM clusters", func(scan func(...any) error) error { return scan(&clusters) })
	if clusters != 2 {
		t.Errorf("%d clusters, want the old one and the new one", clusters)
	}
	for _, resource := range s.types {
		h := read(t, d, resource)
		if n := len(h.gaps); n == 0 || h.gaps[n-1].cause != history.CauseRebuilt {
			t.Errorf("%s: the gaps are %v, want a last one with the cause that the cluster was replaced", resource, h.gaps)
		}
		for _, p := range h.consistent() {
			t.Errorf("%s: %s", resource, p)
		}
	}
}
