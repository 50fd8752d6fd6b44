package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/klog/v2"
)

// programs are the servers by name. Each runs until its context is done, and calls ready
// once when its informers have synced.
var programs = map[string]func(ctx context.Context, kind factory, args []string, ready func(func() health)) error{
	"kube-scheduler":          runScheduler,
	"kube-controller-manager": runManager,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		klog.FlushAndExit(klog.ExitFlushTimeout, 1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("kubernetes", flag.ContinueOnError)
	name := flags.String("factory", string(stock), "implementation of the informer factories: stock, vedette or vedette-live")
	if err := flags.Parse(args); err != nil {
		return err
	}
	kind := factory(*name)
	program := programs[flags.Arg(0)]
	if program == nil || !kind.known() {
		return errors.New("usage: kubernetes --factory=stock|vedette|vedette-live kube-scheduler|kube-controller-manager [flags]")
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	c := newConsole(os.Stdin, os.Stdout, cancel)
	go c.serve()
	if err := program(ctx, kind, flags.Args()[1:], c.ready); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", flags.Arg(0), err)
	}
	return nil
}
