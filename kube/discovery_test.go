package kube_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// reply is the answer of a script at a path.
type reply struct {
	code        int // 0: no answer
	contentType string
	body        string
}

const (
	aggregatedJSON = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	podListJSON    = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`
	loginPage      = `<html><body>Please log in</body></html>`
	forbiddenJSON  = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"not you","code":403}`
)

// script answers requests by their path and counts them. Any number of goroutines may use
// it.
type script struct {
	mu      sync.Mutex
	replies map[string]reply
	asked   map[string]int
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	a, ok := s.replies[r.URL.Path]
	s.asked[r.URL.Path]++
	s.mu.Unlock()
	switch {
	case !ok:
		a.code = http.StatusNotFound
	case a.code == 0:
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if a.contentType == "" {
		a.contentType = "application/json"
	}
	return &http.Response{
		StatusCode: a.code, Header: http.Header{"Content-Type": {a.contentType}, "Retry-After": {"1"}},
		Body: io.NopCloser(strings.NewReader(a.body)), Request: r,
	}, nil
}

func (s *script) set(path string, r reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies[path] = r
}

// counted returns the number of requests for each path since the last call.
func (s *script) counted() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.asked = map[string]int{} }()
	return strings.TrimPrefix(fmt.Sprint(s.asked), "map")
}

// scripted connects to a script.
func scripted(t *testing.T, replies map[string]reply, types ...kube.Resource) (*script, *kube.Cluster) {
	t.Helper()
	s := &script{replies: replies, asked: map[string]int{}}
	cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: "https://x", Transport: s}, Types: types})
	if err != nil {
		t.Fatal(err)
	}
	return s, cluster
}

// listed opens a list of a target and closes it.
func listed(ctx context.Context, cluster *kube.Cluster, target kube.Target, err error) error {
	if err != nil {
		return err
	}
	stream, err := cluster.Source(target, kube.Selection{}).List(ctx, metav1.ListOptions{})
	if err == nil {
		stream.Body.Close()
	}
	return err
}

// failures are the ways in which discovery can fail, with a part of the expected error.
var failures = map[string]struct {
	reply
	want string
}{
	"forbidden":    {reply{code: 403, body: forbiddenJSON}, "not you; grant the ClusterRole system:discovery, or state the types in kube.Config.Types"},
	"a login page": {reply{code: 200, contentType: "text/html", body: loginPage}, `the answer is "text/html", not JSON; check the server address`},
	"hangs":        {reply{}, "no answer within 10s"},
	"unavailable":  {reply{code: 503}, "unable to handle the request"},
	"throttled":    {reply{code: 429}, "too many requests"},
	"damaged":      {reply{code: 200, body: `{"kind":`}, "cannot be decoded"},
	"nothing":      {reply{code: 404}, "no Kubernetes API at this address"},
}

// TestBuiltinsNeedNoDiscovery checks that built-in types are listed without discovery,
// even if discovery fails. A name without a version runs discovery once, and then falls
// back to the built-in type.
func TestBuiltinsNeedNoDiscovery(t *testing.T) {
	for name, c := range failures {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, cluster := scripted(t, map[string]reply{"/api": c.reply, "/apis": c.reply, "/api/v1/pods": {code: 200, body: podListJSON}})
				pod, err := kube.TargetOf[corev1.Pod](kube.TypeConfig{})
				if err := listed(t.Context(), cluster, pod, err); err != nil {
					t.Error(err)
				}
				exact, err := kube.Named("pods.v1")
				if err := listed(t.Context(), cluster, exact, err); err != nil {
					t.Error(err)
				}
				if got := s.counted(); got != "[/api/v1/pods:2]" {
					t.Errorf("got requests %s, want two lists of pods", got)
				}
				pods, err := kube.Named("po")
				if err := listed(t.Context(), cluster, pods, err); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestSubresources checks that discovery finds the subresources of a type, in one document
// for all groups and in one for each version.
func TestSubresources(t *testing.T) {
	pods := `"verbs":["list","watch"]`
	forms := map[string]map[string]reply{
		"aggregated": {
			"/api": {code: 200, contentType: aggregatedJSON, body: `{"items":[{"metadata":{"name":""},"versions":[{"version":"v1","resources":[
				{"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced",` + pods + `,"subresources":[{"subresource":"status","verbs":["get"]},{"subresource":"log","verbs":["get"]}]},
				{"resource":"events","responseKind":{"kind":"Event"},"scope":"Namespaced",` + pods + `}]}]}]}`},
			"/apis": {code: 200, contentType: aggregatedJSON, body: `{"items":[]}`},
		},
		"each version": {
			"/api": {code: 200, body: `{"versions":["v1"]}`},
			"/api/v1": {code: 200, body: `{"resources":[{"name":"pods/status","kind":"Pod","namespaced":true,"verbs":["get"]},
				{"name":"pods","kind":"Pod","namespaced":true,` + pods + `},{"name":"pods/log","kind":"Pod","namespaced":true,"verbs":["get"]},
				{"name":"events","kind":"Event","namespaced":true,` + pods + `}]}`},
			"/apis": {code: 200, body: `{"groups":[]}`},
		},
	}
	for name, replies := range forms {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, cluster := scripted(t, replies)
				all, err := cluster.Resources(t.Context())
				if err != nil || len(all) != 2 {
					t.Fatalf("got %v and error %v, want pods and events", all, err)
				}
				for _, r := range all {
					if pod := r.Name == "pods"; r.HasSubresource("status") != pod || r.HasSubresource("log") != pod || r.HasSubresource("scale") {
						t.Errorf("%v: got subresources %v", r, r.Subresources)
					}
				}
			})
		})
	}
}

// TestDiscoveryFaults checks that an error of discovery has its cause and a remedy, and
// that one lookup runs discovery once.
func TestDiscoveryFaults(t *testing.T) {
	for name, c := range failures {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, cluster := scripted(t, map[string]reply{"/api": c.reply, "/apis": c.reply})
				began := time.Now()
				_, err := cluster.Resolve(t.Context(), "widgets.example.com")
				var failing *kube.DiscoveryError
				if !errors.As(err, &failing) || !strings.Contains(err.Error(), c.want) || apierrors.IsNotFound(err) {
					t.Errorf("got %v, want %s", err, c.want)
				}
				if got := s.counted(); got != "[/api:1]" && (name != "nothing" || got != "[/api:1 /apis:1]") {
					t.Errorf("got requests %s, want only discovery, once", got)
				}
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("the lookup took %v", took)
				}
			})
		})
	}
}

// TestDiscoveryIsCanceled checks that the context of a caller ends its wait, and does
// not affect other callers that wait for the same round.
func TestDiscoveryIsCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, cluster := scripted(t, map[string]reply{"/api": {}, "/apis": {}})
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var work sync.WaitGroup
		defer work.Wait()
		for _, c := range []struct {
			ctx  context.Context
			want time.Duration
		}{{short, time.Second}, {short, time.Second}, {t.Context(), 11 * time.Second}} {
			work.Go(func() {
				began := time.Now()
				_, err := cluster.Resolve(c.ctx, "widgets")
				if took := time.Since(began); err == nil || took > c.want {
					t.Errorf("got %v after %v, want %v", err, took, c.want)
				}
			})
		}
	})
}

// TestStatedTypes checks that discovery is not used for the types in the configuration.
func TestStatedTypes(t *testing.T) {
	forbidden := reply{code: 403, body: forbiddenJSON}
	s, cluster := scripted(t, map[string]reply{"/api": forbidden, "/apis": forbidden, "/apis/example.com/v1/widgets": {code: 200, body: `{}`}},
		kube.Resource{Group: "example.com", Version: "v1", Name: "widgets", Kind: "Widget", Scope: kube.Namespaced})
	for _, name := range []string{"widgets", "Widget.v1.example.com", "widgets.example.com"} {
		target, err := kube.TargetOf[unstructured.Unstructured](kube.TypeConfig{Resource: name})
		if err := listed(t.Context(), cluster, target, err); err != nil {
			t.Errorf("%s: got %v, want it listed", name, err)
		}
	}
	if got := s.counted(); got != "[/apis/example.com/v1/widgets:3]" {
		t.Errorf("got requests %s, want three lists of widgets", got)
	}
	for _, bad := range []kube.Resource{{}, {Version: "v1", Name: "..", Kind: "X"}, {Version: "v1", Name: "xs"}} {
		_, err := kube.Connect(kube.Config{REST: &rest.Config{Host: "https://x"}, Types: []kube.Resource{bad}})
		if !errcode.Is(err, errcode.Misconfigured) {
			t.Errorf("%+v: got %v, want %v", bad, err, errcode.Misconfigured)
		}
	}
}

// metricsDown is a discovery document with a failing group. In metricsUp, the group
// works.
const metricsDown = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[
	{"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Stale"}]},
	{"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[{"resource":"widgets","responseKind":{"kind":"Widget"},"scope":"Namespaced","verbs":["list","watch"]}]}]}]}`

var metricsUp = strings.Replace(metricsDown, `"freshness":"Stale"`,
	`"resources":[{"resource":"pods","responseKind":{"kind":"PodMetrics"},"scope":"Namespaced","verbs":["get","list"]}]`, 1)

// TestFailingGroup checks that a group whose discovery fails does not hide other groups,
// that it is named in the error for a type that it may contain, and that its earlier
// types are kept.
func TestFailingGroup(t *testing.T) {
	core := reply{code: 200, contentType: aggregatedJSON, body: `{"items":[{"metadata":{"name":""},"versions":[{"version":"v1","resources":[{"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced","verbs":["list","watch"]}]}]}]}`}
	s, cluster := scripted(t, map[string]reply{"/api": core, "/apis": {code: 200, contentType: aggregatedJSON, body: metricsDown}})
	if r, err := cluster.Resolve(t.Context(), "widgets"); err != nil || r.Scope != kube.Namespaced {
		t.Errorf("got %v and error %v, want the namespaced type widgets", r, err)
	}
	for _, name := range []string{"pods.metrics.k8s.io", "PodMetrics.v1beta1.metrics.k8s.io", "podmetrics"} {
		_, err := cluster.Resolve(t.Context(), name)
		if failing := (*kube.DiscoveryError)(nil); !errors.As(err, &failing) || !strings.Contains(err.Error(), "discovery of metrics.k8s.io/v1beta1 is failing") ||
			strings.Contains(err.Error(), "did you mean") || !apierrors.IsServiceUnavailable(err) {
			t.Errorf("%s: got %v, want that a group is failing, and no guess at the name", name, err)
		}
	}
	if _, err := cluster.Resolve(t.Context(), "pdos.example.com"); !errors.As(err, new(*kube.UnknownResourceError)) {
		t.Errorf("Resolve: got error %v, want an UnknownResourceError", err)
	}
	s.set("/apis", reply{code: 200, contentType: aggregatedJSON, body: metricsUp})
	if r, err := cluster.Resolve(t.Context(), "pods.metrics.k8s.io"); err != nil || r.Kind != "PodMetrics" || r.Version != "v1beta1" {
		t.Errorf("got %v and error %v, want PodMetrics v1beta1", r, err)
	}
	s.set("/apis", reply{code: 200, contentType: aggregatedJSON, body: metricsDown})
	if _, err := cluster.Resources(t.Context()); err != nil {
		t.Error(err)
	}
	s.counted()
	if r, err := cluster.Resolve(t.Context(), "pods.metrics.k8s.io"); err != nil || r.Kind != "PodMetrics" || s.counted() != "[]" {
		t.Errorf("the earlier types of the group are missing: %v, %v", r, err)
	}
}

// TestOneRound checks that concurrent callers share a round, and that collections look up
// an absent type at most once a second.
func TestOneRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		none := reply{code: 200, contentType: aggregatedJSON, body: `{"items":[]}`}
		s, cluster := scripted(t, map[string]reply{"/api": none, "/apis": none})
		ask := func(gap time.Duration) {
			var work sync.WaitGroup
			for i := range 50 {
				work.Go(func() {
					<-time.After(time.Duration(i) * gap)
					target, err := kube.Named(fmt.Sprintf("type%ds.example.com", i))
					if err := listed(t.Context(), cluster, target, err); !apierrors.IsNotFound(err) {
						t.Errorf("got error %v, want NotFound", err)
					}
				})
			}
			work.Wait()
		}
		ask(0)
		if got := s.counted(); got != "[/api:1 /apis:1]" {
			t.Errorf("got requests %s, want one round of discovery", got)
		}
		ask(100 * time.Millisecond) // for five seconds
		if got := s.counted(); got != "[/api:4 /apis:4]" {
			t.Errorf("got requests %s in five seconds", got)
		}
		s.set("/apis", reply{code: 200, contentType: aggregatedJSON, body: metricsUp})
		if _, err := cluster.Resolve(t.Context(), "widgets"); err != nil {
			t.Errorf("Resolve does not find a new type: %v", err)
		}
	})
}

// TestTypeIsGone checks that 404 for a discovered type makes the cache forget only this
// type.
func TestTypeIsGone(t *testing.T) {
	apis := reply{code: 200, contentType: aggregatedJSON, body: metricsUp}
	s, cluster := scripted(t, map[string]reply{"/api": apis, "/apis": apis})
	widgets, err := kube.Named("widgets")
	if err := listed(t.Context(), cluster, widgets, err); !apierrors.IsNotFound(err) {
		t.Errorf("got error %v, want NotFound", err)
	}
	s.counted()
	if _, err := cluster.Resolve(t.Context(), "pods.metrics.k8s.io"); err != nil || s.counted() != "[]" {
		t.Errorf("the cache has forgotten another type: %v", err)
	}
	if _, err := cluster.Resolve(t.Context(), "widgets"); err != nil || s.counted() != "[/api:1 /apis:1]" {
		t.Errorf("the type was not looked up again: %v", err)
	}
}

// TestTypeIsBack checks that a source whose type answered 404 once asks the server again, even
// right after a round of discovery: the catalog lacks the type only because the source has
// removed it.
func TestTypeIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := strings.ReplaceAll(metricsUp, `["get","list"]`, `["get","list","watch"]`)
		apis := reply{code: 200, contentType: aggregatedJSON, body: body}
		s, cluster := scripted(t, map[string]reply{"/api": apis, "/apis": apis})
		target, err := kube.Named("pods.metrics.k8s.io")
		if err != nil {
			t.Fatal(err)
		}
		source := cluster.Source(target, kube.Selection{Namespace: "a"})
		if _, err := source.List(t.Context(), metav1.ListOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("List of a type that is not there: got %v, want 404", err)
		}
		s.set("/apis/metrics.k8s.io/v1beta1/namespaces/a/pods", reply{code: 200, body: podListJSON})
		stream, err := source.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatalf("List of a type that is back: got %v, want a list", err)
		}
		stream.Body.Close()
	})
}

// TestDiscoveryIsCorrected checks that a source runs discovery again if the type does not
// support what discovery reported.
func TestDiscoveryIsCorrected(t *testing.T) {
	right := strings.ReplaceAll(metricsUp, `["get","list"]`, `["get","list","watch"]`)
	for name, wrong := range map[string]string{
		"verbs": strings.ReplaceAll(right, `["get","list","watch"]`, `["get"]`),
		"scope": strings.ReplaceAll(right, `"Namespaced"`, `"Cluster"`),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := func(body string) reply { return reply{code: 200, contentType: aggregatedJSON, body: body} }
				s, cluster := scripted(t, map[string]reply{
					"/api": answer(wrong), "/apis": answer(wrong),
					"/apis/metrics.k8s.io/v1beta1/namespaces/a/pods": {code: 200, body: podListJSON},
				})
				target, err := kube.Named("pods.metrics.k8s.io")
				if err != nil {
					t.Fatal(err)
				}
				source := cluster.Source(target, kube.Selection{Namespace: "a"})
				if _, err := source.List(t.Context(), metav1.ListOptions{}); err == nil {
					t.Error("got no error for a wrong discovery document")
				}
				s.set("/api", answer(right))
				s.set("/apis", answer(right))
				<-time.After(2 * time.Second)
				stream, err := source.List(t.Context(), metav1.ListOptions{})
				if err != nil {
					t.Fatalf("after the correction of the discovery document: %v", err)
				}
				stream.Body.Close()
			})
		})
	}
}

// definition returns a CustomResourceDefinition with the given status of the condition
// Established.
func definition(established string) reply {
	return reply{code: 200, body: `{"spec":{"versions":[{"name":"v1","served":true}]},"status":{"conditions":[{"type":"NamesAccepted","status":"True"},{"type":"Established","status":"` + established + `"}]}}`}
}

// TestEstablishedType checks that a client waits, for a limited time, for a type that the
// server reports as established, and for no other type.
func TestEstablishedType(t *testing.T) {
	const crd = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com"
	none := reply{code: 200, contentType: aggregatedJSON, body: `{"items":[]}`}
	gv := schema.GroupVersion{Group: "example.com", Version: "v1"}
	for _, c := range []struct {
		name string
		crd  reply
		when time.Duration // the time until discovery lists it; 0: no answer
		took time.Duration
	}{
		{"no definition", reply{code: 404}, 0, 0},
		{"forbidden", reply{code: 403, body: forbiddenJSON}, 0, 0},
		{"not established", definition("False"), 0, 0},
		{"in three seconds", definition("True"), 3 * time.Second, 3 * time.Second},
		{"never", definition("True"), 0, 10 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, cluster := scripted(t, map[string]reply{"/api": none, "/apis": none, crd: c.crd})
				widgets := client[Widget](t, cluster, kube.ClientConfig{GroupVersion: gv})
				if c.when > 0 {
					time.AfterFunc(c.when, func() {
						s.set("/apis", reply{code: 200, contentType: aggregatedJSON, body: strings.ReplaceAll(metricsUp, `["list","watch"]`, `["get"]`)})
						s.set("/apis/example.com/v1/namespaces/ml/widgets/x", reply{code: 200, body: `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"x"}}`})
					})
				}
				began := time.Now()
				_, err := widgets.Get(t.Context(), wire.Key{Namespace: "ml", Name: "x"})
				if (err == nil) != (c.when > 0) || err != nil && !errors.As(err, new(*kube.UnknownResourceError)) {
					t.Error(err)
				}
				if took := time.Since(began); took < c.took || took > c.took+time.Second {
					t.Errorf("got %v for Get, want %v", took, c.took)
				}
			})
		})
	}
}

// Widget is the Go type of a custom resource.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

// TestEstablishedTypeOfAServer is TestEstablishedType with an in-process server.
func TestEstablishedTypeOfAServer(t *testing.T) {
	definitions := apitest.Type{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}
	synctest.Test(t, func(t *testing.T) {
		srv, cluster := serve(t, apitest.Config{Types: []apitest.Type{definitions}})
		_, err := srv.Create(&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{"name": "pytorchjobs.kubeflow.org"},
			"spec":     map[string]any{"versions": []any{map[string]any{"name": "v1", "served": true}}},
			"status":   map[string]any{"conditions": []any{map[string]any{"type": "Established", "status": "True"}}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(2*time.Second, func() {
			if err := srv.Register(pytorchJobs); err != nil {
				t.Error(err)
			}
		})
		jobs := client[unstructured.Unstructured](t, cluster, kube.ClientConfig{Resource: "pytorchjobs.kubeflow.org"})
		job := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": "ml", "name": "x"}}}
		if _, err := jobs.Create(t.Context(), job); err != nil {
			t.Error(err)
		}
	})
}
