package controller_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

// TestSeesWhatWasWrittenBefore: a replica that takes over begins when its informers show
// the writes of its predecessor, or after a limited time.
func TestSeesWhatWasWrittenBefore(t *testing.T) {
	for _, mode := range []controller.ReplicaMode{controller.LeaderElection, controller.Sharding} {
		for _, behind := range []time.Duration{time.Second, time.Hour} {
			t.Run(fmt.Sprint(mode, behind), func(t *testing.T) {
				inWorld(t, func(w *world) {
					var d diary
					run := func(token string) (stop func()) {
						cluster := w.connect(token)
						t.Cleanup(cluster.Close)
						pods := legal(informer.Watch[corev1.Pod](cluster, informer.Config{}))
						maps := legal(informer.Watch[corev1.ConfigMap](cluster, informer.Config{}))
						writer := must[*kube.Client[corev1.ConfigMap]](t)(kube.For[corev1.ConfigMap](cluster, kube.ClientConfig{}))
						return w.run(w.controller(controller.Config{
							Name: "test", Runners: []controller.Runner{pods, maps},
							Replicas: controller.Replicas{Mode: mode, Cluster: cluster, LeaseDuration: leaseFor},
							Reconcile: func(ctx context.Context, v informer.View, r controller.Request) error {
								_, exists, _ := maps.In(v).Get(r.Key)
								d.note("%s: exists %v", token, exists)
								if exists {
									return nil
								}
								_, err := writer.Create(ctx, configMap(r.Key.Name))
								return controller.Terminal(err)
							},
						}, controller.Objects(pods), controller.ReadOnly(maps)))
					}
					stop := run("1")
					run("2")
					pass(2 * leaseFor)
					stalled := w.inject(apitest.Fault{Times: apitest.Always, Action: apitest.Stall(), Match: apitest.Match{
						Verb: apitest.VerbWatch, Resource: "configmaps", Where: func(r apitest.Request) bool { return r.User == "two" },
					}})
					var names []string
					for i := range 8 { // the first replica has some or all of them
						names = append(names, fmt.Sprint("pod-", i))
						w.create(pod(names[i]))
					}
					pass(leaseFor / 3) // each replica has reconciled its keys
					d.take()
					stop()
					pass(behind)
					if got := d.take(); behind == time.Second && len(got) > 0 {
						t.Errorf("the successor began before its informers showed the writes: got %v", got)
					}
					stalled.Release()
					pass(leaseFor)
					for _, line := range d.take() {
						if line != "2: exists true" && behind == time.Second {
							t.Errorf("after the takeover: got %q, want only \"2: exists true\"", line)
						}
					}
				})
			})
		}
	}
}
