// Command reconciler is a controller in the layout of kubebuilder: a manager, and a
// reconciler that keeps a Secret for each ConfigMap with the label "mirror".
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// mirror reconciles ConfigMaps.
type mirror struct {
	client.Client
	scheme *runtime.Scheme
}

func (m *mirror) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var source corev1.ConfigMap
	if err := m.Get(ctx, req.NamespacedName, &source); err != nil {
		if client.IgnoreNotFound(err) == nil {
			fmt.Println("gone", req.Name)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if source.Labels["mirror"] == "" {
		return ctrl.Result{}, nil
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	done, err := controllerutil.CreateOrUpdate(ctx, m.Client, secret, func() error {
		secret.StringData = nil
		secret.Data = map[string][]byte{}
		for k, v := range source.Data {
			secret.Data[k] = []byte(v)
		}
		return ctrl.SetControllerReference(&source, secret, m.scheme)
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	var mine corev1.SecretList
	if err := m.List(ctx, &mine, client.InNamespace(req.Namespace), client.MatchingFields{"owner": req.Name}); err != nil {
		return ctrl.Result{}, err
	}
	if done != controllerutil.OperationResultNone {
		fmt.Println(done, req.Name, len(source.Data))
	}
	return ctrl.Result{}, nil
}

func main() {
	namespace := flag.String("namespace", "default", "namespace")
	flag.Parse() // controller-runtime defines the flag --kubeconfig
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	if err := run(*namespace); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(namespace string) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	cfg, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
	})
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	if err := mgr.GetFieldIndexer().IndexField(ctx, &corev1.Secret{}, "owner", func(obj client.Object) []string {
		if owner := metav1.GetControllerOf(obj); owner != nil {
			return []string{owner.Name}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := ctrl.NewControllerManagedBy(mgr).For(&corev1.ConfigMap{}).Owns(&corev1.Secret{}).Complete(&mirror{mgr.GetClient(), scheme}); err != nil {
		return err
	}
	go func() {
		if mgr.GetCache().WaitForCacheSync(ctx) {
			fmt.Println("synced")
		}
	}()
	return mgr.Start(ctx)
}
