package manager_test

import (
	"context"
	"fmt"
	"log/slog"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/manager"
)

// A program with one controller. A main function calls manager.Main, which also handles
// signals; here the first reconcile ends the program.
func Example() {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	job := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "train"}}
	if _, err := srv.Create(job); err != nil {
		fmt.Println(err)
		return
	}

	m, err := manager.New(manager.Config{
		Name: "pods", Kube: kube.Config{REST: srv.RESTConfig()}, Listen: manager.NoListen, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	pods, err := informer.For[corev1.Pod](m.Factory(), informer.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	err = m.AddController(controller.Config{Reconcile: func(_ context.Context, v informer.View, r controller.Request) error {
		pod, found, err := pods.In(v).Get(r.Key)
		if err == nil && found {
			fmt.Println("reconcile", kube.KeyOf(pod), pod.Status.Phase)
			cancel()
		}
		return err
	}}, controller.Objects(pods))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Run(ctx); err != nil {
		fmt.Println(err)
	}
	// Output: reconcile default/train Pending
}
