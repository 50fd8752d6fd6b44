package kube_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// TestCreateIfAbsent: only the first of two calls creates the object; the second returns
// it unchanged.
func TestCreateIfAbsent(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	maps := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{})
	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "x"}, Data: map[string]string{"a": "1"}}
	first, created, err := maps.CreateIfAbsent(t.Context(), obj)
	if err != nil || !created || first.UID == "" {
		t.Fatalf("first call: got %+v, created %t and error %v", first, created, err)
	}
	obj.Data["a"] = "2"
	second, created, err := maps.CreateIfAbsent(t.Context(), obj)
	if err != nil || created || second.UID != first.UID || second.Data["a"] != "1" {
		t.Errorf("second call: got %+v, created %t and error %v, want the first object", second, created, err)
	}
	if _, _, err := maps.CreateIfAbsent(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", GenerateName: "x-"}}); err == nil || !strings.Contains(err.Error(), "name") {
		t.Errorf("without a name: got error %v", err)
	}
}

// TestCreateOrUpdate: the object is created, left alone, and changed; the fields of others
// stay.
func TestCreateOrUpdate(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	maps := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{})
	set := func(key, value string) func(*corev1.ConfigMap) error {
		return func(m *corev1.ConfigMap) error {
			if m.Data == nil {
				m.Data = map[string]string{}
			}
			m.Data[key] = value
			return nil
		}
	}
	for _, step := range []struct {
		change func(*corev1.ConfigMap) error
		want   kube.Outcome
		data   map[string]string
	}{
		{set("a", "1"), kube.Created, map[string]string{"a": "1"}},
		{set("a", "1"), kube.Unchanged, map[string]string{"a": "1"}},
		{set("b", "2"), kube.Updated, map[string]string{"a": "1", "b": "2"}},
	} {
		got, outcome, err := maps.CreateOrUpdate(t.Context(), ml, step.change)
		if err != nil || outcome != step.want || len(got.Data) != len(step.data) || got.ResourceVersion == "" {
			t.Errorf("got %v with %v and error %v, want %v with %v", outcome, got, err, step.want, step.data)
		}
	}
	refused := apierrors.NewNotFound(corev1.Resource("secrets"), "other")
	if _, _, err := maps.CreateOrUpdate(t.Context(), wire.Key{Namespace: "ml", Name: "new"}, func(*corev1.ConfigMap) error { return refused }); !errors.Is(err, error(refused)) {
		t.Errorf("got error %v, want the error of the function, unwrapped", err)
	}
	if _, err := maps.Get(t.Context(), wire.Key{Namespace: "ml", Name: "new"}); !apierrors.IsNotFound(err) {
		t.Errorf("the object was created although the function failed: got error %v", err)
	}
	rename := func(m *corev1.ConfigMap) error { m.Name = "y"; return nil }
	if _, _, err := maps.CreateOrUpdate(t.Context(), ml, rename); err == nil || !strings.Contains(err.Error(), "renamed") {
		t.Errorf("a renamed object: got error %v", err)
	}
}

// TestCreateOrUpdateRaces: another client creates, writes and deletes the object between
// the read and the write.
func TestCreateOrUpdateRaces(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	maps := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{})
	other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "x"}, Data: map[string]string{"other": "1"}}
	calls := 0
	change := func(m *corev1.ConfigMap) error {
		calls++
		var err error
		switch calls {
		case 1:
			_, err = maps.Create(t.Context(), other)
		case 2:
			_, err = maps.Mutate(t.Context(), ml, func(m *corev1.ConfigMap) error { m.Data["other"] = "2"; return nil })
		case 3:
			err = maps.Delete(t.Context(), ml, kube.DeleteOptions{})
		}
		if m.Data == nil {
			m.Data = map[string]string{}
		}
		m.Data["mine"] = "1"
		return err
	}
	got, outcome, err := maps.CreateOrUpdate(t.Context(), ml, change)
	if err != nil || outcome != kube.Created || calls != 4 || got.Data["mine"] != "1" || got.Data["other"] != "" {
		t.Errorf("got %v, %v and error %v after %d calls, want the object created by the fourth", got, outcome, err, calls)
	}
	conflict := apitest.Respond(metav1.Status{Status: "Failure", Code: http.StatusConflict, Reason: metav1.StatusReasonConflict})
	if _, err := srv.Inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbUpdate}, Times: apitest.Always, Action: conflict}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := maps.CreateOrUpdate(t.Context(), ml, func(m *corev1.ConfigMap) error { m.Data["mine"] = "2"; return nil }); !apierrors.IsConflict(err) {
		t.Errorf("endless conflicts: got error %v, want a conflict", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := maps.CreateOrUpdate(ctx, ml, change); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: got error %v", err)
	}
}

// TestCreateOrUpdateUnstructured: a new object of a type without a Go struct has its kind
// and its name.
func TestCreateOrUpdateUnstructured(t *testing.T) {
	_, cluster := serve(t, apitest.Config{Types: []apitest.Type{trainJobs}})
	jobs := client[unstructured.Unstructured](t, cluster, kube.ClientConfig{Resource: "trainjobs.example.com"})
	got, outcome, err := jobs.CreateOrUpdate(t.Context(), ml, func(u *unstructured.Unstructured) error {
		return unstructured.SetNestedField(u.Object, int64(3), "spec", "workers")
	})
	if err != nil || outcome != kube.Created || got.GetKind() != "TrainJob" || kube.KeyOf(got) != ml {
		t.Errorf("got %v, %v and error %v", got, outcome, err)
	}
	if v, err := kube.VersionOf(got); err != nil || v == 0 {
		t.Errorf("version: got %v and error %v", v, err)
	}
}
