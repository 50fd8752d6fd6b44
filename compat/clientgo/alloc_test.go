package clientgo_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/kube"
)

// TestAllocations: an object read through the functions of client-go takes as many
// allocations as an object read directly from the server, as long as no reader decodes it.
// Both numbers include the same allocations of the server in this process.
func TestAllocations(t *testing.T) {
	pods := testinput.Size(t, 1000, 2000)
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	for i := range pods {
		if _, err := srv.Create(typicalPod(i)); err != nil {
			t.Fatal(err)
		}
	}
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	client, err := kubernetes.NewForConfig(clientgo.Wrap(srv.RESTConfig()))
	if err != nil {
		t.Fatal(err)
	}
	follow := func(run func(context.Context), synced <-chan struct{}) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			run(ctx)
		}()
		<-synced
		cancel()
		<-done
	}
	straight := testing.AllocsPerRun(3, func() {
		inf, err := informer.Watch[corev1.Pod](cluster, informer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		follow(func(ctx context.Context) {
			if err := inf.Run(ctx); err != nil {
				t.Error(err)
			}
		}, inf.Synced())
	})
	through := testing.AllocsPerRun(3, func() {
		inf := clientgo.Adopt(coreinformers.NewPodInformer(client, "", 0, cache.Indexers{}), clientgo.Options{})
		follow(inf.RunWithContext, inf.(interface{ Done() <-chan struct{} }).Done())
		if r := clientgo.Report(inf)[0]; r.Objects != pods || r.Decodes != 0 {
			t.Errorf("the informer has %d objects and has decoded %d", r.Objects, r.Decodes)
		}
	})
	n := float64(pods)
	t.Logf("%.2f allocations for each object, %.2f straight from the server", through/n, straight/n)
	if more := (through - straight) / n; more > 0.5 || through > 1.05*straight+1000 {
		t.Errorf("%.2f allocations for each object, want not more than straight from the server: %.2f", through/n, straight/n)
	}
}
