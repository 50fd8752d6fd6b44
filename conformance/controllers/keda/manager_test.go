package keda_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	controllers "github.com/kedacore/keda/v2/controllers/keda"
	"github.com/kedacore/keda/v2/pkg/eventemitter"
	"github.com/kedacore/keda/v2/pkg/k8s"
	"github.com/kedacore/keda/v2/pkg/scalers/authentication"
	"github.com/kedacore/keda/v2/pkg/scaling"
	kedautil "github.com/kedacore/keda/v2/pkg/util"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// timeout and concurrent are the defaults of the operator.
const (
	timeout    = 3 * time.Second
	concurrent = 5
)

// operate runs the scaling controllers until the test ends, configured as in the operator.
func operate(t *testing.T, cfg *rest.Config, kube kubernetes.Interface, newCache cache.NewCacheFunc) {
	t.Helper()
	types := runtime.NewScheme()
	if err := errors.Join(scheme.AddToScheme(types), kedav1alpha1.AddToScheme(types)); err != nil {
		t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme: types, NewCache: newCache,
		Metrics:    server.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true)},
		Cache:      cache.Options{DefaultTransform: kedautil.CacheObjectTransform},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := control(mgr, kube); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := mgr.Start(ctx); err != nil {
			t.Errorf("the manager ended with %v", err)
		}
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
		mgr.GetHTTPClient().CloseIdleConnections()
	})
}

// control adds the scaling controllers to the manager.
func control(mgr manager.Manager, kube kubernetes.Interface) error {
	c, recorder := mgr.GetClient(), mgr.GetEventRecorder("keda-operator")
	scales, _, err := k8s.InitScaleClient(mgr)
	if err != nil {
		return err
	}
	auth := &authentication.AuthClientSet{CoreV1Interface: kube.CoreV1()}
	emitter := eventemitter.NewEventEmitter(c, recorder, "kubernetes-default", auth)
	handler := scaling.NewScaleHandler(c, scales, mgr.GetScheme(), timeout, 0, recorder, auth)
	workers := controller.Options{MaxConcurrentReconciles: concurrent}
	return errors.Join(
		(&controllers.ScaledObjectReconciler{Client: c, Scheme: mgr.GetScheme(), ScaleClient: scales, ScaleHandler: handler, EventEmitter: emitter}).SetupWithManager(mgr, workers),
		(&controllers.ScaledJobReconciler{Client: c, Scheme: mgr.GetScheme(), GlobalHTTPTimeout: timeout, EventEmitter: emitter, AuthClientSet: auth}).SetupWithManager(mgr, workers),
		(&controllers.TriggerAuthenticationReconciler{Client: c, EventHandler: emitter}).SetupWithManager(mgr),
		(&controllers.ClusterTriggerAuthenticationReconciler{Client: c, EventHandler: emitter}).SetupWithManager(mgr),
	)
}
