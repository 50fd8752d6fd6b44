package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/controller-manager/pkg/clientbuilder"
	controllerhealthz "k8s.io/controller-manager/pkg/healthz"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/config"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	"k8s.io/kubernetes/cmd/kube-controller-manager/names"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
)

// runManager runs kube-controller-manager on the factories of kind until ctx is done.
func runManager(ctx context.Context, kind factory, args []string, ready func(func() health)) error {
	c, err := managerConfig(ctx, args)
	if err != nil {
		return err
	}
	c.EventBroadcaster.StartStructuredLogging(0)
	c.EventBroadcaster.StartRecordingToSink(&corev1client.EventSinkImpl{Interface: c.Client.CoreV1().Events("")})
	defer c.EventBroadcaster.Shutdown()

	cc, metas, err := managerContext(ctx, kind, c)
	if err != nil {
		return err
	}
	descriptors := app.NewControllerDescriptors()
	// Its constructor needs a client builder that only its own package can create.
	delete(descriptors, names.ServiceAccountTokenController)
	controllers, err := app.BuildControllers(ctx, cc, descriptors, nil, controllerhealthz.NewMutableHealthzHandler())
	if err != nil {
		return err
	}
	cc.InformerFactory.Start(ctx.Done())
	defer cc.InformerFactory.Shutdown()
	cc.ObjectOrMetadataInformerFactory.Start(ctx.Done())
	close(cc.InformersStarted)

	synced := make(chan struct{})
	go func() {
		defer close(synced)
		cc.InformerFactory.WaitForCacheSync(ctx.Done())
		byResource := map[schema.GroupVersionResource]cache.SharedIndexInformer{}
		for resource := range metas.WaitForCacheSync(ctx.Done()) {
			byResource[resource] = metas.ForResource(resource).Informer()
		}
		if ctx.Err() == nil {
			ready(func() health { return healthOf(cc.InformerFactory, byResource) })
		}
	}()
	in := app.RunControllers(ctx, cc, controllers, app.ControllerStartJitter, c.ControllerShutdownTimeout)
	<-synced
	if !in {
		return errors.New("some controllers did not end in time")
	}
	return nil
}

// managerConfig reads the flags of kube-controller-manager.
func managerConfig(ctx context.Context, args []string) (*config.CompletedConfig, error) {
	opts, err := options.NewKubeControllerManagerOptions()
	if err != nil {
		return nil, err
	}
	known, off, aliases := app.KnownControllers(), app.ControllersDisabledByDefault(), app.ControllerAliases()
	sets := opts.Flags(known, off, aliases)
	all := pflag.NewFlagSet("kube-controller-manager", pflag.ContinueOnError)
	for _, set := range sets.FlagSets {
		all.AddFlagSet(set)
	}
	if err := all.Parse(args); err != nil {
		return nil, err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	if err := opts.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, err
	}
	if err := logsapi.ValidateAndApply(opts.Logs, utilfeature.DefaultFeatureGate); err != nil {
		return nil, err
	}
	c, err := opts.Config(ctx, known, off, aliases)
	if err != nil {
		return nil, err
	}
	return c.Complete(), nil
}

// managerContext creates the shared objects of the controllers, on the factories of kind.
func managerContext(ctx context.Context, kind factory, c *config.CompletedConfig) (cc app.ControllerContext, metas metadatainformer.SharedInformerFactory, err error) {
	root := clientbuilder.SimpleControllerClientBuilder{ClientConfig: c.Kubeconfig}
	var own clientbuilder.ControllerClientBuilder = root
	if c.ComponentConfig.KubeCloudShared.UseServiceAccountCredentials {
		own = clientbuilder.NewDynamicClientBuilder(rest.AnonymousClientConfig(c.Kubeconfig), c.Client.CoreV1(), metav1.NamespaceSystem)
	}
	cc, err = app.CreateControllerContext(ctx, c, root, own)
	if err != nil {
		return cc, nil, err
	}
	shared, err := root.Config("shared-informers")
	if err != nil {
		return cc, nil, err
	}
	typed, metas, client, err := kind.forManager(shared, cc.ResyncPeriod())
	if err != nil {
		return cc, nil, fmt.Errorf("create the %s factories: %w", kind, err)
	}
	cc.InformerFactory = typed
	cc.ObjectOrMetadataInformerFactory = informerfactory.NewInformerFactory(typed, metas)
	if cc.GraphBuilder == nil {
		return cc, metas, nil // the garbage collector is switched off
	}
	ignored := map[schema.GroupResource]struct{}{}
	for _, r := range cc.ComponentConfig.GarbageCollectorController.GCIgnoredResources {
		ignored[schema.GroupResource{Group: r.Group, Resource: r.Resource}] = struct{}{}
	}
	cc.GraphBuilder = garbagecollector.NewDependencyGraphBuilder(ctx, client, cc.RESTMapper, ignored, cc.ObjectOrMetadataInformerFactory, cc.InformersStarted)
	return cc, metas, nil
}
