package main

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler"

	"github.com/vedette-io/vedette/compat/clientgo"
	vedettedynamic "github.com/vedette-io/vedette/compat/clientgo/dynamic/dynamicinformer"
	vedetteinformers "github.com/vedette-io/vedette/compat/clientgo/informers"
	vedettemetadata "github.com/vedette-io/vedette/compat/clientgo/metadata/metadatainformer"
	"github.com/vedette-io/vedette/informer"
)

// factory names the implementation of a program's informer factories.
type factory string

const (
	stock  factory = "stock"
	packed factory = "vedette"      // our default: informers keep bytes
	live   factory = "vedette-live" // informers keep decoded objects
)

func (f factory) known() bool { return f == stock || f == packed || f == live }

// options returns our options for all types.
func (f factory) options(runtime.Object) clientgo.Options {
	if f == live {
		return clientgo.Options{Storage: informer.Live}
	}
	return clientgo.Options{Storage: informer.Packed}
}

// forScheduler returns the factories of kube-scheduler.
func (f factory) forScheduler(cfg *rest.Config) (informers.SharedInformerFactory, dynamicinformer.DynamicSharedInformerFactory, error) {
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(cfg, "scheduler"))
	if err != nil {
		return nil, nil, err
	}
	dyn, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, nil, err
	}
	if f == stock {
		return scheduler.NewInformerFactory(client, 0), dynamicinformer.NewFilteredDynamicSharedInformerFactory(dyn, 0, corev1.NamespaceAll, nil), nil
	}
	typed := vedetteinformers.NewSharedInformerFactoryWithOptions(client, 0, vedetteinformers.WithOptions(f.options))
	typed.InformerFor(&corev1.Pod{}, podInformer)
	return typed, vedettedynamic.NewFilteredDynamicSharedInformerFactory(dyn, 0, corev1.NamespaceAll, nil), nil
}

// podInformer returns the informer that kube-scheduler constructs for pods, with its
// selector and its transform. Only the scheduler's own factory exposes it.
func podInformer(client kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
	return scheduler.NewInformerFactory(client, resync).Core().V1().Pods().Informer()
}

// forManager returns the factories of kube-controller-manager, which trim managed fields.
func (f factory) forManager(cfg *rest.Config, resync time.Duration) (informers.SharedInformerFactory, metadatainformer.SharedInformerFactory, metadata.Interface, error) {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, nil, nil, err
	}
	metas, err := metadata.NewForConfig(cfg)
	if err != nil {
		return nil, nil, nil, err
	}
	if f == stock {
		typed := informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithTransform(trim))
		return typed, metadatainformer.NewSharedInformerFactoryWithOptions(metas, resync, metadatainformer.WithTransform(trim)), metas, nil
	}
	typed := vedetteinformers.NewSharedInformerFactoryWithOptions(client, resync, vedetteinformers.WithTransform(trim), vedetteinformers.WithOptions(f.options))
	return typed, vedettemetadata.NewSharedInformerFactoryWithOptions(metas, resync, vedettemetadata.WithTransform(trim)), metas, nil
}

// trim drops managed fields, as in the informers of kube-controller-manager.
func trim(obj any) (any, error) {
	if o, err := meta.Accessor(obj); err == nil && o.GetManagedFields() != nil {
		o.SetManagedFields(nil)
	}
	return obj, nil
}
