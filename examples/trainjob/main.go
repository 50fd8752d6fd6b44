// Command trainjob is a controller of a custom resource: for each TrainJob it runs as many
// pods as the spec has workers, writes their number to the status, and removes them with a
// finalizer before the job is deleted.
//
// A custom resource needs its Go struct, below, and nothing else. With client-go or
// controller-runtime it also needs DeepCopy methods, which a generator writes, a
// list type and an entry in a scheme; with client-go a generated client, informer and
// lister as well, or unstructured objects. Neither shows several types at one
// instant, and their releases do not wait for the writes of the previous reconcile: with
// them this program must track its own expectations, or it would create a pod twice.
//
// Several replicas may run: with -replicas elect one of them leads, with -replicas share
// each has a part of the jobs.
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

// TrainSpec is the desired state.
type TrainSpec struct {
	Workers int `json:"workers"`
}

// TrainStatus is the current state.
type TrainStatus struct {
	Workers            int   `json:"workers"`
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// HandledBy and Token identify the replica that wrote the status, and its term. They
	// reject the write of a replica that has lost the job and has not noticed it yet.
	HandledBy string `json:"handledBy,omitempty"`
	Token     uint64 `json:"token,omitempty"`
}

func main() {
	replicas := flag.String("replicas", "", "elect or share, if several replicas run")
	identity := flag.String("identity", "", "name of this replica; default the host name")
	lease := flag.Duration("lease", controller.DefaultLeaseDuration, "time without a renewal after which other replicas take over")
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
