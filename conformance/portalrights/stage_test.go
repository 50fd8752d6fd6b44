package portalrights_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

const clusterName = "prod"

// stage is a control plane with a portal's rights. The portal uses the credentials of its
// ServiceAccount.
type stage struct {
	t      *testing.T
	admin  *kubernetes.Clientset
	access *access.Access
	tokens *access.TokenReviewer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	plane := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	admin, err := kubernetes.NewForConfig(plane.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(admin.RESTClient().(*rest.RESTClient).Client.CloseIdleConnections)
	s := &stage{t: t, admin: admin}
	s.namespace("vedette")
	s.account("vedette", "vedette-portal")
	s.apply(plane.RESTConfig(), "../../deploy/portal-rights.yaml")
	rc := plane.RESTConfig()
	rc.BearerToken = s.token("vedette", "vedette-portal")
	cluster, err := kube.Connect(kube.Config{REST: rc})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	clusters := []access.Cluster{{Name: clusterName, Kube: cluster}}
	s.access, s.tokens = access.New(access.Config{Clusters: clusters, Rights: true}), access.NewTokenReviewer(clusters, "portal", nil)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var work sync.WaitGroup
	work.Go(func() { _ = s.access.Run(ctx) })
	t.Cleanup(func() {
		stop()
		work.Wait()
	})
	return s
}

// check fails the test after an error.
func check[T any](s *stage) func(T, error) T {
	return func(v T, err error) T {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
		return v
	}
}

func (s *stage) namespace(name string) {
	check[*corev1.Namespace](s)(s.admin.CoreV1().Namespaces().Create(s.t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}))
}

func (s *stage) account(namespace, name string) {
	check[*corev1.ServiceAccount](s)(s.admin.CoreV1().ServiceAccounts(namespace).Create(s.t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}))
}

// token returns a token of a ServiceAccount.
func (s *stage) token(namespace, name string) string {
	s.t.Helper()
	request := &authenticationv1.TokenRequest{}
	return check[*authenticationv1.TokenRequest](s)(s.admin.CoreV1().ServiceAccounts(namespace).CreateToken(s.t.Context(), name, request, metav1.CreateOptions{})).Status.Token
}

// apply creates the objects of a file.
func (s *stage) apply(rc *rest.Config, path string) {
	s.t.Helper()
	cluster := check[*kube.Cluster](s)(kube.Connect(kube.Config{REST: rc}))
	defer cluster.Close()
	for _, m := range check[[]*manifest.Manifest](s)(manifest.Parse(s.t.Context(), path, check[[]byte](s)(os.ReadFile(path)))) {
		body := check[[]byte](s)(m.Object.MarshalJSON())
		plural := map[string]string{"ClusterRole": "clusterroles", "ClusterRoleBinding": "clusterrolebindings"}[m.Object.GetKind()]
		answer, err := cluster.Do(s.t.Context(), kube.Request{Method: "POST", Path: "/apis/rbac.authorization.k8s.io/v1/" + plural, Body: body})
		if err != nil {
			s.t.Fatal(err)
		}
		_ = answer.Close()
	}
}

// role creates a ClusterRole for jobs.
func (s *stage) role(name string, verbs ...string) *rbacv1.ClusterRole {
	s.t.Helper()
	return check[*rbacv1.ClusterRole](s)(s.admin.RbacV1().ClusterRoles().Create(s.t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{"batch"}, Resources: []string{"jobs"}, Verbs: verbs}},
	}, metav1.CreateOptions{}))
}

// bind binds a ClusterRole in a namespace.
func (s *stage) bind(namespace, role, kind, name string) {
	s.t.Helper()
	check[*rbacv1.RoleBinding](s)(s.admin.RbacV1().RoleBindings(namespace).Create(s.t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role + "-" + name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}},
	}, metav1.CreateOptions{}))
}

func (s *stage) unbind(namespace, role, name string) {
	s.t.Helper()
	if err := s.admin.RbacV1().RoleBindings(namespace).Delete(s.t.Context(), role+"-"+name, metav1.DeleteOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// as returns a context with the identity of a user.
func (s *stage) as(name string, groups ...string) context.Context {
	return identity.With(s.t.Context(), identity.Person{Name: name, Groups: groups})
}

// follow does what an open stream does: it reads the sight whenever the last one has
// expired, until the sight is as wanted. It returns how long that took.
func (s *stage) follow(ctx context.Context, what string, wanted func(*access.Sight) bool) time.Duration {
	s.t.Helper()
	began := time.Now()
	for {
		sight := check[*access.Sight](s)(s.access.Sight(ctx))
		if wanted(sight) {
			return time.Since(began)
		}
		patience.Closed(s.t, what+": the end of a sight", sight.Expired())
	}
}
