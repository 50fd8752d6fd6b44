// Command cluster runs a real control plane in the background, for trials.
//
//	cluster up      builds what is missing, and starts it
//	cluster status  says what runs
//	cluster down    ends it
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

const usage = `usage: cluster [--dir DIR] up|status|down|build

A real control plane with five nodes that kwok pretends, on loopback ports. A
cold build takes about 15 minutes on two cores; the next start takes seconds.
`

func main() {
	flags := flag.NewFlagSet("cluster", flag.ExitOnError)
	dir := flags.String("dir", ".cluster", "folder for data, logs and the kubeconfig")
	flags.Usage = func() {
		fmt.Fprint(os.Stderr, usage)
		flags.PrintDefaults()
	}
	_ = flags.Parse(os.Args[1:]) // it exits by itself
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *dir, flags.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, command string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	book := ledger{dir: dir}
	switch command {
	case "up":
		return up(ctx, book)
	case "status":
		return status(book)
	case "down":
		return down(ctx, book)
	case "build":
		_, err := controlplane.Build(ctx, os.Stderr)
		return err
	}
	return fmt.Errorf("unknown command %q; there are up, status, down and build", command)
}

func up(ctx context.Context, book ledger) error {
	running, err := book.running()
	if err != nil {
		return err
	}
	if len(running) > 0 {
		fmt.Println("The cluster runs already.")
		next(book)
		return nil
	}
	bins, err := controlplane.Build(ctx, os.Stderr)
	if err != nil {
		return err
	}
	// What an earlier cluster left would be stale.
	if err := book.clear(); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "Starting etcd, the API server, the controllers, the scheduler and five nodes.")
	cluster, err := controlplane.Start(ctx, bins, controlplane.Options{Dir: book.dir, Lifetime: controlplane.Detached})
	if err != nil {
		return err
	}
	if err := book.write(cluster.Pids()); err != nil {
		cluster.Stop()
		return err
	}
	fmt.Println("The cluster runs at", cluster.Host())
	next(book)
	return nil
}

// next prints what to do now, with paths as seen from the root of the
// repository, where make runs.
func next(book ledger) {
	kubeconfig := filepath.Join(book.dir, "kubeconfig")
	if root, err := filepath.Abs(".."); err == nil {
		if rel, err := filepath.Rel(root, kubeconfig); err == nil {
			kubeconfig = rel
		}
	}
	fmt.Printf("\nFollow it:  go run ./cmd/vedette watch jobs,pods,nodes -A --kubeconfig %s\nEnd it:     make cluster-stop\n", kubeconfig)
}

func status(book ledger) error {
	running, err := book.running()
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
	next(book)
	return nil
}

func down(ctx context.Context, book ledger) error {
	running, err := book.running()
	if err != nil {
		return err
	}
	for _, p := range running {
		if err := p.end(ctx); err != nil {
			return err
		}
	}
	if err := book.clear(); err != nil {
		return err
	}
	if len(running) == 0 {
		fmt.Println("No cluster was running.")
		return nil
	}
	fmt.Printf("Ended %d processes.\n", len(running))
	return nil
}
