//go:build clientgo037

package informers_test

import (
	"context"
	"testing"
	"testing/synctest"

	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo/informers"
)

// TestNewerGroup: a group that client-go 0.36 lacks works.
func TestNewerGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := apitest.New(apitest.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.Close()
		client, err := kubernetes.NewForConfig(srv.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		f := informers.NewSharedInformerFactory(client, 0)
		inf := f.Lifecycle().V1alpha1().EvictionRequests().Informer()
		ctx, cancel := context.WithCancel(t.Context())
		f.StartWithContext(ctx)
		if synced := f.WaitForCacheSyncWithContext(ctx); synced.Err != nil || !inf.HasSynced() || len(synced.Synced) != 1 {
			t.Errorf("got %+v, want the one informer synced", synced)
		}
		cancel()
		f.Shutdown()
	})
}
