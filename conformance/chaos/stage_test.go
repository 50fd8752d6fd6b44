package chaos_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
)

var length = flag.Duration("chaos", 0, "duration of changes and faults; 0 is one short phase of each mood")

// stage is a control plane of two API servers. Informers follow the first server through
// networks that can be cut, one for each engine. The writer uses the second server, which
// has no faults.
type stage struct {
	t        *testing.T
	random   *rand.Rand
	plane    *controlplane.Cluster
	peer     *controlplane.Peer
	admin    kubernetes.Interface
	objects  dynamic.Interface
	networks map[string]*network.Proxy
	faulty   map[string][]*faults // by engine
	secret   string               // the token of the informers is bound to it
	token    string               // its file
	struck   map[string]int
	moved    bool // some connections may reach the other server
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{
		t: t, random: testinput.Rand(t), plane: controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly}),
		networks: map[string]*network.Proxy{}, faulty: map[string][]*faults{}, token: filepath.Join(t.TempDir(), "token"), struck: map[string]int{},
	}
	var err error
	if s.peer, err = s.plane.AddAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.admin, err = kubernetes.NewForConfig(s.peer.RESTConfig()); err != nil {
		t.Fatal(err)
	}
	if s.objects, err = dynamic.NewForConfig(s.peer.RESTConfig()); err != nil {
		t.Fatal(err)
	}
	for _, engine := range engines {
		s.networks[engine] = network.New(t, address(s.plane.Host()))
	}
	s.prepare(t.Context())
	return s
}

func address(host string) string { return strings.TrimPrefix(host, "https://") }

// prepare makes namespaces, the custom resource, and the account of the informers.
func (s *stage) prepare(ctx context.Context) {
	s.t.Helper()
	for i := range 2 {
		_, err := s.admin.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(prefix, "n", i)}}, metav1.CreateOptions{})
		s.must(err)
	}
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "widgets.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	_, err := s.objects.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{})
	s.must(err)
	first, err := dynamic.NewForConfig(s.plane.RESTConfig())
	s.must(err)
	for _, client := range []dynamic.Interface{first, s.objects} {
		patience.Until(s.t, "widgets are served", func() string {
			if _, err := client.Resource(widgetKind.gvr).List(ctx, metav1.ListOptions{}); err != nil {
				return err.Error()
			}
			return ""
		})
	}
	_, err = s.admin.CoreV1().ServiceAccounts("default").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{})
	s.must(err)
	_, err = s.admin.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "robot"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: "robot"}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.rotate(ctx)
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// rotate writes a new token of the informers' account, and invalidates the previous one.
func (s *stage) rotate(ctx context.Context) {
	s.t.Helper()
	secrets := s.admin.CoreV1().Secrets("default")
	secret, err := secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: "bound-"}}, metav1.CreateOptions{})
	s.must(err)
	answer, err := s.admin.CoreV1().ServiceAccounts("default").CreateToken(ctx, "robot", &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{BoundObjectRef: &authenticationv1.BoundObjectReference{Kind: "Secret", APIVersion: "v1", Name: secret.Name, UID: secret.UID}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.must(os.WriteFile(s.token, []byte(answer.Status.Token), 0o600))
	if s.secret != "" {
		s.must(secrets.Delete(ctx, s.secret, metav1.DeleteOptions{}))
	}
	s.secret = secret.Name
}

// config returns a configuration for one informer of an engine, and its fault injector.
func (s *stage) config(engine string) (*rest.Config, *faults) {
	s.t.Helper()
	var authorities []byte
	for _, cfg := range []*rest.Config{s.plane.RESTConfig(), s.peer.RESTConfig()} {
		pem, err := os.ReadFile(cfg.CAFile)
		s.must(err)
		authorities = append(authorities, pem...)
	}
	r := newFaults()
	s.faulty[engine] = append(s.faulty[engine], r)
	cfg := &rest.Config{
		Host: "https://" + s.networks[engine].Address(), QPS: -1, BearerTokenFile: s.token,
		TLSClientConfig: rest.TLSClientConfig{CAData: authorities},
	}
	cfg.Wrap(func(below http.RoundTripper) http.RoundTripper { return faultyTransport{r, below} })
	return cfg, r
}

// mood is the severity of the faults of a phase.
type mood uint8

const (
	calm   mood = iota // no faults
	mild               // watches break, and can resume
	wild               // some lists are necessary
	outage             // a server is killed
	moods
)

func (m mood) String() string { return [...]string{"calm", "mild", "wild", "outage"}[m] }

// strike injects a fault, for all engines or for one.
func (s *stage) strike(ctx context.Context, m mood) {
	hit := engines
	if s.random.IntN(3) == 0 {
		hit = []string{engines[s.random.IntN(len(engines))]}
	}
	switch n := s.random.IntN(10); {
	case m == calm:
	case m == outage && n < 3:
		s.kill(ctx)
	case m == outage && n == 3:
		s.note("compact")
		s.must(s.plane.Compact(ctx))
	case m == outage && n == 4:
		s.note("rotate")
		s.rotate(ctx)
		s.cut(hit, network.Reset)
	case m == outage && n == 5 && *length > 0:
		s.cut(hit, network.Drop) // clients detect it after 45 seconds
	case m == outage && n == 6:
		s.move(hit)
		s.cut(hit, network.Reset)
	case m >= wild && n < 6:
		s.arm(hit, []requestFault{broken, expired, noStreams, torn}[s.random.IntN(4)])
	case n < 7:
		s.arm(hit, []requestFault{busy, away, slow}[s.random.IntN(3)])
	case n < 8:
		s.bookmarks(hit)
	case n < 9:
		s.cut(hit, []network.Mode{network.Refuse, network.Stall}[s.random.IntN(2)])
	default:
		s.cut(hit, network.Reset)
	}
}

func (s *stage) note(what string) { s.struck[what]++ }

func (s *stage) each(hit []string, do func(*network.Proxy)) {
	for _, engine := range hit {
		do(s.networks[engine])
	}
}

// move connects later connections to the other server.
func (s *stage) move(hit []string) {
	s.note("another server")
	s.moved = true
	s.each(hit, func(p *network.Proxy) { p.Redirect(address(s.peer.Host())) })
}

// cut cuts connections. The network works again after a moment.
func (s *stage) cut(hit []string, m network.Mode) {
	s.note(m.String())
	s.each(hit, func(p *network.Proxy) { p.Set(m) })
	if m == network.Refuse || m == network.Stall {
		<-time.After(time.Duration(s.random.Int64N(int64(time.Second)))) // an input: the pace of the disturbance
		s.each(hit, func(p *network.Proxy) { p.Set(network.Whole) })
	}
}

// arm injects a fault into the next requests of all informers, and causes some requests.
func (s *stage) arm(hit []string, m requestFault) {
	s.note(fmt.Sprint("fault ", m))
	for _, engine := range hit {
		for _, r := range s.faulty[engine] {
			r.arm(m)
		}
	}
	s.each(hit, func(p *network.Proxy) { p.Set(network.Reset) })
}

// bookmarks turns bookmarks on or off for the next watches.
func (s *stage) bookmarks(hit []string) {
	s.note("bookmarks")
	without := s.random.IntN(2) == 0
	for _, engine := range hit {
		for _, r := range s.faulty[engine] {
			r.without(without)
		}
	}
	s.each(hit, func(p *network.Proxy) { p.Set(network.Reset) })
}

// kill stops the first server for a while. Meanwhile the history may be compacted, and
// informers may connect to the other server.
func (s *stage) kill(ctx context.Context) {
	s.note("kill")
	other := s.random.IntN(2) == 0
	s.plane.KillAPIServer()
	if other {
		s.move(engines)
	}
	<-time.After(time.Duration(s.random.Int64N(int64(time.Second)))) // an input: the pace of the disturbance
	if s.random.IntN(2) == 0 {
		s.note("compact")
		s.must(s.plane.Compact(ctx))
	}
	s.must(s.plane.StartAPIServer(ctx))
	s.each(engines, func(p *network.Proxy) { p.Redirect(address(s.plane.Host())) })
	if other && s.random.IntN(2) == 0 {
		s.cut(engines, network.Reset)
	}
}

// heal ends all faults, and connects all informers to the first server. A restarted
// server that has not yet served a custom resource needs a list.
func (s *stage) heal() {
	for _, engine := range engines {
		s.networks[engine].Set(network.Whole)
		s.networks[engine].Redirect(address(s.plane.Host()))
		if s.moved {
			s.networks[engine].Set(network.Reset)
		}
		for _, r := range s.faulty[engine] {
			r.mend()
			r.without(false)
		}
	}
	s.moved = false
}
