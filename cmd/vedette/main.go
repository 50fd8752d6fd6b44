// Command vedette watches Kubernetes clusters and records their history.
//
//	vedette watch jobs,pods -A
//	vedette demo
//
// `vedette help` lists all commands with examples.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/klog/v2"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/invocation"
	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/internal/printable"
)

func main() {
	// Libraries write log lines of their own, which may contain text from a server.
	slog.SetDefault(slog.New(slog.NewTextHandler(printable.NewWriter(os.Stderr), nil)))
	klog.SetSlogLogger(slog.Default())
	console.EnableEscapes(os.Stdout)
	console.EnableEscapes(os.Stderr)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second Ctrl-C ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// run is the program without the process around it. args begin with the name of the
// program, as os.Args. It returns the exit code, one of exitMeanings.
//
// Everything written to the outputs is escaped, because it may contain untrusted text;
// see console for the exceptions.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	stdout, stderr = printable.NewWriter(stdout), printable.NewWriter(stderr)
	name, args := args[0], args[1:]
	if invocation.Completes(name) {
		args = append([]string{cobra.ShellCompRequestCmd}, args...)
	}
	root := newRoot(stdout, stderr, completionsFor(args))
	rename := nameCommands(root, name)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	code := exitFailure
	var exit errExit
	switch {
	case oscompat.PipeClosed(err):
		return exitSuccess // the reader of the output has closed it
	case errors.As(err, &exit):
		if code, err = exit.code, exit.error; err.Error() == "" {
			return code
		}
	case err == nil, ctx.Err() != nil:
		return exitSuccess
	}
	said := ""
	for _, err := range explain.Flatten(err) {
		if text := rename(explain.Line(err)); text != said { // several types or clusters may have the same error
			complain(stderr, text)
			said = text
		}
	}
	return code
}

func complain(stderr io.Writer, text string) {
	fmt.Fprintf(stderr, "vedette: %s\n", printable.Line(text))
}

// helpTemplate begins with the examples.
const helpTemplate = `{{.Short}}.
{{with .Example}}
Examples:
{{.}}
{{end}}{{with .Long}}
{{.}}
{{end}}
{{.UsageString}}`

// usageTemplate shows the form of a command, its subcommands and its flags.
const usageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

See "{{.CommandPath}} COMMAND --help" for the examples and flags of a command.{{end}}
`

// refuseEmpty refuses empty values of flags that name a source. A script gives one if its variable is
// not set, and the command would silently read from another source.
func refuseEmpty(flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if f := flags.Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s is empty: give a value, or leave the flag out", name)
		}
	}
	return nil
}

// newRoot returns the command that contains all others.
func newRoot(stdout, stderr io.Writer, c completions) *cobra.Command {
	root := &cobra.Command{
		Use:   "vedette",
		Short: "Watch every change in Kubernetes clusters, and record their history",
		Long:  "Kubeconfig, contexts, namespaces and selectors work as in kubectl.",
		Example: "  # Watch and record simulated jobs, without a cluster\n" +
			"  vedette demo\n\n" +
			"  # Watch the jobs and pods of all namespaces\n" +
			"  vedette watch jobs,pods -A\n\n" +
			"  # Record them, and read the history\n" +
			"  vedette record jobs,pods -A --db sqlite:history.db\n" +
			"  vedette history jobs -A --db sqlite:history.db",
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return refuseEmpty(cmd.Flags(), "db", "server", "config")
		},
	}
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(newJobs(c), newCancel(c), newRetry(c), newRelease(c))
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w (see `%s --help`)", err, c.CommandPath())
	})
	root.AddCommand(newVersion(), newWatch(), newRecord(), newHistory(c), newShow(c), newDiff(c), newStats(c), newGaps(c), newWait(c), newMigrate(), newPrune(), newErase(), newDoctor(), newConfig(), newSubmit(), newLogs(c), newTemplate(), newDemo(), newNotify(), newStream(), newExport(), newShards(), newPortal(), newDeadletter(), newSubscribe(), newAck(), newLogin(), newLogout(), newSwap(), newNew(), newDebug(printed))
	addRules(root)
	c.addAll(root)
	return root
}

// printed returns what a command prints, with its error.
func printed(args ...string) []byte {
	var text bytes.Buffer
	root := newRoot(&text, &text, completions(false))
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(&text, err)
	}
	return text.Bytes()
}
