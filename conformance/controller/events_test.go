package controller_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/events"
	"github.com/vedette-io/vedette/kube"
)

// TestEvents: an API server accepts Events and their series, also about a cluster-scoped
// object and with a long note, and shows them as Events of the core group, which kubectl
// describe reads. An Event in a namespace that does not exist is dropped.
func TestEvents(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	cluster, err := kube.Connect(kube.Config{REST: w.plane.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	pod, err := w.pods.Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "train"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "train"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	namespaces, err := kube.For[corev1.Namespace](cluster, kube.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	namespace, err := namespaces.Get(ctx, kube.KeyOf(&metav1.ObjectMeta{Name: "default"}))
	if err != nil {
		t.Fatal(err)
	}
	publisher, err := events.New(events.Config{Cluster: cluster, Controller: "example.com/trainjobs", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- publisher.Run(running) }()
	for range 3 {
		publisher.Normal(pod, "Started", "StartPod", "started with %d GPUs", 8)
	}
	publisher.Warning(pod, "Slow", "CheckPod", strings.Repeat("ä", 2000))
	publisher.Normal(namespace, "Checked", "CheckNamespace", "ok")
	lost := pod.DeepCopy()
	lost.Namespace = "missing"
	publisher.Normal(lost, "Started", "StartPod", "nobody sees this")
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	stored, err := kube.For[eventsv1.Event](cluster, kube.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for e, err := range stored.List(ctx, kube.Where{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.ReportingController == "example.com/trainjobs" {
			count := int32(1)
			if e.Series != nil {
				count = e.Series.Count
			}
			got[e.Reason] = fmt.Sprintf("%s %s/%s %d %d", e.Type, e.Regarding.Kind, e.Regarding.Name, count, len([]rune(e.Note)))
		}
	}
	want := map[string]string{"Started": "Normal Pod/train 3 19", "Slow": "Warning Pod/train 1 500", "Checked": "Normal Namespace/default 1 2"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if s := publisher.Stats(); s.Dropped != 1 || s.Waiting != 0 {
		t.Errorf("got %+v, want one dropped Event", s)
	}
	older, err := kube.For[corev1.Event](cluster, kube.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	about := kube.Where{Namespace: "default", FieldSelector: "involvedObject.uid=" + string(pod.UID) + ",reason=Started"}
	all, err := kube.Collect(older.List(ctx, about))
	if err != nil || len(all) != 1 || all[0].Message != "started with 8 GPUs" || all[0].Series == nil || all[0].Series.Count != 3 {
		t.Errorf("got %+v and %v, want the Event as kubectl describe reads it", all, err)
	}
}
