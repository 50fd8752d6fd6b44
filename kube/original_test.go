package kube_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
)

// OldJob is the struct of a controller that is older than the definition of its type.
type OldJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              OldSpec   `json:"spec"`
	Status            OldStatus `json:"status,omitzero"`
}

// OldSpec lacks the fields gang of the spec and cpu of a role.
type OldSpec struct {
	Workers int       `json:"workers"`
	Roles   []OldRole `json:"roles,omitempty"`
}

// OldRole is an element of a list.
type OldRole struct {
	Name  string `json:"name"`
	Count int    `json:"count,omitempty"`
}

// OldStatus lacks the field gpus.
type OldStatus struct {
	Phase string `json:"phase,omitempty"`
}

// newJob is an object with fields that OldJob lacks.
const newJob = `{
	"apiVersion": "example.com/v1", "kind": "TrainJob",
	"metadata": {"namespace": "ml", "name": "x", "finalizers": ["example.com/a"], "annotations": {"a": "b"}},
	"spec": {"workers": 1, "gang": {"minMember": 9007199254740993}, "roles": [{"name": "a", "cpu": "1"}, {"name": "b", "cpu": "2"}]},
	"status": {"gpus": 8}, "extra": true
}`

// oldJobs returns a client whose struct lacks fields of the object ml/x, and the object as it is
// on the server.
func oldJobs(t *testing.T) (*kube.Client[OldJob], func() string) {
	t.Helper()
	srv, cluster := serve(t, apitest.Config{Types: []apitest.Type{trainJobs}})
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON([]byte(newJob)); err != nil {
		t.Fatal(err)
	}
	if _, err := srv.Create(obj); err != nil {
		t.Fatal(err)
	}
	all := client[unstructured.Unstructured](t, cluster, kube.ClientConfig{Resource: "trainjobs"})
	return client[OldJob](t, cluster, kube.ClientConfig{Resource: "trainjobs.v1.example.com"}), func() string {
		got, err := all.Get(t.Context(), ml)
		if err != nil {
			t.Fatal(err)
		}
		kept := map[string]any{"spec": got.Object["spec"], "status": got.Object["status"], "extra": got.Object["extra"], "finalizers": got.GetFinalizers(), "annotations": got.GetAnnotations()}
		text, err := json.Marshal(kept)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// TestFieldsThatTheTypeLacks: no write through a struct erases fields that the struct lacks, and
// each write makes its change.
func TestFieldsThatTheTypeLacks(t *testing.T) {
	scale := func(j *OldJob) error {
		j.Spec.Workers = 2
		j.Spec.Roles = append([]OldRole{{Name: "new"}}, j.Spec.Roles...)
		j.Spec.Roles[2].Count = 5
		return nil
	}
	phase := func(j *OldJob) error { j.Status.Phase = "Running"; return nil }
	const scaled = `{"annotations":{"a":"b"},"extra":true,"finalizers":["example.com/a"],` +
		`"spec":{"gang":{"minMember":9007199254740993},"roles":[{"name":"new"},{"cpu":"1","name":"a"},{"count":5,"cpu":"2","name":"b"}],"workers":2},"status":{"gpus":8}}`
	const running = `{"annotations":{"a":"b"},"extra":true,"finalizers":["example.com/a"],` +
		`"spec":{"gang":{"minMember":9007199254740993},"roles":[{"cpu":"1","name":"a"},{"cpu":"2","name":"b"}],"workers":1},"status":{"gpus":8,"phase":"Running"}}`
	const released = `{"annotations":null,"extra":true,"finalizers":null,` +
		`"spec":{"gang":{"minMember":9007199254740993},"roles":[{"cpu":"1","name":"a"},{"cpu":"2","name":"b"}],"workers":1},"status":{"gpus":8}}`
	release := func(j *OldJob) error {
		kube.RemoveFinalizer(j, "example.com/a")
		j.Annotations = nil
		return nil
	}
	update := func(change func(*OldJob) error, status bool) func(*kube.Client[OldJob]) error {
		return func(c *kube.Client[OldJob]) error {
			j, err := c.Get(t.Context(), ml)
			if err != nil {
				return err
			}
			if err := change(j); err != nil {
				return err
			}
			if status {
				_, err = c.Status().Update(t.Context(), j)
			} else {
				_, err = c.Update(t.Context(), j)
			}
			return err
		}
	}
	mergeFrom := func(change func(*OldJob) error) func(*kube.Client[OldJob]) error {
		return func(c *kube.Client[OldJob]) error {
			before, err := c.Get(t.Context(), ml)
			if err != nil {
				return err
			}
			after := *before
			after.Spec.Roles = append([]OldRole(nil), before.Spec.Roles...)
			if err := change(&after); err != nil {
				return err
			}
			_, err = c.Patch(t.Context(), ml, kube.MergeFrom(before, &after))
			return err
		}
	}
	for name, c := range map[string]struct {
		write func(*kube.Client[OldJob]) error
		want  string
	}{
		"Mutate":                {func(c *kube.Client[OldJob]) error { _, err := c.Mutate(t.Context(), ml, scale); return err }, scaled},
		"Mutate, removed":       {func(c *kube.Client[OldJob]) error { _, err := c.Mutate(t.Context(), ml, release); return err }, released},
		"CreateOrUpdate":        {func(c *kube.Client[OldJob]) error { _, _, err := c.CreateOrUpdate(t.Context(), ml, scale); return err }, scaled},
		"Status().Mutate":       {func(c *kube.Client[OldJob]) error { _, err := c.Status().Mutate(t.Context(), ml, phase); return err }, running},
		"Update":                {update(scale, false), scaled},
		"Update, removed":       {update(release, false), released},
		"Status().Update":       {update(phase, true), running},
		"MergeFrom":             {mergeFrom(scale), scaled},
		"MergeFrom, removed":    {mergeFrom(release), released},
		"MergeFrom, the status": {func(c *kube.Client[OldJob]) error { return patchPhase(t, c) }, running},
		"the known part of the status": {func(c *kube.Client[OldJob]) error {
			for _, change := range []func(*OldJob) error{phase, func(j *OldJob) error { j.Status = OldStatus{}; return nil }} {
				if _, err := c.Status().Mutate(t.Context(), ml, change); err != nil {
					return err
				}
			}
			return nil
		}, strings.Replace(running, `,"phase":"Running"`, "", 1)},
		"Update without changes": {update(func(*OldJob) error { return nil }, false), strings.Replace(running, `,"phase":"Running"`, "", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			jobs, now := oldJobs(t)
			if err := c.write(jobs); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, now()); diff != "" {
				t.Errorf("the server has another object (-want +got):\n%s", diff)
			}
		})
	}
}

func patchPhase(t *testing.T, c *kube.Client[OldJob]) error {
	before, err := c.Get(t.Context(), ml)
	if err != nil {
		return err
	}
	after := *before
	after.Status.Phase = "Running"
	_, err = c.Status().Patch(t.Context(), ml, kube.MergeFrom(before, &after))
	return err
}

// TestMergeFrom: a patch that replaces a list is a conflict if the object has changed, and any
// other patch is not. States of two objects make no patch.
func TestMergeFrom(t *testing.T) {
	jobs, _ := oldJobs(t)
	before, err := jobs.Get(t.Context(), ml)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jobs.Mutate(t.Context(), ml, func(j *OldJob) error { j.Labels = map[string]string{"c": "d"}; return nil }); err != nil {
		t.Fatal(err)
	}
	after := *before
	after.Spec.Workers = 7
	if got, err := jobs.Patch(t.Context(), ml, kube.MergeFrom(before, &after)); err != nil || got.Spec.Workers != 7 || got.Labels["c"] != "d" {
		t.Errorf("a patch of a number: got %+v and error %v, want 7 workers and the label", got, err)
	}
	after.Spec.Roles = nil
	if _, err := jobs.Patch(t.Context(), ml, kube.MergeFrom(before, &after)); !apierrors.IsConflict(err) {
		t.Errorf("a patch of a list: got error %v, want a conflict", err)
	}
	other := *before
	other.Name = "y"
	for name, p := range map[string]kube.Patch{
		"two objects": kube.MergeFrom(before, &other),
		"two types":   kube.MergeFrom(before, &TrainJob{ObjectMeta: before.ObjectMeta}),
		"nil":         kube.MergeFrom((*OldJob)(nil), before),
	} {
		if _, err := jobs.Patch(t.Context(), ml, p); err == nil || !strings.Contains(err.Error(), "the patch cannot be made") {
			t.Errorf("%s: got error %v, want that the patch cannot be made", name, err)
		}
	}
}

// TestPartial: an update of a partial object is refused, with the names of the fields that it
// lacks; writes of differences are not.
func TestPartial(t *testing.T) {
	jobs, now := oldJobs(t)
	was := now()
	j, err := jobs.Get(t.Context(), ml)
	if err != nil {
		t.Fatal(err)
	}
	j.Annotations, j.Spec.Workers = nil, 0
	kube.MarkPartial(j)
	for _, update := range []func() error{
		func() error { _, err := jobs.Update(t.Context(), j); return err },
		func() error { _, err := jobs.Status().Update(t.Context(), j); return err },
	} {
		err := update()
		if err == nil || !strings.Contains(err.Error(), "metadata.annotations, spec.workers") || !strings.Contains(err.Error(), "MergeFrom") {
			t.Errorf("got error %v, want one that names metadata.annotations and spec.workers", err)
		}
	}
	if got := now(); got != was {
		t.Errorf("got %s, want no change of %s", got, was)
	}
	after := *j
	after.Finalizers = nil
	if _, err := jobs.Patch(t.Context(), ml, kube.MergeFrom(j, &after)); err != nil {
		t.Error(err)
	}
	if got, want := now(), strings.Replace(was, `["example.com/a"]`, "null", 1); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// newerServer has one config map with a field that this version of the Go types lacks.
type newerServer struct {
	t        *testing.T
	requests []string
	written  string
}

// RoundTrip implements http.RoundTripper.
func (s *newerServer) RoundTrip(r *http.Request) (*http.Response, error) {
	body := []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ml","name":"x","resourceVersion":"5"},"data":{"a":"1"},"newer":"kept"}`)
	contentType := "application/json"
	if r.Method == http.MethodGet && strings.HasPrefix(r.Header.Get("Accept"), "application/vnd.kubernetes.protobuf") {
		obj := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "x", ResourceVersion: "5"}, Data: map[string]string{"a": "1"}}
		message, err := obj.Marshal()
		if err != nil {
			return nil, err
		}
		unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, Raw: append(message, "\x9a\x06\x04kept"...)}
		if body, err = unknown.Marshal(); err != nil {
			return nil, err
		}
		body, contentType = append([]byte("k8s\x00"), body...), "application/vnd.kubernetes.protobuf"
	}
	s.requests = append(s.requests, r.Method+" "+contentType)
	if r.Method == http.MethodPut {
		sent, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		s.written, body = string(sent), sent
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(bytes.NewReader(body)),
	}, nil
}

// TestNewerServer: fields of a built-in type that only the server knows are kept. An object
// without such fields travels as protobuf.
func TestNewerServer(t *testing.T) {
	server := &newerServer{t: t}
	cluster := must[*kube.Cluster](t)(kube.Connect(kube.Config{REST: &rest.Config{Host: "http://newer", Transport: server}}))
	maps := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{})
	set := func(m *corev1.ConfigMap) error { m.Data["a"] = "2"; return nil }
	const want = `{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"x","namespace":"ml","resourceVersion":"5"},"newer":"kept"}`
	for range 2 {
		if _, err := maps.Mutate(t.Context(), ml, set); err != nil || server.written != want {
			t.Errorf("Mutate: error %v, wrote %s, want %s", err, server.written, want)
		}
	}
	obj := must[*corev1.ConfigMap](t)(maps.Get(t.Context(), ml))
	obj.Data["a"], server.written = "2", ""
	if _, err := maps.Update(t.Context(), obj); err != nil || server.written != want {
		t.Errorf("Update: error %v, wrote %s, want %s", err, server.written, want)
	}
	const proto, text = "application/vnd.kubernetes.protobuf", "application/json"
	if diff := cmp.Diff([]string{"GET " + proto, "GET " + text, "PUT " + text, "GET " + text, "PUT " + text, "GET " + proto, "GET " + text, "PUT " + text}, server.requests); diff != "" {
		t.Errorf("got other requests (-want +got):\n%s", diff)
	}
}

// TestCompleteObjects: an object of which the Go type lacks nothing is changed with one read and
// one write, in protobuf.
func TestCompleteObjects(t *testing.T) {
	srv := must[*apitest.Server](t)(apitest.New(apitest.Config{}))
	defer srv.Close()
	if _, err := srv.Create(pod("ml", "x", "one")); err != nil {
		t.Fatal(err)
	}
	requests := &sent{}
	cfg := srv.RESTConfig()
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { requests.RoundTripper = rt; return requests })
	cluster := must[*kube.Cluster](t)(kube.Connect(kube.Config{REST: cfg}))
	defer cluster.Close()
	pods := client[corev1.Pod](t, cluster, kube.ClientConfig{})
	p, err := pods.Mutate(t.Context(), ml, func(p *corev1.Pod) error { p.Labels["a"] = "b"; return nil })
	if err != nil {
		t.Fatal(err)
	}
	p.Labels["a"] = "c"
	if _, err := pods.Update(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	const proto = "application/vnd.kubernetes.protobuf"
	if diff := cmp.Diff([]string{"GET ", "PUT " + proto, "GET ", "PUT " + proto}, requests.contents); diff != "" {
		t.Errorf("got other requests (-want +got):\n%s", diff)
	}
}
