package main

import (
	"context"
	"log/slog"

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
	settled    *settings.Settings
}

func newNotifyRun() *cobra.Command {
	var o notifyRunOptions
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Send messages by the rules of a file",
		Long: "The command reads the transitions that recorders write, and sends messages until Ctrl-C. Several may run at once: they share\n" +
			"the work, also with recorders that have --notify. The first one begins with what happens from then on. A change of the file\n" +
			"or of its secrets takes effect within seconds; a file with mistakes changes nothing.",
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
	d, err := settings.OpenDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	n := newNotifier(d, setup, slog.New(slog.NewTextHandler(console.LogWriter{Con: con}, nil)))
	return httpserver.ServeWhile(ctx, httpserver.Config{Addr: o.listen, Ready: n.ready}, con, func(ctx context.Context) error {
		con.Say("messages about what %s records are sent\nCtrl-C ends it", d)
		return n.run(ctx)
	}, notifyCollectors(func() *notifier { return n })...)
}
