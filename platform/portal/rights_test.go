package portal_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// guarded is a portal with rights, and its API server: ann and ben may create jobs in ml, and eve may
// do nothing.
type guarded struct {
	*served
	srv *apitest.Server
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	may := func(user, namespace string) bool {
		return user == "portal" || (user == "ann" || user == "ben") && namespace == "ml"
	}
	g := &guarded{}
	var err error
	g.srv, err = apitest.New(apitest.Config{
		BookmarkInterval: 50 * time.Millisecond, Tokens: map[string]string{"portal": "portal"},
		Authorize: func(r apitest.Request) error {
			if may(r.User, r.Namespace) {
				return nil
			}
			return errors.New("no")
		},
		Rules: func(user string, _ []string, namespace string) (s authorizationv1.SubjectRulesReviewStatus) {
			if may(user, namespace) {
				s.ResourceRules = []authorizationv1.ResourceRule{{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}}}
			}
			return s
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.srv.Close)
	for _, name := range []string{"ann", "ben"} {
		_, err := g.srv.Create(&rbacv1.RoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "RoleBinding"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name},
			Subjects:   []rbacv1.Subject{{Kind: "User", Name: name}}, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "edit"},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	rc := g.srv.RESTConfig()
	rc.BearerToken = "portal"
	conn, err := kube.Connect(kube.Config{REST: rc})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(file, []byte("tokens:\n- {name: ann, token: token-of-ann-0123456789}\n- {name: ben, token: token-of-ben-0123456789}\n- {name: eve, token: token-of-eve-0123456789}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.served = newWorld(t).serve(func(c *portal.Config) {
		c.Identity, c.Rights, c.Clusters = identity.Config{Tokens: file}, true, []access.Cluster{{Name: "west", Kube: conn}}
	}).ready()
	patience.Until(t, "the bindings are known", func() string {
		if status := g.begin("eve", api.PathCheck, "Content-Length: 2000000")(); status != http.StatusForbidden {
			return fmt.Sprintf("eve got status %d", status)
		}
		return ""
	})
	return g
}

// check checks a job in a namespace.
func (g *guarded) check(person, namespace string) (int, string) {
	g.Helper()
	body := fmt.Sprintf(`{"cluster":"west","namespace":%q,"yaml":"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: x}]}}}\n"}`, namespace)
	status, _, text := g.send(http.MethodPost, api.Prefix+api.PathCheck, body, "Authorization", "Bearer token-of-"+person+"-0123456789", "Content-Type", "application/json")
	return status, text
}

// begin sends the header of a large job, whose body never comes. status waits for the answer.
func (g *guarded) begin(person, path, length string) (status func() int) {
	g.Helper()
	c, err := net.Dial("tcp", g.address)
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience.Limit(g)))
	if _, err := fmt.Fprintf(c, "POST %s%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nConnection: close\r\nAuthorization: Bearer token-of-%s-0123456789\r\n%s\r\n\r\n", api.Prefix, path, g.address, person, length); err != nil {
		g.Fatal(err)
	}
	return func() int {
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			g.Error(err)
			return 0
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
}

// TestAttackByRights: large jobs of nobody and of a person without rights are refused before they are
// read, however many there are. A submitter who holds their share of memory does not keep others out,
// and reaches the API server for no dry run in a namespace of others.
func TestAttackByRights(t *testing.T) {
	g := newGuarded(t)
	for _, c := range []struct {
		person string
		want   int
	}{{"nobody", http.StatusUnauthorized}, {"eve", http.StatusForbidden}} {
		for _, path := range []string{api.PathSubmit, api.PathCheck, api.PathRender} {
			for _, length := range []string{"Content-Length: 2000000", "Transfer-Encoding: chunked"} {
				if got := g.begin(c.person, path, length)(); got != c.want {
					t.Errorf("%s: POST %s with %s and no body: got status %d, want %d", c.person, path, length, got, c.want)
				}
			}
		}
	}
	var flood sync.WaitGroup
	for range 100 {
		status := g.begin("eve", api.PathCheck, "Content-Length: 2000000")
		flood.Go(func() {
			if got := status(); got != http.StatusForbidden && got != http.StatusTooManyRequests {
				t.Errorf("a flood of eve: got status %d, want 403 or 429", got)
			}
		})
	}
	for range 8 {
		g.begin("ann", api.PathCheck, "Content-Length: 2000000") // its answer would be 408 or 429
	}
	if status, text := g.check("ben", "ml"); status != http.StatusOK || !strings.Contains(text, `"ok":true`) {
		t.Errorf("ben beside the floods: got status %d and %s, want a checked job", status, text)
	}
	flood.Wait()
	if status, text := g.check("ben", "vision"); status != http.StatusForbidden || !strings.Contains(text, "vision") {
		t.Errorf("ben in a namespace of others: got status %d and %s, want 403", status, text)
	}
	for _, r := range g.srv.Requests() {
		if r.Verb == apitest.VerbCreate && r.Resource.Resource == "jobs" && (r.User != "ben" || r.Namespace != "ml") {
			t.Errorf("the API server got %s %s of %s", r.Verb, r.Path, r.User)
		}
	}
}
