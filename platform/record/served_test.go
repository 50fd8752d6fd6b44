package record_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/wire"
)

// versionServer is an API server with one object of a type that it serves in one version.
type versionServer struct{ version atomic.Pointer[string] }

// serve replaces the version. Watches end, and the path of the earlier version is 404.
func (s *versionServer) serve(version string) { s.version.Store(&version) }

func (s *versionServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	version := *s.version.Load()
	w.Header().Set("Content-Type", "application/json")
	object := fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Widget","metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"5"}}`, version)
	switch r.URL.Path {
	case "/apis":
		fmt.Fprintf(w, `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"example.com","versions":[{"groupVersion":"example.com/%[1]s","version":%[1]q}]}]}`, version)
	case "/apis/example.com/" + version:
		fmt.Fprintf(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/%s","resources":[{"name":"widgets","singularName":"widget","kind":"Widget","namespaced":true,"verbs":["get","list","watch"]}]}`, version)
	case "/api/v1/namespaces/kube-system":
		fmt.Fprint(w, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"kube-system","uid":"one","resourceVersion":"1"}}`)
	case "/apis/example.com/" + version + "/widgets":
		if r.URL.Query().Get("watch") == "" {
			fmt.Fprintf(w, `{"kind":"WidgetList","apiVersion":"example.com/%s","metadata":{"resourceVersion":"10"},"items":[%s]}`, version, object)
			return
		}
		if r.URL.Query().Get("sendInitialEvents") != "" { // as an older server
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		_ = http.NewResponseController(w).Flush()
		tick := time.NewTicker(5 * time.Millisecond) // an input: how soon a watch ends after the version
		defer tick.Stop()
		for strings.HasSuffix(r.URL.Path, *s.version.Load()+"/widgets") && r.Context().Err() == nil {
			<-tick.C
		}
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	}
}

// TestVersionReplaced: the server serves the recorded type in another version. The recorder
// lists it in that version, and records the objects as the server shows them.
func TestVersionReplaced(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		s := &versionServer{}
		s.serve("v1beta1")
		srv := httptest.NewServer(s)
		defer srv.Close()
		w := &world{t: t}
		var err error
		if w.d, err = sqldb.Open(t.Context(), url); err == nil {
			_, err = w.d.Migrate(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		defer w.d.Close()
		if w.cluster, err = kube.Connect(kube.Config{REST: &rest.Config{Host: srv.URL}}); err != nil {
			t.Fatal(err)
		}
		defer w.cluster.Close()
		stop := w.record("one", record.Target{Type: "widgets.example.com"})
		defer stop()
		w.until("SELECT version, source FROM revisions ORDER BY version", "5 2")
		s.serve("v1")
		w.until("SELECT version, source FROM revisions ORDER BY version", "5 2", "10 5")
		for version, want := range map[int]string{5: `"example.com/v1beta1"`, 10: `"example.com/v1"`} {
			if body, err := w.body("u", wire.Version(version)); err != nil || !strings.Contains(string(body), want) {
				t.Errorf("the revision at version %d is %s, %v; want it in %s", version, body, err, want)
			}
		}
	})
}
