package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/internal/gotool"
	"github.com/vedette-io/vedette/internal/swap"
)

// swapExample begins the help of `vedette swap`.
const swapExample = `  # Build the controller of this module with the engine: controller-vedette
  vedette swap ./cmd/controller

  # Build all programs of the module that use informers, into a folder
  vedette swap ./... --output bin

  # Run it; compare with the same binary on client-go's own informers
  ./controller-vedette --kubeconfig ~/.kube/config
  VEDETTE_SWAP=off ./controller-vedette --kubeconfig ~/.kube/config

  # Pass flags on to go build
  vedette swap ./cmd/controller -- -tags=production -trimpath

  # With a development build of vedette: use the engine of its source
  vedette swap ./cmd/controller --vedette ~/src/vedette`

// swapLong describes the command and its limits.
const swapLong = `EXPERIMENTAL: it shows what the engine would do for a controller before anybody changes its code. Do not run the binary in
production: to switch for good, change imports as docs/migrating.md says.

The controller is built by go build, with a patched copy of client-go 0.36 or 0.37. Its source, go.mod and go.sum stay as they
are. To go back, delete the binary. Programs on controller-runtime are served too: its informers are client-go's.

The binary obeys VEDETTE_SWAP: packed (the default) keeps bytes; live keeps objects decoded; off takes client-go's informers.`

func newSwap() *cobra.Command {
	var o swap.Options
	cmd := &cobra.Command{
		Use:     "swap PACKAGES [-- FLAGS OF go build]",
		Short:   "Build an unmodified Go controller with this engine (experimental)",
		Long:    swapLong,
		Example: swapExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			o.Patterns = args
			if dash := cmd.ArgsLenAtDash(); dash >= 0 {
				o.Patterns, o.BuildFlags = args[:dash], args[dash:]
			}
			for _, pattern := range o.Patterns {
				if strings.ContainsFunc(pattern, unicode.IsControl) { // the go command would print it unescaped
					return fmt.Errorf("%q is no package: it has control characters", pattern)
				}
			}
			if o.Mod != "" && o.Mod != "mod" {
				return fmt.Errorf("--mod=%s is not served: use --mod=mod for a vendored module, or leave it out", o.Mod)
			}
			o.Version = version()
			o.Progress = func(step string) { con.Say("%s …", step) }
			result, err := swap.Build(cmd.Context(), o)
			var failed *gotool.Error
			if errors.As(err, &failed) {
				for line := range strings.Lines(failed.Output) {
					con.Say("%s", strings.TrimSuffix(line, "\n"))
				}
			}
			if err != nil {
				return err
			}
			return con.Print(swapText(result))
		},
	}
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "folder of the binaries (default: the current folder)")
	cmd.Flags().StringVar(&o.Vedette, "vedette", "", "folder of the source of Vedette (default: the source of this program's version)")
	cmd.Flags().StringVar(&o.Cache, "cache", "", "folder of the patched copies (default: vedette/swap in the cache folder of the user)")
	cmd.Flags().StringVar(&o.Mod, "mod", "", "mod: build a vendored module with the modules of go.mod")
	return cmd
}

// swapText describes the result, and how to compare it.
func swapText(r *swap.Result) string {
	var b strings.Builder
	for _, p := range r.Binaries {
		fmt.Fprintf(&b, "built %s from %s with client-go %s (EXPERIMENTAL)\n", p.Path, p.Package, r.ClientGo)
	}
	for _, p := range r.Skipped {
		fmt.Fprintf(&b, "left out %s: it uses no informer\n", p)
	}
	for _, m := range r.Raised {
		fmt.Fprintf(&b, "newer in the binary than in go.mod: %s\n", m)
	}
	name := r.Binaries[0].Path
	fmt.Fprintf(&b, `
To compare:
  1. Run the same binary twice, with the same arguments, in a test cluster and one after the other:
       VEDETTE_SWAP=off %[1]s …     client-go's informers
       %[1]s …                      this engine
  2. Read the first lines of the log. Each informer writes one of
       vedette: an informer is accelerated
       vedette: an informer is not accelerated      with the reason
  3. Compare, when the informers are synced and after an hour: the memory of the container (container_memory_working_set_bytes,
     or process_resident_memory_bytes and go_memstats_heap_inuse_bytes), its CPU (process_cpu_seconds_total), the requests
     (rest_client_requests_total), and the work done (workqueue_adds_total, controller_runtime_reconcile_total).
  4. If it uses more CPU than before, its code reads each object often: try VEDETTE_SWAP=live.

To go back, delete %[2]s. No other file has changed.
To switch for good, change imports: docs/migrating.md.
`, name, filepath.Base(name))
	return b.String()
}
