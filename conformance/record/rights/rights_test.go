package rights_test

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
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/reflector"
)

// TestRights: a running recorder loses the right to see pods and gets it back, a type is
// deleted and recreated, and finally another cluster replaces this one at the same
// address. The recorder distinguishes each case from deleted objects.
func TestRights(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := stage.New(t, "", kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "jobs", "pods", "widgets")
			s.Load.MakeMarkers(t)
			makeType(t, s)
			for _, name := range []string{"changes", "stays", "goes"} {
				s.MakePod(t, name)
			}
			stop := recordHere(t, s, limited(t, s))
			s.Settle(t, "here")
			rights(t, s)
			typeAgain(t, s)
			s.Compare(t, true)
			stop()
			if !t.Failed() {
				rebuilt(t, s)
			}
		})
	}
}

// recordHere runs a recorder in this process, with shorter check intervals than the
// default, until stop.
func recordHere(t *testing.T, s *stage.Stage, cfg *rest.Config) (stop func()) {
	t.Helper()
	cfg.Host = "https://" + s.API.Address()
	cluster, err := kube.Connect(kube.Config{REST: cfg})
	if err != nil {
		t.Fatal(err)
	}
	d, err := sqldb.Open(t.Context(), s.Through(t))
	if err != nil {
		t.Fatal(err)
	}
	rc := record.Config{
		Cluster: cluster, ClusterName: "the-cluster", Name: "here", MonitorInterval: 100 * time.Millisecond,
		Reflector: reflector.Config{SlowRetry: 500 * time.Millisecond, MaxBackoff: time.Second},
		Logger:    slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	for _, name := range s.Types {
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
func limited(t *testing.T, s *stage.Stage) *rest.Config {
	t.Helper()
	ctx, c := t.Context(), s.Load.Client
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
		grant(t, s, name)
	}
	token, err := c.CoreV1().ServiceAccounts("default").CreateToken(ctx, "recorder", &authv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.Plane.RESTConfig()
	cfg.BearerToken = token.Status.Token
	return cfg
}

func grant(t *testing.T, s *stage.Stage, name string) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "record-" + name},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "record-" + name},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "default", Name: "recorder"}},
	}
	if _, err := s.Load.Client.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// presences counts the objects of a type by their presence.
func presences(h *stage.Tables) (n [4]int) {
	for _, o := range h.Objects {
		n[o.Presence]++
	}
	return n
}

// awaitPresences waits until given numbers of objects of a type are present, deleted,
// unknown and unselected.
func awaitPresences(t *testing.T, s *stage.Stage, resource string, want [4]int) {
	t.Helper()
	d := s.Open(t)
	defer d.Close()
	patience.Until(t, resource+" are present, deleted, unknown, unselected", func() string {
		h := stage.Read(t, d, resource)
		if got := presences(h); got != want {
			return fmt.Sprintf("%v, want %v", got, want)
		}
		return ""
	})
}

// rights revokes the right to see pods, and restores it.
func rights(t *testing.T, s *stage.Stage) {
	t.Helper()
	awaitPresences(t, s, "pods", [4]int{stage.IsThere: 4})
	if err := s.Load.Client.RbacV1().ClusterRoleBindings().Delete(t.Context(), "record-pods", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until403(t, s)
	s.API.Set(network.Reset) // an open watch does not end without the right
	awaitPresences(t, s, "pods", [4]int{stage.IsUnknown: 4})
	awaitPresences(t, s, "jobs", [4]int{stage.IsThere: 1})
	s.Change(t, "unseen")
	s.DeletePod(t, "goes")
	grant(t, s, "pods")
	s.Settle(t, "here")
	awaitPresences(t, s, "pods", [4]int{stage.IsThere: 4, stage.IsDeleted: 2})
	d := s.Open(t)
	defer d.Close()
	h := stage.Read(t, d, "pods")
	if len(h.Gaps) != 1 || h.Gaps[0].Cause != history.CauseDenied || !h.Gaps[0].Healed {
		t.Errorf("the gaps are %v, want one with cause rights, healed: the server had the whole history", h.Gaps)
	}
	s.Restarts = append(s.Restarts, stage.Span{From: 0, To: 1 << 60, Cause: history.CauseDenied})
	s.Compare(t, true)
}

// until403 waits until the server enforces the revocation.
func until403(t *testing.T, s *stage.Stage) {
	t.Helper()
	ask := fmt.Appendf(nil, `{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"system:serviceaccount:default:recorder","resourceAttributes":{"verb":"watch","resource":"pods"}}}`)
	patience.Until(t, "the right is revoked", func() string {
		raw, err := s.Load.Client.Discovery().RESTClient().Post().AbsPath("/apis/authorization.k8s.io/v1/subjectaccessreviews").Body(ask).DoRaw(t.Context())
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
func makeType(t *testing.T, s *stage.Stage) {
	t.Helper()
	client := s.Load.Client.Discovery().RESTClient()
	if err := client.Post().AbsPath(typesPath).Body([]byte(widgets)).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"marker", "first", "second"} {
		patience.Until(t, "the type is served", func() string {
			if err := client.Post().AbsPath(stage.Paths["widgets"]).Body(fmt.Appendf(nil, widget, name)).Do(t.Context()).Error(); err != nil {
				return err.Error()
			}
			return ""
		})
	}
}

// typeAgain deletes a type, and recreates it with objects of the same names.
func typeAgain(t *testing.T, s *stage.Stage) {
	t.Helper()
	awaitPresences(t, s, "widgets", [4]int{stage.IsThere: 3})
	client := s.Load.Client.Discovery().RESTClient()
	if err := client.Delete().AbsPath(typesPath + "/widgets.example.com").Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	awaitPresences(t, s, "widgets", [4]int{stage.IsDeleted: 3}) // the server deletes them first
	d := s.Open(t)
	defer d.Close()
	patience.Until(t, "the absence of the type is recorded", func() string {
		h := stage.Read(t, d, "widgets")
		if len(h.Gaps) != 1 || h.Gaps[0].Cause != history.CauseAbsent {
			return fmt.Sprintf("the gaps are %v", h.Gaps)
		}
		return ""
	})
	makeType(t, s)
	s.Settle(t, "here")
	awaitPresences(t, s, "widgets", [4]int{stage.IsThere: 3, stage.IsDeleted: 3})
	s.Restarts = append(s.Restarts, stage.Span{From: 0, To: 1 << 60, Cause: history.CauseAbsent})
}

// rebuilt replaces the cluster at its address while a recorder runs.
func rebuilt(t *testing.T, s *stage.Stage) {
	t.Helper()
	s.Types = []string{"jobs", "pods"}
	stop := recordHere(t, s, s.Plane.RESTConfig())
	s.Settle(t, "here")
	s.Unwatch()
	if err := s.Plane.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"changes", "new"} {
		patience.Until(t, "the server accepts pods", func() string {
			pod := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q},"spec":{"schedulerName":"nobody","containers":[{"name":"main","image":"train"}]}}`, name)
			if err := s.Load.Client.Discovery().RESTClient().Post().AbsPath(stage.Paths["pods"]).Body(pod).Do(t.Context()).Error(); err != nil {
				return err.Error()
			}
			return ""
		})
	}
	awaitPresences(t, s, "pods", [4]int{stage.IsThere: 2, stage.IsDeleted: 2, stage.IsUnknown: 4})
	awaitPresences(t, s, "jobs", [4]int{stage.IsUnknown: 1})
	stop()
	d := s.Open(t)
	defer d.Close()
	clusters := 0
	stage.Rows(t, d.SQL(), "SELECT COUNT(*) FROM clusters", func(scan func(...any) error) error { return scan(&clusters) })
	if clusters != 2 {
		t.Errorf("%d clusters, want the old one and the new one", clusters)
	}
	for _, resource := range s.Types {
		h := stage.Read(t, d, resource)
		if n := len(h.Gaps); n == 0 || h.Gaps[n-1].Cause != history.CauseRebuilt {
			t.Errorf("%s: the gaps are %v, want a last one with the cause that the cluster was replaced", resource, h.Gaps)
		}
		for _, p := range h.Consistent() {
			t.Errorf("%s: %s", resource, p)
		}
	}
}
