package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/httpserver"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
)

// notifyRunOptions are the flags of notify run.
type notifyRunOptions struct {
	db, listen string
	notify     notifyFlags
	kept       messageRetention
	start      startup
	settled    *settings.Settings
}

func newNotifyRun() *cobra.Command {
	var o notifyRunOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Send messages by the rules of a file",
		Long: "The command reads the transitions that recorders write, and sends messages until Ctrl-C. Several may run at once: they share\n" +
			"the work, also with recorders that have --notify. The first one begins with what happens from then on. A change of the file\n" +
			"or of its secrets takes effect within seconds; a file with mistakes changes nothing. At its start\n" +
			"the command waits for a database that does not answer, or that no recorder has made yet.",
		Example: "  vedette notify run --notify notify.yaml --db sqlite:history.db\n\n" +
			"  # With health and metrics\n" +
			"  vedette notify run --config vedette.yaml --listen 0.0.0.0:8081",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "auto"))
		},
	}
	o.settled = settings.AddDatabase(cmd, &o.db)
	o.notify.addFlags(cmd)
	o.kept.addFlags(cmd)
	o.start.addFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.listen, "listen", "", "address for /healthz, /readyz and /metrics, such as 127.0.0.1:8081 (default: none)")
	return cmd
}

func (o *notifyRunOptions) run(ctx context.Context, con *console.Console) error {
	clusters := preflight.ClustersOf(o.settled)
	defer preflight.CloseAll(clusters)
	setup, err := loadSetup(&o.notify, &o.kept, o.settled, preflight.WithClusters(notifyOptions(con), clusters), con)
	if err != nil {
		return err
	}
	log, s := o.start.logger(con), serving{start: &o.start}
	ready := func(ctx context.Context) error {
		if n := s.notifying(); n != nil {
			return n.ready(ctx)
		}
		return o.start.notReady("the notifier is starting")
	}
	return httpserver.ServeWhile(ctx, httpserver.Config{Addr: o.listen, Ready: ready}, con, func(ctx context.Context) error {
		d, err := o.start.database(ctx, o.db, log)
		if err != nil {
			return err
		}
		defer d.Close()
		n := newNotifier(d, setup, log)
		s.set(d, nil, nil, n, nil, nil)
		con.Say("messages about what %s records are sent\nCtrl-C ends it", d)
		return n.run(ctx)
	}, notifyCollectors(s.notifying)...)
}
