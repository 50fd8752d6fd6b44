package kube_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
)

func kubeSystem() *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"},
	}
}

// TestIdentity checks that the identity is the UID of kube-system. Concurrent callers
// share one request.
func TestIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, cluster := serve(t, apitest.Config{})
		first, err := srv.Create(kubeSystem())
		if err != nil {
			t.Fatal(err)
		}
		ask := func(since time.Time, want string, requests int) {
			t.Helper()
			if uid, err := cluster.Identity(t.Context(), since); err != nil || uid != want || len(srv.Requests()) != requests {
				t.Errorf("got %s, %v after %d requests; want %s after %d", uid, err, len(srv.Requests()), want, requests)
			}
		}
		was := string(first.GetUID())
		ask(time.Time{}, was, 1)
		if err := srv.Delete(kubeSystem()); err != nil {
			t.Fatal(err)
		}
		second, err := srv.Create(kubeSystem())
		if err != nil {
			t.Fatal(err)
		}
		is := string(second.GetUID())
		ask(time.Time{}, was, 1)
		<-time.After(time.Second)
		before := time.Now()
		<-time.After(time.Second)
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() { ask(before, is, 2) })
		}
		callers.Wait()
		ask(time.Now(), is, 3)
	})
}

// TestIdentityFails checks that errors contain the operation and the remedy.
func TestIdentityFails(t *testing.T) {
	denied := false
	srv, cluster := serve(t, apitest.Config{Authorize: func(apitest.Request) error {
		if denied {
			return errors.New("not you")
		}
		return nil
	}})
	fails := func(ctx context.Context, matches func(error) bool, text string) {
		t.Helper()
		_, err := cluster.Identity(ctx, time.Now())
		if err == nil || !matches(err) || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q", err, text)
		}
	}
	fails(t.Context(), apierrors.IsNotFound, "get namespaces kube-system at ")
	denied = true
	fails(t.Context(), apierrors.IsForbidden, "; the UID of this namespace identifies the cluster: grant the right to get it")
	canceled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the end"))
	fails(canceled, func(error) bool { return true }, "the end")
	srv.Close()
	fails(t.Context(), func(err error) bool { return errors.As(err, new(*kube.RequestError)) }, "get namespaces kube-system at ")
}

// TestIdentityIsBounded checks that a request without an answer ends after 10 seconds,
// and that a caller that waits for another's request returns when its context ends.
func TestIdentityIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, cluster := serve(t, apitest.Config{})
		if _, err := srv.Inject(apitest.Fault{Times: apitest.Always, Action: apitest.Delay(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var work sync.WaitGroup
		work.Go(func() {
			if _, err := cluster.Identity(t.Context(), began); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 10*time.Second {
				t.Errorf("got %v after %v", err, time.Since(began))
			}
		})
		work.Go(func() {
			<-time.After(time.Second)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := cluster.Identity(ctx, began); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 2*time.Second {
				t.Errorf("got %v after %v", err, time.Since(began))
			}
		})
		work.Wait()
	})
}
