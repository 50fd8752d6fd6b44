package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// controlPlane is the build of etcd, the API server and the others, which takes a quarter
// of an hour on two cores, once. The program keeps the result in the user's cache.
var controlPlane = []string{"nice", "-n", "10", "go", "run", "-C", "conformance", "./cmd/cluster", "build"}

// builder builds the control plane while other steps run.
type builder struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

// buildControlPlane begins the build if a step will need it. The steps that need it are the
// last of the plan.
func (w *workspace) buildControlPlane(ctx context.Context, steps []*step) *builder {
	ctx, cancel := context.WithCancel(ctx)
	b := &builder{cancel: cancel, ended: make(chan struct{})}
	needed := slices.ContainsFunc(steps, func(s *step) bool { return s.args != nil && strings.HasPrefix(s.name, "conformance") })
	if !needed {
		close(b.ended)
		return b
	}
	go func() {
		defer close(b.ended)
		log, err := os.Create(filepath.Join(w.folder, "controlplane.log"))
		if err != nil {
			return // readyControlPlane builds, and reports the fault
		}
		defer log.Close()
		cmd := w.command(ctx, ".", nil, controlPlane[0], controlPlane[1:]...)
		cmd.Stdout, cmd.Stderr = log, log
		// readyControlPlane repeats a build that failed, and reports the fault.
		_ = cmd.Run()
	}()
	w.builder = b
	return b
}

func (b *builder) stop() {
	b.cancel()
	<-b.ended
}

// readyControlPlane returns when the control plane is built.
func (w *workspace) readyControlPlane(ctx context.Context) error {
	if w.builder != nil {
		select {
		case <-w.builder.ended:
		default:
			fmt.Fprintln(w.out, "gate: the control plane is not built yet, and the next step needs it")
			select {
			case <-w.builder.ended:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	if err := w.command(ctx, ".", nil, controlPlane[0], controlPlane[1:]...).Run(); err != nil {
		return fmt.Errorf("build the control plane: %w", err)
	}
	return nil
}
