package main

import (
	"context"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/tools/events"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/config"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// runScheduler runs kube-scheduler on the factories of kind until ctx is done.
func runScheduler(ctx context.Context, kind factory, args []string, ready func(func() health)) error {
	cc, err := schedulerConfig(ctx, kind, args)
	if err != nil {
		return err
	}
	s, err := newScheduler(ctx, cc)
	if err != nil {
		return err
	}
	synced := make(chan struct{})
	go func() {
		defer close(synced)
		if s.WaitForHandlersSync(ctx) == nil {
			ready(func() health { return healthOf(cc.InformerFactory, nil) })
		}
	}()
	err = app.Run(ctx, cc, s)
	<-synced
	return err
}

// schedulerConfig reads the flags of kube-scheduler, and replaces its factories.
func schedulerConfig(ctx context.Context, kind factory, args []string) (*config.CompletedConfig, error) {
	opts := options.NewOptions()
	all := pflag.NewFlagSet("kube-scheduler", pflag.ContinueOnError)
	for _, set := range opts.Flags.FlagSets {
		all.AddFlagSet(set)
	}
	if err := all.Parse(args); err != nil {
		return nil, err
	}
	if err := opts.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, err
	}
	if err := logsapi.ValidateAndApply(opts.Logs, nil); err != nil {
		return nil, err
	}
	defaults, err := latest.Default()
	if err != nil {
		return nil, err
	}
	opts.ComponentConfig = defaults
	if errs := opts.Validate(); len(errs) > 0 {
		return nil, utilerrors.NewAggregate(errs)
	}
	c, err := opts.Config(ctx)
	if err != nil {
		return nil, err
	}
	c.InformerFactory, c.DynInformerFactory, err = kind.forScheduler(c.KubeConfig)
	cc := c.Complete()
	return &cc, err
}

// newScheduler creates the scheduler of a configuration.
func newScheduler(ctx context.Context, cc *config.CompletedConfig) (*scheduler.Scheduler, error) {
	recorders := func(name string) events.EventRecorderLogger { return cc.EventBroadcaster.NewRecorder(name) }
	cfg := &cc.ComponentConfig
	return scheduler.New(ctx, cc.Client, cc.InformerFactory, cc.DynInformerFactory, recorders,
		scheduler.WithComponentConfigVersion(cfg.APIVersion),
		scheduler.WithKubeConfig(cc.KubeConfig),
		scheduler.WithProfiles(cfg.Profiles...),
		scheduler.WithPercentageOfNodesToScore(cfg.PercentageOfNodesToScore),
		scheduler.WithFrameworkOutOfTreeRegistry(runtime.Registry{}),
		scheduler.WithPodMaxBackoffSeconds(cfg.PodMaxBackoffSeconds),
		scheduler.WithPodInitialBackoffSeconds(cfg.PodInitialBackoffSeconds),
		scheduler.WithPodMaxInUnschedulablePodsDuration(cc.PodMaxInUnschedulablePodsDuration),
		scheduler.WithExtenders(cfg.Extenders...),
		scheduler.WithParallelism(cfg.Parallelism),
	)
}
