package kube_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// hostile are names that would change a path if they were put into it unescaped.
var hostile = []string{
	"..", ".", "../..", "../../v1/namespaces/x", "a/b", "/", "//", "a/../b", "%2e%2e", "..%2f..", "a%2fb", "%", "a?watch=1",
	"a#b", "a;b", "a b", `a\b`, "a\x00b", "a\nb", "ü", "A", "-", "pods", "http://other", strings.Repeat("a", 300),
}

// paths answers every request with 404 and records the URIs.
type paths struct {
	mu    sync.Mutex
	asked []string // escaped, as sent
}

func (p *paths) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Request: r}
	body, known := discovered[strings.TrimPrefix(r.URL.Path, "/clusters/one/a")]
	if known {
		a.StatusCode = http.StatusOK
		a.Header.Set("Content-Type", "application/json")
	} else {
		p.asked = append(p.asked, r.URL.RequestURI())
	}
	a.Body = io.NopCloser(strings.NewReader(body))
	return a, nil
}

// discovered are the discovery documents of a server that has only pods.
var discovered = map[string]string{
	"/api":    `{"kind":"APIVersions","versions":["v1"]}`,
	"/apis":   `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
	"/api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","kind":"Pod","namespaced":true,"verbs":["get","list","watch","create","update","patch","delete","deletecollection"]}]}`,
}

// take returns the URIs of the requests since the last call.
func (p *paths) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { p.asked = nil }()
	return p.asked
}

// behind connects to a proxy whose address has a path, as a proxy for several clusters
// has.
func behind(t testing.TB) (*paths, *kube.Cluster) {
	t.Helper()
	p := &paths{}
	cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: "https://proxy.example/clusters/one%2Fa/", Transport: p}})
	if err != nil {
		t.Fatal(err)
	}
	return p, cluster
}

// only fails the test unless every request had exactly these segments, and nothing was
// sent if the names are invalid.
func only(t *testing.T, p *paths, err error, segments ...string) {
	t.Helper()
	want := slices.Concat([]string{"clusters", "one/a"}, segments)
	asked := p.take()
	if errcode.Is(err, errcode.Invalid) == (len(asked) > 0) {
		t.Errorf("%q: got error %v, but %q was sent", segments, err, asked)
	}
	for _, uri := range asked {
		path, _, _ := strings.Cut(uri, "?")
		var got []string
		for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
			plain, err := url.PathUnescape(segment)
			if err != nil || plain == "." || plain == ".." {
				t.Errorf("%q was sent, with a segment that changes the path", uri)
			}
			got = append(got, plain)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q was sent, with the segments %q, want %q", uri, got, want)
		}
	}
}

var widgets = kube.Resource{
	Group: "example.com", Version: "v1", Name: "widgets", Kind: "Widget", Scope: kube.Namespaced,
	Verbs: []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"},
}

// askFor lists and watches a collection and returns the first error.
func askFor(t *testing.T, cluster *kube.Cluster, r kube.Resource, s kube.Selection) error {
	t.Helper()
	coll, err := cluster.Collection(r, s)
	if err != nil {
		return err
	}
	_, listed := coll.List(t.Context(), metav1.ListOptions{})
	_, watched := coll.Watch(t.Context(), metav1.ListOptions{})
	return errors.Join(listed, watched)
}

// TestNoNameLeadsToAnotherPath checks that the name of a namespace, an object or a type
// is exactly one segment of the URL, or the request is not sent.
func TestNoNameLeadsToAnotherPath(t *testing.T) {
	p, cluster := behind(t)
	for _, name := range hostile {
		only(t, p, askFor(t, cluster, widgets, kube.Selection{Namespace: name}), "apis", "example.com", "v1", "namespaces", name, "widgets")
		for _, field := range []func(*kube.Resource) *string{
			func(r *kube.Resource) *string { return &r.Group },
			func(r *kube.Resource) *string { return &r.Version },
			func(r *kube.Resource) *string { return &r.Name },
		} {
			r := widgets
			*field(&r) = name
			only(t, p, askFor(t, cluster, r, kube.Selection{}), "apis", r.Group, r.Version, r.Name)
		}
	}
}

// TestClientsNameOnePath is TestNoNameLeadsToAnotherPath for the requests of clients.
func TestClientsNameOnePath(t *testing.T) {
	p, cluster := behind(t)
	ctx := t.Context()
	pods := client[corev1.Pod](t, cluster, kube.ClientConfig{FieldManager: "me"})
	for _, name := range hostile {
		for _, key := range []wire.Key{{Namespace: name, Name: "x"}, {Namespace: "ml", Name: name}} {
			obj := pod(key.Namespace, key.Name, "")
			one := []string{"api", "v1", "namespaces", key.Namespace, "pods", key.Name}
			_, err := pods.Get(ctx, key)
			only(t, p, err, one...)
			only(t, p, pods.Delete(ctx, key, kube.DeleteOptions{}), one...)
			_, err = pods.Patch(ctx, key, kube.MergePatch(map[string]string{}))
			only(t, p, err, one...)
			_, err = pods.Apply(ctx, obj, kube.ForceConflicts)
			only(t, p, err, one...)
			_, err = pods.Scale(ctx, key)
			only(t, p, err, append(one, "scale")...)
			_, err = pods.Status().Patch(ctx, key, kube.MergePatch(map[string]string{}))
			only(t, p, err, append(one, "status")...)
			_, err = pods.Create(ctx, obj)
			only(t, p, err, one[:5]...)
			obj.ResourceVersion = "1"
			_, err = pods.Update(ctx, obj)
			only(t, p, err, one...)
		}
		all := []string{"api", "v1", "namespaces", name, "pods"}
		_, err := kube.Collect(pods.List(ctx, kube.Where{Namespace: name}))
		only(t, p, err, all...)
		only(t, p, firstError(pods.Watch(ctx, kube.Where{Namespace: name}, 0)), all...)
		_, err = pods.DeleteAll(ctx, kube.Where{Namespace: name}, kube.DeleteOptions{})
		only(t, p, err, all...)
	}
}

// TestConnectRefusesANamespace checks the default namespace, which also becomes a part of
// paths.
func TestConnectRefusesANamespace(t *testing.T) {
	for _, name := range []string{"..", "a/b", "A"} {
		_, err := kube.Connect(kube.Config{REST: &rest.Config{Host: "https://x"}, Namespace: name})
		if !errcode.Is(err, errcode.Misconfigured) || !strings.Contains(err.Error(), fmt.Sprintf("%q is not valid", name)) {
			t.Errorf("namespace %q: got %v, want that it is not valid", name, err)
		}
	}
}

// TestRequestsStayBelowTheAddress checks that a path of the caller is sent unchanged and
// stays below the address of the cluster.
func TestRequestsStayBelowTheAddress(t *testing.T) {
	p, cluster := behind(t)
	for _, path := range []string{"/../two/api", "/api/../../x", "/api/%2e%2e/x", "/api/..%2fx", "/./api", "api", "/api?x", "/%zz"} {
		_, err := cluster.Do(t.Context(), kube.Request{Path: path})
		if asked := p.take(); !errcode.Is(err, errcode.Invalid) || len(asked) > 0 {
			t.Errorf("%s: got error %v, but %q was sent", path, err, asked)
		}
	}
	if _, err := cluster.Do(t.Context(), kube.Request{Path: "/api/v1/namespaces/ml/pods/" + url.PathEscape("a b")}); err == nil {
		t.Error("got no error for a missing object")
	}
	if got := fmt.Sprint(p.take()); got != "[/clusters/one%2Fa/api/v1/namespaces/ml/pods/a%20b]" {
		t.Errorf("got the paths %s, want [/clusters/one%%2Fa/api/v1/namespaces/ml/pods/a%%20b]", got)
	}
}

// FuzzPaths checks that no namespace and no name leads to another path.
func FuzzPaths(f *testing.F) {
	for _, name := range hostile {
		f.Add(name, "x")
		f.Add("ml", name)
	}
	f.Add("ml", "\xff")
	f.Fuzz(func(t *testing.T, namespace, name string) {
		p, cluster := behind(t)
		if namespace != "" {
			only(t, p, askFor(t, cluster, widgets, kube.Selection{Namespace: namespace}), "apis", "example.com", "v1", "namespaces", namespace, "widgets")
		}
		if name != "" {
			r := widgets
			r.Name = name
			only(t, p, askFor(t, cluster, r, kube.Selection{Namespace: "ml"}), "apis", "example.com", "v1", "namespaces", "ml", name)
		}
	})
}
