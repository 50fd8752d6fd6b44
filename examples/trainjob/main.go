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
	"errors"
	"flag"
	"log/slog"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/manager"
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
	cfg := manager.Config{Name: "trainjobs"}
	flag.Func("replicas", "elect or share, if several replicas run", func(text string) (err error) {
		cfg.Replicas.Mode, err = parseMode(text)
		return err
	})
	flag.StringVar(&cfg.Replicas.Identity, "identity", "", "name of this replica; default the host name")
	flag.DurationVar(&cfg.Replicas.LeaseDuration, "lease", controller.DefaultLeaseDuration, "time without a renewal after which other replicas take over")
	flag.StringVar(&cfg.Listen, "listen", manager.DefaultListen, "address of health and metrics, or none")
	workers := flag.Int("workers", 2, "how many jobs are reconciled at a time")
	flag.Parse()
	cfg.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	manager.Main(cfg, func(m *manager.Manager) error { return setUp(m, *workers, cfg.Replicas.Identity) })
}

// setUp adds the controller: whatever happens to a job, or to a pod that a job owns, the
// job is reconciled.
func setUp(m *manager.Manager, workers int, identity string) error {
	jobs, err := informer.For[TrainJob](m.Factory(), informer.Config{Resource: "trainjobs.example.com"})
	if err != nil {
		return err
	}
	pods, err := informer.For[corev1.Pod](m.Factory(), informer.Config{LabelSelector: "app=trainjob"})
	if err != nil {
		return err
	}
	r, err := newReconciler(m.Cluster(), jobs, pods, identity)
	if err != nil {
		return err
	}
	return m.AddController(
		controller.Config{Workers: workers, Grace: 5 * time.Second, Reconcile: r.reconcile},
		controller.Objects(jobs, informer.GenerationChanged()),
		controller.Owners(pods, controller.Owner{Group: "example.com", Kind: "TrainJob"}),
	)
}

func parseMode(text string) (controller.ReplicaMode, error) {
	switch text {
	case "":
		return controller.SingleReplica, nil
	case "elect":
		return controller.LeaderElection, nil
	case "share":
		return controller.Sharding, nil
	}
	return 0, errors.New("want elect or share")
}
