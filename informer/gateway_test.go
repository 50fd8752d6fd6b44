package informer_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
)

// gatewayBound is the maximum time until an informer at a gateway states its outcome: the log has
// the missing part, and the first objects are shown, or Health has the error.
const gatewayBound = time.Second

// gateways are habits of servers that stand before or in place of a cluster's own, such as virtual
// clusters and proxies of several clusters. A gateway refuses the paths below a prefix.
var gateways = []struct {
	name, prefix string
	status       int
	log          string // a line of the log within the bound
	refused      string // the error of Health within the bound; else the objects are shown
}{
	{"string versions", "", 0, "the server does not order resource versions", ""},
	{"no core API", "/api", http.StatusNotFound, "a cluster that is replaced behind the same address would not be noticed", ""},
	{"namespaces that cannot be read", "/api/v1/namespaces", http.StatusForbidden, "grant the right to get it", ""},
	{"a core API that does not answer", "/api", http.StatusServiceUnavailable, "list and watch fail", "the discovery of types is failing"},
}

// discover answers the discovery of widgets, and reports whether it has.
func discover(w http.ResponseWriter, path string) bool {
	const group = `{"groupVersion":"example.com/v1","version":"v1"}`
	text := map[string]string{
		"/api":                           `{"kind":"APIVersions","versions":["v1"]}`,
		"/api/v1":                        `{"kind":"APIResourceList","groupVersion":"v1","resources":[]}`,
		"/apis":                          `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"example.com","versions":[` + group + `],"preferredVersion":` + group + `}]}`,
		"/apis/example.com/v1":           `{"kind":"APIResourceList","groupVersion":"example.com/v1","resources":[{"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":["list","watch"]}]}`,
		"/api/v1/namespaces/kube-system": `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system","uid":"u","resourceVersion":"1"}}`,
	}[path]
	if text == "" {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, text)
	return true
}

// TestGateways: an informer finds and follows a custom resource at a gateway, and states within the
// bound which part is missing or fails.
func TestGateways(t *testing.T) {
	for _, g := range gateways {
		t.Run(g.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := &opaqueServer{}
				srv.change("ADDED", "a")
				handler := func(w http.ResponseWriter, r *http.Request) {
					if g.prefix != "" && (r.URL.Path == g.prefix || strings.HasPrefix(r.URL.Path, g.prefix+"/")) {
						w.WriteHeader(g.status)
					} else if !discover(w, r.URL.Path) {
						srv.ServeHTTP(w, r)
					}
				}
				cluster := must(kube.Connect(kube.Config{REST: &rest.Config{Host: "http://127.0.0.1:6443", Dial: serveOverPipes(t, handler)}}))
				t.Cleanup(cluster.Close)
				var log bytes.Buffer
				inf := must(informer.Watch[unstructured.Unstructured](cluster, informer.Config{
					Resource: "widgets.example.com", Logger: slog.New(slog.NewTextHandler(&log, nil)),
				}))
				w := &world{t: t, ctx: t.Context()}
				stop := w.start(inf)
				defer w.work.Wait()
				defer stop()
				w.advance(gatewayBound)
				if !strings.Contains(log.String(), g.log) {
					t.Errorf("the log lacks %q:\n%s", g.log, log.String())
				}
				show := func(want int) {
					t.Helper()
					h, _ := inf.Health()
					if n := inf.Snapshot().Records().Len(); n != want || h.Err != nil || h.Order != delta.ByArrival {
						t.Errorf("%d widgets, want %d; health %+v", n, want, h.Health)
					}
				}
				if g.refused != "" {
					if h, _ := inf.Health(); h.Err == nil || !strings.Contains(h.Err.Error(), g.refused) || h.Fault != reflector.Unreachable {
						t.Errorf("health %+v, want the error %q", h.Health, g.refused)
					}
					return
				}
				show(1)
				srv.change("ADDED", "b")
				w.advance(2 * time.Second)
				show(2)
				w.advance(5 * time.Minute) // the gateway ends each watch after a minute
				srv.change("DELETED", "a")
				w.advance(2 * time.Second)
				show(1)
			})
		})
	}
}
