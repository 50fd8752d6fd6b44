package manager_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/manager"
)

// lines is a log that any goroutine may write.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *lines) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), part)
}

// TestFunctionsAfterSync: functions are called when the informers show all objects, and the
// log names an informer that prevents this. Servers start at once, because the lists may need
// them. Without a synced informer no process takes the Lease for functions that lead.
func TestFunctionsAfterSync(t *testing.T) {
	for name, mode := range map[string]controller.ReplicaMode{"one process": controller.SingleReplica, "leader election": controller.LeaderElection} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := apitest.Start(t, pod("one"), pod("two"))
				refused, err := srv.Inject(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(500, 0))})
				if err != nil {
					t.Fatal(err)
				}
				log := &lines{}
				m := newManager(t, srv, manager.Config{Logger: slog.New(slog.NewTextHandler(log, nil)), Replicas: controller.Replicas{Mode: mode, Identity: "one"}})
				pods, err := informer.For[corev1.Pod](m.Factory(), informer.Config{})
				if err != nil {
					t.Fatal(err)
				}
				var j journal
				counts := func(name string) func(context.Context) error {
					return func(ctx context.Context) error {
						n, err := pods.Snapshot().Len()
						j.add("%s sees %d Pods, error %v", name, n, err)
						<-ctx.Done()
						return nil
					}
				}
				if err := errors.Join(m.AddFunc("collector", counts("the function")), m.AddLeading("sweep", counts("the leader")), m.AddServer("webhooks", note(&j, "the server"))); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error)
				go func() { ended <- m.Run(ctx) }()
				<-time.After(time.Minute)
				if got := j.take(); !slices.Equal(got, []string{"the server begins"}) {
					t.Errorf("before the first list: got %q, want only the server", got)
				}
				if n := log.count("functions are not called"); n != 1 || log.count("Pod.v1") == 0 {
					t.Errorf("got %d lines about functions that wait, want 1", n)
				}
				if n := leases(srv); n > 0 {
					t.Errorf("got %d requests for Leases before the first list, want none", n)
				}
				refused.Release()
				<-time.After(time.Minute)
				if got, want := sorted(j.take()), []string{"the function sees 2 Pods, error <nil>", "the leader sees 2 Pods, error <nil>"}; !slices.Equal(got, want) {
					t.Errorf("after the first list: got %q, want %q", got, want)
				}
				if n := log.count("all informers are synced"); n != 1 {
					t.Errorf("got %d lines about the end of the wait, want 1", n)
				}
				cancel()
				if err := <-ended; err != nil {
					t.Errorf("Run: %v", err)
				}
			})
		})
	}
}

// leases counts the requests for Leases.
func leases(srv *apitest.Server) (n int) {
	for _, r := range srv.Requests() {
		if r.Resource.Resource == "leases" {
			n++
		}
	}
	return n
}

// TestEndBeforeSync: a program whose informers never sync ends with its context, and when
// the server does not serve a type, and calls no function.
func TestEndBeforeSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := apitest.Start(t)
		if _, err := srv.Inject(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(500, 0))}); err != nil {
			t.Fatal(err)
		}
		for _, missing := range []bool{false, true} {
			m := newManager(t, srv, manager.Config{})
			var j journal
			addPods(t, m, &j, controller.Config{})
			if missing {
				if _, err := informer.For[unstructured.Unstructured](m.Factory(), informer.Config{Resource: "gone.example.com"}); err != nil {
					t.Fatal(err)
				}
			}
			if err := m.AddFunc("collector", note(&j, "the function")); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			stop := time.AfterFunc(time.Hour, cancel) // an input: fake time
			err := m.Run(ctx)
			if stop.Stop(); missing != (err != nil) || missing && !strings.Contains(err.Error(), "gone.example.com") {
				t.Errorf("a type is missing: %v; got error %v", missing, err)
			}
			cancel()
			if got := j.take(); len(got) > 0 {
				t.Errorf("got %q, want nothing", got)
			}
		}
	})
}
