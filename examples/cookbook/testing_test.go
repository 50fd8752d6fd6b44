package cookbook

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

// connect connects to the server of a test.
func connect(t *testing.T, server *apitest.Server) *kube.Cluster {
	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

func TestReconcile(t *testing.T) {
	server := apitest.Start(t, newJob("train"))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- reconcile(ctx, connect(t, server)) }()
	apitest.Await(t, server, newJob("train"), func(j *batchv1.Job) string {
		if j.Labels["seen"] != "yes" {
			return "it has no label"
		}
		return ""
	})
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	apitest.Golden(t, server, "testdata/reconcile.golden") // UPDATE_GOLDEN=1 go test accepts other writes
}

func TestServerIsAway(t *testing.T) {
	server := apitest.Start(t, pod("train-0", "train", "n1"))
	_, err := server.Inject(apitest.Fault{
		Match:  apitest.Match{Resource: "pods"},
		Times:  2,
		Action: apitest.Respond(apitest.Failure(http.StatusServiceUnavailable, time.Second)),
	})
	if err != nil {
		t.Fatal(err)
	}
	pods, err := informer.Watch[corev1.Pod](connect(t, server), informer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	err = running(t.Context(), pods, func() error { return nil })
	if n := pods.Snapshot().Records().Len(); err != nil || n != 1 {
		t.Errorf("got %d pods and %v, want 1 after two failures", n, err)
	}
}

func TestInFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.Start(t, pod("train-0", "train", "n1"))
		pods, err := informer.Watch[corev1.Pod](connect(t, server), informer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		err = running(t.Context(), pods, func() error {
			server.Unavailable()
			<-time.After(24 * time.Hour) // takes milliseconds
			if err := server.Available(); err != nil {
				return err
			}
			if _, err := server.Create(pod("train-1", "train", "n1")); err != nil {
				return err
			}
			<-time.After(time.Minute)
			if n := pods.Snapshot().Records().Len(); n != 2 {
				t.Errorf("got %d pods after a day without the server, want 2", n)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
