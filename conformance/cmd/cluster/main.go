// Command cluster runs a real control plane in the background, for experiments.
//
//	cluster up      builds missing programs, and starts the cluster
//	cluster status  shows the processes
//	cluster down    stops the cluster
//	cluster build   only builds
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/vedette-io/vedette/conformance/controlplane"
)

const usage = `usage: cluster [--dir DIR] [--kubernetes VERSION] up|status|down|build

A real control plane with five nodes simulated by kwok, on loopback ports. A
cold build takes about 15 minutes on two cores; the next start takes seconds.
`

func main() {
	flags := flag.NewFlagSet("cluster", flag.ExitOnError)
	dir := flags.String("dir", ".cluster", "folder for data, logs and the kubeconfig")
	version := flags.String("kubernetes", controlplane.Version(), "version of Kubernetes, such as 1.28.15; $"+controlplane.VersionVariable)
	flags.Usage = func() {
		fmt.Fprint(os.Stderr, usage)
		flags.PrintDefaults()
	}
	_ = flags.Parse(os.Args[1:]) // exits on an error
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *dir, *version, flags.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, version, command string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	list := processes{dir: dir}
	switch command {
	case "up":
		return up(ctx, version, list)
	case "status":
		return status(list)
	case "down":
		return down(ctx, list)
	case "build":
		_, err := controlplane.Build(ctx, version, os.Stderr)
		return err
	}
	return fmt.Errorf("unknown command %q; commands are up, status, down and build", command)
}

func up(ctx context.Context, version string, list processes) error {
	running, err := list.running()
	if err != nil {
		return err
	}
	if len(running) > 0 {
		fmt.Println("The cluster runs already.")
		next(list)
		return nil
	}
	bins, err := controlplane.Build(ctx, version, os.Stderr)
	if err != nil {
		return err
	}
	// Files of an earlier cluster would be stale.
	if err := list.clear(); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "Starting etcd, the API server, the controllers, the scheduler and five nodes.")
	cluster, err := controlplane.Start(ctx, bins, controlplane.Options{Dir: list.dir, Lifetime: controlplane.Detached})
	if err != nil {
		return err
	}
	if err := list.write(cluster.Pids()); err != nil {
		cluster.Stop()
		return err
	}
	fmt.Println("The cluster runs at", cluster.Host())
	next(list)
	return nil
}

// next prints the next steps, with paths relative to the root of the repository, where
// make runs.
func next(list processes) {
	kubeconfig := filepath.Join(list.dir, "kubeconfig")
	if root, err := filepath.Abs(".."); err == nil {
		if rel, err := filepath.Rel(root, kubeconfig); err == nil {
			kubeconfig = rel
		}
	}
	fmt.Printf("\nFollow it:  go run ./cmd/vedette watch jobs,pods,nodes -A --kubeconfig %s\nStop it:    make cluster-stop\n", kubeconfig)
}

func status(list processes) error {
	running, err := list.running()
	if err != nil {
		return err
	}
	if len(running) == 0 {
		fmt.Println("No cluster runs. Start one with: make cluster")
		return nil
	}
	for _, p := range running {
		fmt.Printf("%-24s pid %d\n", p.Name, p.Pid)
	}
	next(list)
	return nil
}

func down(ctx context.Context, list processes) error {
	running, err := list.running()
	if err != nil {
		return err
	}
	for _, p := range running {
		if err := p.end(ctx); err != nil {
			return err
		}
	}
	if err := list.clear(); err != nil {
		return err
	}
	if len(running) == 0 {
		fmt.Println("No cluster was running.")
		return nil
	}
	fmt.Printf("Stopped %d processes.\n", len(running))
	return nil
}
