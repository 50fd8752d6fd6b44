// Command gate runs the checks of this repository: `make check`, `make test`, `make nightly`
// and the gate itself.
//
// It copies the tree by content into one fixed folder of the user's cache, and runs there.
// A file that is unchanged keeps its name and its time, so the go command finds its earlier
// test results. A step whose inputs the go command does not see has a key instead: the hash
// of its sources by the import graph, of the files that it reads, of the versions of the
// programs that it starts, and of its settings. A step that was green on this machine with
// the same key is not run again. A machine without the cache runs everything.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const usage = `gate check            vet, lint and unit tests of the affected packages
gate test             the test plan of the gate (make test)
gate source           build, format, vet, lint, policy, go.mod files and pages
gate nightly          the parts of the nightly run that are not green yet
gate affected [-since COMMIT]   packages that the changes since a commit can affect
gate stress [-for 10m] PACKAGE...   rounds of tests beside a loaded processor and disk
gate plan TIER        print the plan of check, source or test, and run nothing
`

// errRed reports a red step. Its details are already on the output.
var errRed = errors.New("the gate is red")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case errors.Is(err, errRed):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return errors.New("no command")
	}
	w, err := open(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	switch args[0] {
	case "check", "source", "test", "nightly":
		part := flags.String("part", "", "run this part of the nightly run only")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return w.runTier(ctx, args[0], *part)
	case "plan":
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return w.printPlan(ctx, flags.Arg(0))
	case "affected":
		since := flags.String("since", "HEAD", "commit to compare the tree with")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return w.printAffected(ctx, *since)
	case "stress":
		length := flags.Duration("for", defaultStress, "how long to begin new rounds")
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return w.stress(ctx, *length, flags.Args())
	}
	fmt.Fprint(os.Stderr, usage)
	return fmt.Errorf("there is no command %q", args[0])
}
