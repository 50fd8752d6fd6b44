package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/watchview"
	"github.com/vedette-io/vedette/kube"
)

// watchOptions are the flags of watch.
type watchOptions struct {
	connect kube.Config
	watchview.Selection
	watchview.Options
}

func newWatch() *cobra.Command {
	var o watchOptions
	var m messageFlags
	cmd := &cobra.Command{
		Use:   "watch TYPE[,TYPE…]",
		Short: "Print a line for every change of objects",
		Long: "A line has the time, the object, its old and new state, and the reason. The state of a job includes what its pods say,\n" +
			"if they may be listed. The objects that exist are printed first, and\n" +
			"then every change, until Ctrl-C. If the server is away, watch reports that, and resumes at the last change when the\n" +
			"server is back.\n\n" +
			"Changes go to standard output; progress and faults go to standard error.",
		Example: "  # Watch the jobs and pods of the current namespace\n" +
			"  vedette watch jobs,pods\n\n" +
			"  # Watch pods with a label in all namespaces, without those that exist\n" +
			"  vedette watch pods -A -l app=train --since-now\n\n" +
			"  # Print every revision of a custom resource as JSON for another program\n" +
			"  vedette watch pytorchjobs.kubeflow.org -o json --output-watch-events | jq .object.status\n\n" +
			"  # Use rules for the states of another type\n" +
			"  vedette watch experiments.example.com --rules rules.yaml\n\n" +
			"  # Print also what is sent to people about the jobs\n" +
			"  vedette watch jobs --messages --db postgres://vedette@db/history\n\n" +
			"  # Print one field of each object\n" +
			"  vedette watch pods -o jsonpath='{.metadata.name} {.status.phase}'",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return errors.New("name the types to watch, such as `vedette watch jobs,pods` (see `vedette watch --help`)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], &m, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), o.Color))
		},
	}
	o.addFlags(cmd)
	o.Options.AddFlags(cmd)
	addRulesSetting(cmd, &o.Rules)
	m.addFlags(cmd)
	cmd.ValidArgsFunction = completes(nil, suggestClusterTypes)
	return cmd
}

// addFlags adds the flags that select objects.
func (o *watchOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.connect.Kubeconfig, "kubeconfig", "", "path of the kubeconfig (default: KUBECONFIG, then ~/.kube/config)")
	f.StringVar(&o.connect.Context, "context", "", "context of the kubeconfig (default: the current one)")
	f.StringVarP(&o.connect.Namespace, "namespace", "n", "", "namespace of the objects (default: that of the context)")
	f.BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "select objects of all namespaces")
	f.StringVarP(&o.Labels, "selector", "l", "", "label selector, such as app=train,tier!=test")
	f.StringVar(&o.Fields, "field-selector", "", "field selector, such as spec.nodeName=node-1")
}

// run connects, resolves the types, and watches them.
func (o *watchOptions) run(ctx context.Context, types string, m *messageFlags, con *console.Console) error {
	format, err := watchview.NewFormat(&o.Options, con)
	if err != nil {
		return err
	}
	if _, err := source.ParseLabels(o.Labels); err != nil {
		return err
	}
	shown, err := m.open(ctx, format, con)
	if err != nil {
		return err
	}
	defer shown.close()
	cluster, err := kube.Connect(o.connect)
	if err != nil {
		return err
	}
	defer cluster.Close()
	con.Progress("asking %s for its types …", cluster.Host())
	targets, err := o.Targets(ctx, cluster, types)
	con.Clear()
	if err != nil {
		return err
	}
	return shown.beside(ctx, targets, func(ctx context.Context) error { return watchview.Follow(ctx, cluster, targets, format, con) })
}
