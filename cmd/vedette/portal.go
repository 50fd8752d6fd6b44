package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/httpserver"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// portalOptions are the flags of portal.
type portalOptions struct {
	db, listen string
	connect    kube.Config
	portalFlags
	notify  notifyFlags
	metrics bool
	browser bool
	replica string
	most    time.Duration // maximum age of the rows of the replica
	start   startup
	settled *settings.Settings
}

func newPortal() *cobra.Command {
	var o portalOptions
	cmd := &cobra.Command{
		Use:   "portal",
		Short: "Show jobs and their history in the browser",
		Long: "The portal shows what recorders write to a database: jobs, their timelines, why they wait, why they failed, their logs, and\n" +
			"statistics. It has a JSON API under /api/v1. Several portals may use one database.\n\n" +
			"Without other settings it listens on the loopback address, and is open to the user who runs it: the printed address has a\n" +
			"token, which `vedette portal url` repeats, and commands with --server find it by themselves. Any other address needs a way\n" +
			"to sign in: --sign-in-tokens, --sign-in-clusters, --oidc-issuer or --trusted-proxy. If people sign in and the portal\n" +
			"reaches a cluster, its API server decides which namespaces a person sees; --rights=false shows all. Jobs are submitted, stopped and retried through the contexts of --context, or the clusters of the\n" +
			"file of --config. The names of these clusters must be those of the recorder.",
		Example: "  # Show the history in a file\n" +
			"  vedette portal --db sqlite:history.db\n\n" +
			"  # For a team, with OpenID Connect and the rights of the cluster\n" +
			"  vedette portal --db postgres://vedette@db/history --context prod --listen :8443 --tls-cert tls.crt --tls-key tls.key \\\n" +
			"    --portal-url https://vedette.example.com --oidc-issuer https://id.example.com --oidc-client vedette\n\n" +
			"  # Behind a proxy that signs people in\n" +
			"  vedette portal --config vedette.yaml --listen 0.0.0.0:8080 --trusted-proxy 10.0.0.0/24",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.settled = settings.AddDatabase(cmd, &o.db)
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", defaultPortal, "address of the portal")
	f.BoolVar(&o.metrics, "metrics", false, "serve /metrics at the same address, without sign-in")
	f.StringVar(&o.replica, "read-replica", "", "URL of a replica of the database, which answers queries about histories and logs while it is recent (default: none)")
	f.DurationVar(&o.most, "read-replica-max-age", 5*time.Second, "age from which the database answers instead of the replica")
	f.BoolVar(&o.browser, "open", false, "open the portal in the browser")
	addConnection(cmd, &o.connect)
	f.Lookup("context").Usage = "contexts of the kubeconfig, separated by commas (default: the clusters of --config, else the current context)"
	o.notify.addFlags(cmd)
	o.start.addFlags(f)
	o.portalFlags.addFlags(cmd)
	cmd.AddCommand(newPortalURL(), newEndSessions())
	return cmd
}

// clusters connects to the clusters. Without a kubeconfig it returns none, unless flags name some.
func (o *portalOptions) clusters() ([]*preflight.Cluster, error) {
	if o.connect.Context+o.connect.Kubeconfig == "" {
		return preflight.ClustersOf(o.settled), nil
	}
	w := watchOptions{connect: o.connect}
	all, err := w.named("jobs")
	if err != nil {
		return nil, err
	}
	return preflight.Connect(all, "")
}

func (o *portalOptions) run(ctx context.Context, con *console.Console) error {
	log := o.start.logger(con)
	d, err := o.start.database(ctx, o.db, log)
	if err != nil {
		return err
	}
	defer d.Close()
	clusters, err := o.clusters()
	if err != nil {
		return err
	}
	defer preflight.CloseAll(clusters)
	var file *config.Config
	if o.notify.path != "" {
		if file, err = o.notify.load(con, preflight.WithClusters(notifyOptions(con), clusters)); err != nil {
			return err
		}
	}
	cfg := portal.Config{DB: d, Clusters: reached(clusters), Notify: file, Metrics: o.metrics, Logger: log}
	if o.local, err = o.localToken(con); err != nil {
		return err
	}
	if err := o.fill(&cfg, o.listen); err != nil {
		return err
	}
	if o.replica != "" {
		if cfg.Replica, err = sqldb.OpenReplica(d, o.replica, o.most, func() *slog.Logger { return cfg.Logger }); err != nil {
			return fmt.Errorf("--read-replica: %w", err)
		}
		defer cfg.Replica.Close()
	}
	p, err := portal.New(cfg)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w; use a free address of the form HOST:PORT, such as 127.0.0.1:8090", o.listen, err)
	}
	address := httpserver.Address(listener.Addr(), p.TLS(), o.url)
	con.Say("the portal shows %s", d)
	httpserver.Announce(con, "open", address, o.local)
	con.Say("Ctrl-C ends it")
	if o.browser {
		defer openBrowser(ctx, address, o.local, con)()
	}
	return p.Serve(ctx, listener)
}

// reached returns clusters in the form of the portal.
func reached(clusters []*preflight.Cluster) (all []access.Cluster) {
	for _, c := range clusters {
		all = append(all, access.Cluster{Name: c.Name, Kube: c.Cluster})
	}
	return all
}
