package main

import (
	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/demo"
)

func newDemo() *cobra.Command {
	o := demo.Options{Version: version()}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch and record simulated training jobs, without a cluster",
		Long: "The demo starts an API server in this process and simulates training jobs that are submitted, queued, run, retried\n" +
			"and deleted. It watches them like `vedette watch jobs,pods`, records them like `vedette record`, and prints the messages\n" +
			"that `vedette notify` would send: one of its two channels fails now and then. A portal on this machine shows the jobs in the\n" +
			"browser. There and in other terminals one can submit, cancel and retry jobs, and read their logs: the demo prints the address\n" +
			"and the commands. It ends when all jobs have ended, or with Ctrl-C, and then shows\n" +
			"the number of records and the commands that read them.",
		Example: "  # Run twelve jobs\n" +
			"  vedette demo\n\n" +
			"  # Run jobs until Ctrl-C, and submit some from another terminal\n" +
			"  vedette demo --jobs 0\n\n" +
			"  # Run jobs at three times the speed until Ctrl-C, and show only failures and retries\n" +
			"  vedette demo --jobs 0 --speed 3 | grep -E 'Failed|Restarting'",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.Run(cmd.Context(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), o.Format.Color))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.DB, "db", "", "database to record in: sqlite:FILE, mysql://user@host/name or postgres://user@host/name (default: a new temporary file)")
	f.IntVar(&o.Jobs, "jobs", 12, "number of jobs; 0 means no end")
	f.Float64Var(&o.Speed, "speed", 1, "factor for the speed")
	f.BoolVar(&o.Quiet, "no-messages", false, "do not notify, and print no messages")
	f.StringVar(&o.Listen, "listen", "127.0.0.1:8080", "loopback address of the portal; empty for none; if it is taken, another port")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the simulation: the same seed gives the same jobs")
	o.Format.AddFlags(cmd)
	return cmd
}
