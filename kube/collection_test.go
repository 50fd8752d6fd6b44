package kube_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	cbor "k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

func pod(namespace, name, app string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": app}},
	}
}

// names returns the keys in a stream, up to the end of its first part, and closes the
// stream.
func names(t *testing.T, s wire.Stream, watch bool) (names []string) {
	t.Helper()
	defer s.Body.Close()
	opts := wire.Options{APIVersion: s.APIVersion, Kind: s.Kind}
	if watch {
		r := wire.NewWatchReader(s.Body, s.Encoding, opts)
		for {
			ev, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if ev.InitialEventsEnd {
				return names
			}
			names = append(names, ev.Record.Key.String())
		}
	}
	r := wire.NewListReader(s.Body, s.Encoding, opts)
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, rec.Key.String())
	}
}

func TestCollection(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{Types: []apitest.Type{pytorchJobs}})
	objects := []apitest.Object{
		pod("a", "x", "one"), pod("a", "y", "two"), pod("b", "x", "one"),
		&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": map[string]any{"namespace": "a", "name": "job"},
		}},
	}
	for _, o := range objects {
		if _, err := srv.Create(o); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		resource  string
		selection kube.Selection
		encoding  wire.Encoding
		want      string
	}{
		{"pods", kube.Selection{}, wire.Protobuf, "[a/x a/y b/x]"},
		{"pods", kube.Selection{Encoding: kube.JSONOnly}, wire.JSON, "[a/x a/y b/x]"},
		{"pods", kube.Selection{View: kube.Metadata}, wire.Protobuf, "[a/x a/y b/x]"},
		{"pods", kube.Selection{View: kube.Metadata, Encoding: kube.JSONOnly}, wire.JSON, "[a/x a/y b/x]"},
		{"pods", kube.Selection{Namespace: "a"}, wire.Protobuf, "[a/x a/y]"},
		{"pods", kube.Selection{LabelSelector: "app in (one)"}, wire.Protobuf, "[a/x b/x]"},
		{"pods", kube.Selection{FieldSelector: "metadata.name=x,metadata.namespace=b"}, wire.Protobuf, "[b/x]"},
		{"pytorchjobs", kube.Selection{}, wire.JSON, "[a/job]"},
		{"pytorchjobs", kube.Selection{Encoding: kube.PreferCBOR}, wire.JSON, "[a/job]"},
		{"pytorchjobs", kube.Selection{View: kube.Metadata}, wire.Protobuf, "[a/job]"},
	} {
		t.Run(fmt.Sprintf("%s %+v", c.resource, c.selection), func(t *testing.T) {
			res, err := cluster.Resolve(t.Context(), c.resource)
			if err != nil {
				t.Fatal(err)
			}
			coll, err := cluster.Collection(res, c.selection)
			if err != nil {
				t.Fatal(err)
			}
			list, err := coll.List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			yes := true
			watch, err := coll.Watch(t.Context(), metav1.ListOptions{
				SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range []wire.Stream{list, watch} {
				if s.Encoding != c.encoding {
					t.Errorf("got %v, want %v", s.Encoding, c.encoding)
				}
				if got := fmt.Sprint(names(t, s, i == 1)); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			}
		})
	}
}

func TestCollectionErrors(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	pods, err := cluster.Resolve(t.Context(), "pods")
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := cluster.Resolve(t.Context(), "nodes")
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		r kube.Resource
		s kube.Selection
	}{
		"label selector":      {pods, kube.Selection{LabelSelector: "a in"}},
		"field selector":      {pods, kube.Selection{FieldSelector: "a"}},
		"are cluster-scoped":  {nodes, kube.Selection{Namespace: "x"}},
		"cannot be listed an": {kube.Resource{Version: "v1", Name: "bindings", Verbs: []string{"create"}}, kube.Selection{}},
	} {
		if _, err := cluster.Collection(c.r, c.s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestCancelEndsARead checks that the context governs the body too.
func TestCancelEndsARead(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	res, err := cluster.Resolve(t.Context(), "pods")
	if err != nil {
		t.Fatal(err)
	}
	coll, err := cluster.Collection(res, kube.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s, err := coll.Watch(ctx, metav1.ListOptions{ResourceVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Body.Close()
	context.AfterFunc(ctx, func() {})
	go cancel()
	if _, err := s.Body.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("the read ended with %v", err)
	}
}

// endless is the content of an answer that continues until the reader closes it.
const endless = "and so on "

// answering connects to a server that gives the same answer to every request.
func answering(t *testing.T, code int, header http.Header, body string) (*kube.Collection, *http.Request) {
	t.Helper()
	seen := new(http.Request)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*seen = *r
		for k := range header {
			w.Header().Set(k, header.Get(k))
		}
		w.WriteHeader(code)
		_, err := io.WriteString(w, body)
		for body == endless && err == nil {
			_, err = io.WriteString(w, body)
		}
	}))
	t.Cleanup(srv.Close)
	cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: srv.URL + "/prefix"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	jobs := kube.Resource{Group: "batch", Version: "v1", Name: "jobs", Kind: "Job", Scope: kube.Namespaced, Verbs: []string{"list", "watch"}}
	coll, err := cluster.Collection(jobs, kube.Selection{Namespace: "ml", LabelSelector: "a=b"})
	if err != nil {
		t.Fatal(err)
	}
	return coll, seen
}

func TestRequest(t *testing.T) {
	coll, seen := answering(t, 200, http.Header{"Content-Type": {"application/json"}}, "")
	s, err := coll.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "7", AllowWatchBookmarks: true, LabelSelector: "not=this"})
	if err != nil {
		t.Fatal(err)
	}
	s.Body.Close()
	if got, want := seen.URL.String(), "/prefix/apis/batch/v1/namespaces/ml/jobs?allowWatchBookmarks=true&labelSelector=a%3Db&resourceVersion=7&watch=true"; got != want {
		t.Errorf("got URL %s, want %s", got, want)
	}
	if got, want := seen.Header.Get("Accept"), "application/vnd.kubernetes.protobuf,application/json"; got != want {
		t.Errorf("got Accept %s, want %s", got, want)
	}
	if got := seen.Header.Get("User-Agent"); !strings.HasPrefix(got, "vedette") {
		t.Errorf("got User-Agent %q", got)
	}
}

func TestRefusals(t *testing.T) {
	json := http.Header{"Content-Type": {"application/json"}}
	status := `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old","reason":"Expired","code":410}`
	inCBOR, err := cbor.Marshal(map[string]any{
		"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Timeout", "code": 504,
		"message": "Too large resource version", "details": map[string]any{"retryAfterSeconds": 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	negative := http.Header{"Content-Type": {"application/json"}, "Retry-After": {"4"}}
	inHalfAMinute := time.Now().Add(30 * time.Second).UTC().Format(http.TimeFormat)
	for _, c := range []struct {
		name   string
		code   int
		header http.Header
		body   string
		is     func(error) bool
		wait   int32
		want   string
	}{
		{"a Status", 410, json, status, apierrors.IsResourceExpired, 0, "too old"},
		{"a Status in CBOR", 504, http.Header{"Content-Type": {"application/cbor"}}, string(inCBOR), apierrors.IsTimeout, 3, "Too large resource version"},
		{"something else in CBOR", 500, http.Header{"Content-Type": {"application/cbor"}}, "\xd9\xd9\xf7\xa0", apierrors.IsInternalError, 0, ""},
		{"seconds to wait", 429, http.Header{"Retry-After": {"7"}}, "", apierrors.IsTooManyRequests, 7, "too many requests"},
		{"a date to wait for", 503, http.Header{"Retry-After": {inHalfAMinute}}, "", apierrors.IsServiceUnavailable, 30, ""},
		{"an hour to wait", 429, http.Header{"Retry-After": {"3600"}}, "", apierrors.IsTooManyRequests, 3600, ""},
		{"more seconds than there are", 429, http.Header{"Retry-After": {"99999999999999999999"}}, "", apierrors.IsTooManyRequests, math.MaxInt32, ""},
		{"fewer seconds than there are", 429, http.Header{"Retry-After": {"-99999999999"}}, "", apierrors.IsTooManyRequests, 0, ""},
		{"a date far away", 503, http.Header{"Retry-After": {"Fri, 31 Dec 9999 23:59:59 GMT"}}, "", apierrors.IsServiceUnavailable, math.MaxInt32, ""},
		{"a date that has passed", 503, http.Header{"Retry-After": {"Thu, 01 Jan 1970 00:00:00 GMT"}}, "", apierrors.IsServiceUnavailable, 0, ""},
		{"negative seconds in the Status", 429, negative, `{"kind":"Status","apiVersion":"v1","code":429,"reason":"TooManyRequests","details":{"retryAfterSeconds":-1}}`, apierrors.IsTooManyRequests, 4, ""},
		{"a page of a proxy", 502, http.Header{"Content-Type": {"text/html"}}, "<html>\n<h1>Bad   Gateway</h1>", nil, 0, "<h1>Bad Gateway</h1>"},
		{"a page for the terminal", 502, http.Header{"Content-Type": {"text/html"}}, "\x1b[2J\u202egnp.\xff", nil, 0, `\x1b[2J\u202egnp.\xff`},
		{"a page without end", 500, http.Header{"Content-Type": {"text/html"}}, endless, apierrors.IsInternalError, 0, "…"},
		{"no Status at all", 403, json, `{"kind":"Other"}`, apierrors.IsForbidden, 0, ""},
		{"no rights to say more", 401, nil, "", apierrors.IsUnauthorized, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			coll, _ := answering(t, c.code, c.header, c.body)
			_, err := coll.List(t.Context(), metav1.ListOptions{})
			var refused apierrors.APIStatus
			if !errors.As(err, &refused) || c.is != nil && !c.is(err) {
				t.Fatalf("got %v, want an error of the server of the right kind", err)
			}
			s := refused.Status()
			if int(s.Code) != c.code || len(err.Error()) > 1000 || !strings.Contains(err.Error()+fmt.Sprint(s.Details), c.want) {
				t.Errorf("status %d: got %.300v %v, want %d and at most 1000 bytes with %q", s.Code, err, s.Details, c.code, c.want)
			}
			wait := int32(0)
			if s.Details != nil {
				wait = s.Details.RetryAfterSeconds
			}
			if wait < c.wait-2 || wait > c.wait {
				t.Errorf("got a wait of %d s, want %d", wait, c.wait)
			}
			if !strings.Contains(err.Error(), "list jobs.batch at 127.0.0.1") {
				t.Errorf("the error does not name the operation: %v", err)
			}
		})
	}
	coll, _ := answering(t, 200, http.Header{"Content-Type": {"text/html"}}, "<html>")
	if _, err := coll.List(t.Context(), metav1.ListOptions{}); err == nil || !strings.Contains(err.Error(), "text/html") {
		t.Errorf("got %v for an HTML page", err)
	}
}

// TestOtherEncoding checks that an answer in an encoding that the request does not accept
// is an error.
func TestOtherEncoding(t *testing.T) {
	for _, c := range []struct {
		asked kube.Encoding
		got   string
		ok    bool
	}{
		{kube.PreferProtobuf, wire.MediaTypeProtobuf, true},
		{kube.PreferProtobuf, wire.MediaTypeJSON, true},
		{kube.PreferProtobuf, wire.MediaTypeCBOR, false},
		{kube.PreferCBOR, wire.MediaTypeCBOR, true},
		{kube.PreferCBOR, wire.MediaTypeCBORSequence, true},
		{kube.PreferCBOR, wire.MediaTypeJSON, true},
		{kube.PreferCBOR, wire.MediaTypeProtobuf, false},
		{kube.JSONOnly, wire.MediaTypeJSON, true},
		{kube.JSONOnly, wire.MediaTypeProtobuf, false},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", c.got) }))
		t.Cleanup(srv.Close)
		cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: srv.URL}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(cluster.Close)
		pods := kube.Resource{Version: "v1", Name: "pods", Kind: "Pod", Scope: kube.Namespaced, Verbs: []string{"list", "watch"}}
		coll, err := cluster.Collection(pods, kube.Selection{Encoding: c.asked})
		if err != nil {
			t.Fatal(err)
		}
		stream, err := coll.List(t.Context(), metav1.ListOptions{})
		if err == nil {
			stream.Body.Close()
		}
		if (err == nil) != c.ok {
			t.Errorf("got %s for a request of %v: %v", c.got, c.asked, err)
		}
	}
}

// TestListKind: lists of a type whose definition names them in its own way are read.
func TestListKind(t *testing.T) {
	odd := trainJobs
	odd.ListKind = "TrainJobCollection"
	_, cluster := serve(t, apitest.Config{Types: []apitest.Type{odd}})
	jobs := client[TrainJob](t, cluster, kube.ClientConfig{})
	if _, err := jobs.Create(t.Context(), trainJob("x")); err != nil {
		t.Fatal(err)
	}
	if all, err := kube.Collect(jobs.List(t.Context(), kube.Where{})); err != nil || len(all) != 1 || all[0].Name != "x" {
		t.Errorf("got %v and error %v, want x", all, err)
	}
}
