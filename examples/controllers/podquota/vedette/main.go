// Command podquota warns about the Pods of a team beyond its quota: the label team names the
// team, and -limit is the number of Pods that may exist and have not ended.
package main

import (
	"context"
	"flag"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/events"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/manager"
	"github.com/vedette-io/vedette/wire"
)

func main() {
	cfg := manager.Config{Name: "podquota", Replicas: controller.Replicas{Mode: controller.LeaderElection}}
	flag.StringVar(&cfg.Kube.Kubeconfig, "kubeconfig", "", "path of the kubeconfig")
	flag.StringVar(&cfg.Listen, "listen", ":8080", "address of health and metrics")
	limit := flag.Int("limit", 100, "how many Pods a team may have")
	flag.Parse()
	manager.Main(cfg, func(m *manager.Manager) error { return setUp(m, *limit) })
}

type watcher struct {
	pods   *informer.Informer[corev1.Pod]
	byTeam *informer.Index[corev1.Pod]
	events *events.Publisher
	limit  int
}

func setUp(m *manager.Manager, limit int) (err error) {
	w := &watcher{limit: limit}
	if w.pods, err = informer.For[corev1.Pod](m.Factory(), informer.Config{LabelSelector: "team"}); err != nil {
		return err
	}
	if w.byTeam, err = informer.IndexField(w.pods, "metadata.labels.team"); err != nil {
		return err
	}
	if w.events, err = events.New(events.Config{Cluster: m.Cluster(), Controller: "example.com/podquota"}); err != nil {
		return err
	}
	if err := m.AddFunc("events", w.events.Run); err != nil {
		return err
	}
	return m.AddController(controller.Config{Reconcile: w.reconcile}, controller.MappedObjects(w.pods, teamOf))
}

func teamOf(pod *corev1.Pod) []wire.Key { return []wire.Key{{Name: pod.Labels["team"]}} }

func (w *watcher) reconcile(_ context.Context, v informer.View, r controller.Request) error {
	var active []*corev1.Pod
	for pod, err := range w.byTeam.Get(w.pods.In(v), r.Key.Name) {
		if err != nil {
			return err
		}
		if !job.ReadStatus(pod).State.Final() {
			active = append(active, pod)
		}
	}
	if len(active) <= w.limit {
		return nil
	}
	slices.SortStableFunc(active, func(a, b *corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	for _, pod := range active[w.limit:] {
		w.events.Warning(pod, "QuotaExceeded", "Count", "the team %s has %d Pods, and its limit is %d", r.Key.Name, len(active), w.limit)
	}
	return nil
}
