package kube_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestWrites checks that every write is reported once, before the call returns, with the
// version that a reader must have reached.
func TestWrites(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{Types: []apitest.Type{trainJobs}})
	var reported []kube.Written
	outer := 0
	ctx := kube.WithWrites(t.Context(), func(kube.Written) { outer++ })
	ctx = kube.WithWrites(ctx, func(w kube.Written) { reported = append(reported, w) })
	ctx = kube.WithWrites(ctx, nil)
	last := func(name string, version uint64, effect kube.Effect) {
		t.Helper()
		want := []kube.Written{{Cluster: cluster, Key: wire.Key{Namespace: "ml", Name: name}, Version: wire.Version(version), Effect: effect}}
		opts := []cmp.Option{cmp.Comparer(func(a, b *kube.Cluster) bool { return a == b }), cmpopts.IgnoreFields(kube.Written{}, "UID", "Resource", "Labels", "Field")}
		if diff := cmp.Diff(want, reported, opts...); diff != "" {
			t.Errorf("got a difference (-want +got):\n%s", diff)
		}
		if len(reported) > 0 && (reported[0].UID == "" || reported[0].Resource.Name == "") {
			t.Errorf("the report has no UID or no resource: %+v", reported[0])
		}
		reported = nil
	}
	jobs := client[TrainJob](t, cluster, kube.ClientConfig{})
	deployments := client[appsv1.Deployment](t, cluster, kube.ClientConfig{})
	job := trainJob("x")
	job.Finalizers = []string{"example.com/wait"}
	job = must[*TrainJob](t)(jobs.Create(ctx, job))
	last("x", srv.Version(), kube.Stored)
	job.Spec.Workers = 2
	must[*TrainJob](t)(jobs.Update(ctx, job))
	last("x", srv.Version(), kube.Stored)
	must[*TrainJob](t)(jobs.Status().Mutate(ctx, ml, func(j *TrainJob) error { j.Status.Phase = "Running"; return nil }))
	last("x", srv.Version(), kube.Stored)
	must[*TrainJob](t)(jobs.Patch(ctx, ml, kube.MergePatch([]byte(`{"spec":{"workers":5}}`))))
	last("x", srv.Version(), kube.Stored)
	if err := jobs.Delete(ctx, ml, kube.DeleteOptions{}); err != nil { // its finalizer delays the deletion
		t.Fatal(err)
	}
	last("x", srv.Version(), kube.Stored)
	must[*TrainJob](t)(jobs.Mutate(ctx, ml, func(j *TrainJob) error { kube.RemoveFinalizer(j, "example.com/wait"); return nil }))
	last("x", 0, kube.Removed)
	must[*appsv1.Deployment](t)(deployments.Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "web"}}))
	last("web", srv.Version(), kube.Stored)
	if _, err := deployments.SetScale(ctx, wire.Key{Namespace: "ml", Name: "web"}, 3); err != nil {
		t.Fatal(err)
	}
	last("web", srv.Version(), kube.Stored)
	at := srv.Version()
	if _, err := deployments.DeleteAll(ctx, kube.Where{Namespace: "ml"}, kube.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	last("web", at+1, kube.Stored)
	must[*TrainJob](t)(jobs.Create(ctx, trainJob("y")))
	reported = nil
	if err := jobs.Delete(ctx, wire.Key{Namespace: "ml", Name: "y"}, kube.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	last("y", 0, kube.Removed)
	if _, err := jobs.Create(ctx, job); err == nil {
		t.Error("got no error for a creation with a version")
	}
	if _, err := jobs.Get(ctx, ml); len(reported) != 0 || !apierrors.IsNotFound(err) {
		t.Errorf("got a report without a write: %v, %v", reported, err)
	}
	if outer != 11 {
		t.Errorf("the outer observer was called %d times", outer)
	}
}

// TestMutate checks that neither of two writers loses a change of the other.
func TestMutate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, cluster := serve(t, apitest.Config{})
		x := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "x"}, Data: map[string]string{}}
		must[apitest.Object](t)(srv.Create(x))
		maps := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{})
		other := func(n int) {
			must[*corev1.ConfigMap](t)(apitest.Modify(srv, x, func(m *corev1.ConfigMap) {
				m.Data = map[string]string{"other": fmt.Sprint(n)}
			}))
		}
		calls := 0
		got, err := maps.Mutate(t.Context(), ml, func(m *corev1.ConfigMap) error {
			if calls++; calls < 4 {
				other(calls)
			}
			if m.Data == nil {
				m.Data = map[string]string{}
			}
			m.Data["mine"] = "yes"
			return nil
		})
		if err != nil || calls != 4 || got.Data["mine"] != "yes" || got.Data["other"] != "3" {
			t.Errorf("got %d calls, %+v and error %v; want 4 calls and both changes", calls, got, err)
		}
		calls = 0
		_, err = maps.Mutate(t.Context(), ml, func(m *corev1.ConfigMap) error {
			calls++
			other(100 + calls)
			m.Data["mine"] = "no"
			return nil
		})
		if !apierrors.IsConflict(err) || calls != 10 || !strings.Contains(err.Error(), "10 conflicts in a row") {
			t.Errorf("got %d calls and error %v, want 10 and that each was a conflict", calls, err)
		}
		calls = 0
		busy := apierrors.NewConflict(schema.GroupResource{}, "another", errors.New("of the caller's own"))
		_, err = maps.Mutate(t.Context(), ml, func(*corev1.ConfigMap) error { calls++; return busy })
		if err != error(busy) || calls != 1 {
			t.Errorf("got %d calls and error %v, want 1 and %v", calls, err, error(busy))
		}
		at, no := srv.Version(), errors.New("no")
		if _, err := maps.Mutate(t.Context(), ml, func(m *corev1.ConfigMap) error { m.Data["mine"] = "no"; return no }); err != no {
			t.Errorf("got %v, want %v", err, no)
		}
		before := len(srv.Requests())
		if got, err := maps.Mutate(t.Context(), ml, func(*corev1.ConfigMap) error { return nil }); err != nil || got.Name != "x" {
			t.Errorf("mutate without a change: got %+v and error %v, want x", got, err)
		}
		if n := len(srv.Requests()) - before; n != 1 || srv.Version() != at {
			t.Errorf("got %d requests for an unchanged object", n)
		}
	})
}

// TestBusyServer checks that a client retries a busy server when the server says so, and
// gives up after a limit.
func TestBusyServer(t *testing.T) {
	for _, c := range []struct {
		name  string
		times int
		wait  time.Duration
		took  time.Duration
		is    func(error) bool
	}{
		{"busy for a while", 3, 5 * time.Second, 15 * time.Second, nil},
		{"busy for good", apitest.Always, time.Second, 10 * time.Second, apierrors.IsTooManyRequests},
		{"busy for long", 1, 2 * time.Minute, 0, apierrors.IsTooManyRequests},
		{"busy, and does not say how long", 1, 0, 0, apierrors.IsTooManyRequests},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv, cluster := serve(t, apitest.Config{})
				_, err := srv.Inject(apitest.Fault{
					Match: apitest.Match{Verb: apitest.VerbCreate}, Times: c.times, Action: apitest.Respond(apitest.Failure(429, c.wait)),
				})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				_, err = client[corev1.Pod](t, cluster, kube.ClientConfig{}).Create(t.Context(), pod("ml", "x", ""))
				if long := c.wait > time.Minute; long != strings.Contains(fmt.Sprint(err), "the server requested a wait of 2m0s") {
					t.Errorf("the error does not state that the wait is too long: %v", err)
				}
				if took := time.Since(began); took != c.took || c.is == nil && err != nil || c.is != nil && !c.is(err) {
					t.Errorf("after %v: got %v", took, err)
				}
			})
		})
	}
}

// TestRateLimit checks that the rate limit of the configuration applies to clients.
func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := must[*apitest.Server](t)(apitest.New(apitest.Config{}))
		defer srv.Close()
		cfg := srv.RESTConfig()
		cfg.QPS, cfg.Burst = 1, 2
		limited := must[*kube.Cluster](t)(kube.Connect(kube.Config{REST: cfg}))
		defer limited.Close()
		pods := client[corev1.Pod](t, limited, kube.ClientConfig{})
		began := time.Now()
		for range 5 {
			if _, err := pods.Get(t.Context(), ml); !apierrors.IsNotFound(err) {
				t.Fatalf("Get: got error %v, want NotFound", err)
			}
		}
		if took := time.Since(began).Round(time.Second); took != 3*time.Second {
			t.Errorf("got %v for five requests", took)
		}
	})
}
