// Command trainjob is a controller of a custom resource: for each TrainJob it keeps
// as many pods as its spec has workers, says in its status how many there are, and
// removes them before the job goes, by a finalizer.
//
// A custom resource needs its Go struct, below, and nothing else. With client-go or
// controller-runtime it also needs DeepCopy methods, which a generator writes, a
// list type and an entry in a scheme; with client-go a generated client, informer and
// lister as well, or unstructured objects. Neither shows several types at one
// instant, nor, in their releases, waits for what the reconcile before has written: with
// them this program must keep its own expectations, so as not to create a pod twice.
//
// Several of it may run: -replicas elect lets one lead, -replicas share gives each a
// part of the jobs.
package main

import (
	"context"
	"flag"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

// TrainJob is the custom resource.
type TrainJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              TrainSpec   `json:"spec"`
	Status            TrainStatus `json:"status,omitzero"`
}

// TrainSpec is what is wanted.
type TrainSpec struct {
	Workers int `json:"workers"`
}

// TrainStatus is what there is.
type TrainStatus struct {
	Workers            int   `json:"workers"`
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// HandledBy and Token say which replica wrote this, and in which term: a replica
	// that has lost the job, and does not know it yet, is refused.
	HandledBy string `json:"handledBy,omitempty"`
	Token     uint64 `json:"token,omitempty"`
}

func main() {
	replicas := flag.String("replicas", "", "elect or share, if several of this program run")
	identity := flag.String("identity", "", "the name of this replica; default that of the host")
	lease := flag.Duration("lease", controller.DefaultLeaseDuration, "how long others wait for a replica that is silent")
	workers := flag.Int("workers", 2, "how many jobs are reconciled at a time")
	flag.Parse()
	modes := map[string]controller.ReplicaMode{"": controller.SingleReplica, "elect": controller.LeaderElection, "share": controller.Sharding}
	mode, ok := modes[*replicas]
	if !ok {
		log.Fatalf("-replicas is elect or share, and not %q", *replicas)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	cluster, err := kube.Connect(kube.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	err = run(ctx, cluster, controller.Config{
		Name: "trainjobs", Workers: *workers, Grace: 5 * time.Second, Logger: logger,
		Replicas: controller.Replicas{Mode: mode, Cluster: cluster, Identity: *identity, LeaseDuration: *lease},
	}, *identity)
	if err != nil {
		log.Fatal(err)
	}
}

// run puts the controller together: whatever happens to a job, or to a pod that a
// job owns, the job is reconciled.
func run(ctx context.Context, cluster *kube.Cluster, cfg controller.Config, identity string) error {
	factory := informer.NewFactory(cluster, informer.FactoryConfig{})
	jobs, err := informer.For[TrainJob](factory, informer.Config{Resource: "trainjobs.example.com"})
	if err != nil {
		return err
	}
	pods, err := informer.For[corev1.Pod](factory, informer.Config{LabelSelector: "app=trainjob"})
	if err != nil {
		return err
	}
	r, err := newReconciler(cluster, jobs, pods, identity)
	if err != nil {
		return err
	}
	cfg.Reconcile, cfg.Runners = r.reconcile, []controller.Runner{factory}
	c, err := controller.New(
		cfg,
		controller.Objects(jobs, controller.SourceConfig{Filters: []informer.Filter{informer.GenerationChanged()}}),
		controller.Owners(pods, controller.Owner{Group: "example.com", Kind: "TrainJob"}, controller.SourceConfig{}),
	)
	if err != nil {
		return err
	}
	return c.Run(ctx)
}
