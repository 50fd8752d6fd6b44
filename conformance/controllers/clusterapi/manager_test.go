package clusterapi_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/cluster-api/controllers/remote"
	"sigs.k8s.io/cluster-api/core/reconcilers/cluster"
	"sigs.k8s.io/cluster-api/core/reconcilers/machine"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinedeployment"
	"sigs.k8s.io/cluster-api/core/reconcilers/machineset"
	"sigs.k8s.io/cluster-api/core/setup"
	"sigs.k8s.io/cluster-api/util/index"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// syncPeriod, concurrent and grace are the defaults of the program of Cluster API.
const (
	syncPeriod = 10 * time.Minute
	concurrent = 50
	grace      = 5 * time.Minute
)

// manage runs the core controllers until the test ends, configured as in Cluster API's
// own program.
func manage(t *testing.T, cfg *rest.Config, name string, newCache cache.NewCacheFunc) {
	t.Helper()
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = remote.DefaultClusterAPIUserAgent(name)
	types := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(types), apiextensions.AddToScheme(types), clusterv1.AddToScheme(types)); err != nil {
		t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: types, NewCache: newCache,
		Metrics:    server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true)},
		Cache:      setup.ManagerCacheOptions(types, name, "", syncPeriod),
		Client:     setup.ManagerClientOptions(),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		running.Wait()
		mgr.GetHTTPClient().CloseIdleConnections()
	})
	clusters, err := reconcile(ctx, mgr, name)
	if err != nil {
		t.Fatal(err)
	}
	running.Go(func() {
		if err := mgr.Start(ctx); err != nil {
			t.Errorf("the manager ended with %v", err)
		}
		clusters.(interface{ Shutdown() }).Shutdown()
	})
}

// reconcile adds the controllers to the manager.
func reconcile(ctx context.Context, mgr manager.Manager, name string) (clustercache.ClusterCache, error) {
	if err := index.AddDefaultIndexes(ctx, mgr); err != nil {
		return nil, err
	}
	secrets, err := setup.CreateSecretCachingClient(mgr)
	if err != nil {
		return nil, err
	}
	workers := controller.Options{MaxConcurrentReconciles: concurrent}
	clusters, err := clustercache.SetupWithManager(ctx, mgr, clustercache.Options{
		SecretClient: secrets, Cache: setup.ClusterCacheCacheOptions(), Client: setup.ClusterCacheClientOptions(name, 1000, 2000),
	}, workers)
	if err != nil {
		return nil, err
	}
	c, reader := mgr.GetClient(), mgr.GetAPIReader()
	return clusters, errors.Join(
		(&cluster.Reconciler{Client: c, APIReader: reader, ClusterCache: clusters, RemoteConnectionGracePeriod: grace}).SetupWithManager(ctx, mgr, workers),
		(&machine.Reconciler{Client: c, APIReader: reader, ClusterCache: clusters, RemoteConditionsGracePeriod: grace}).SetupWithManager(ctx, mgr, workers),
		(&machineset.Reconciler{Client: c, APIReader: reader, ClusterCache: clusters}).SetupWithManager(ctx, mgr, workers),
		(&machinedeployment.Reconciler{Client: c, APIReader: reader}).SetupWithManager(ctx, mgr, workers),
	)
}
