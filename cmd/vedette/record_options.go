package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/rules"
)

// recordOptions are the settings of record, doctor and config view.
type recordOptions struct {
	watch   watchOptions
	settled *settings.Settings
	flags   *pflag.FlagSet
	db      string
	kept    retentionFlags
	notify  notifyFlags
	letters messageRetention
	logs    keepLogsFlags
	traces  tracesFlags
	shared  joinFlags
	portal  recordPortal
	redact  []string
	name    string
	spill   string
	listen  string
	wait    bool
	start   startup
	dryRun  bool
}

// addFlags adds the settings of record.
func (o *recordOptions) addFlags(cmd *cobra.Command) {
	o.watch.addFlags(cmd)
	addRulesSetting(cmd, &o.watch.Rules)
	o.settled = settings.AddDatabase(cmd, &o.db)
	o.kept.addFlags(cmd)
	o.notify.addFlags(cmd)
	o.letters.addFlags(cmd)
	o.logs.addFlags(cmd)
	o.traces.addFlags(cmd)
	o.shared.addFlags(cmd)
	o.portal.addFlags(cmd)
	f := cmd.Flags()
	o.flags = f
	f.Lookup("context").Usage = "contexts of the kubeconfig, separated by commas (default: the current one)"
	f.StringSliceVar(&o.redact, "redact", nil, "fields that are not stored, such as spec.template.spec.containers.env")
	f.StringVar(&o.name, "name", "", "name of this recorder, different from all others (default: the name of the host)")
	f.StringVar(&o.spill, "spill", "", "folder for changes that arrive while the database is away (default: none; the recorder then stops reading from the server)")
	f.StringVar(&o.listen, "listen", "", "address for /healthz, /readyz and /metrics, and for the portal, such as 127.0.0.1:8080 (default: none)")
	f.BoolVar(&o.portal.on, "portal", true, "show the portal at the address of --listen, if that is a loopback address or people have to sign in")
	o.start.addFlags(f)
	f.BoolVar(&o.wait, "wait-for-types", false, "start even if a cluster does not answer, or a type is not served or may not be listed, and record it as soon as possible")
}

// oneAtMost accepts at most one argument. remedy is the error for other arguments.
func oneAtMost(remedy string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 || len(args) == 1 && args[0] == "" {
			return fmt.Errorf("%s (see `%s --help`)", remedy, cmd.CommandPath())
		}
		return nil
	}
}

var errNoTypes = errors.New("name the types to record, such as `vedette record jobs,pods`, or clusters in the file of --config")

// clusters returns the clusters and types to record, from the command line or, if it names no
// types, from the file.
func (o *recordOptions) clusters(args []string) ([]settings.ClusterConfig, error) {
	if len(args) == 1 {
		return o.watch.named(args[0])
	}
	all := o.settled.File.Clusters
	if len(all) == 0 {
		return nil, errNoTypes
	}
	w := &o.watch
	if w.connect.Context+w.connect.Kubeconfig+w.connect.Namespace+w.Labels+w.Fields != "" || w.AllNamespaces {
		return nil, fmt.Errorf("--context, --kubeconfig, -n, -A and selectors need types on the command line; the clusters of %s have their own", o.settled.Path)
	}
	return all, nil
}

// config returns the part of the configuration that is the same for all clusters, and
// the rules, if there are any.
func (o *recordOptions) config() (cfg record.Config, r *rules.Rules, err error) {
	cfg = record.Config{Name: o.name, Redact: o.redact, Spill: record.Spill{Dir: o.spill}}
	for _, text := range o.redact {
		if err := record.CheckFieldPath(text); err != nil {
			return cfg, nil, fmt.Errorf("%s: %w", o.settled.Origin("redact"), err)
		}
	}
	if _, err := o.kept.policy(o.settled); err != nil {
		return cfg, nil, err
	}
	if _, err := o.letters.duration(o.settled); err != nil {
		return cfg, nil, err
	}
	if _, err := o.logs.settings(o.settled); err != nil {
		return cfg, nil, err
	}
	if _, err := o.traces.config(o.settled); err != nil {
		return cfg, nil, err
	}
	if o.watch.Rules != "" {
		if r, err = rules.Load(o.watch.Rules); err != nil {
			return cfg, nil, err
		}
		cfg.State = r.Of
	}
	return cfg, r, nil
}
