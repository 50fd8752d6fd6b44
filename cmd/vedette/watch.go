package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/kube"
)

// watchOptions are the flags of watch.
type watchOptions struct {
	connect       kube.Config
	allNamespaces bool
	labels        string
	fields        string
	rules         string
	output        string
	events        bool
	sinceNow      bool
	noHeaders     bool
	color         string
}

func newWatch() *cobra.Command {
	var o watchOptions
	var m messageFlags
	cmd := &cobra.Command{
		Use:   "watch TYPE[,TYPE…]",
		Short: "Print a line for every change of objects",
		Long: "A line has the time, the object, its old and new state, and the reason. The objects that exist are printed first, and\n" +
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
			return o.run(cmd.Context(), args[0], &m, newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), o.color))
		},
	}
	o.addFlags(cmd)
	o.addOutputFlags(cmd)
	addRules(cmd, &o.rules)
	m.addFlags(cmd)
	return cmd
}

// addFlags adds the flags that select objects.
func (o *watchOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.connect.Kubeconfig, "kubeconfig", "", "path of the kubeconfig (default: KUBECONFIG, then ~/.kube/config)")
	f.StringVar(&o.connect.Context, "context", "", "context of the kubeconfig (default: the current one)")
	f.StringVarP(&o.connect.Namespace, "namespace", "n", "", "namespace of the objects (default: that of the context)")
	f.BoolVarP(&o.allNamespaces, "all-namespaces", "A", false, "select objects of all namespaces")
	f.StringVarP(&o.labels, "selector", "l", "", "label selector, such as app=train,tier!=test")
	f.StringVar(&o.fields, "field-selector", "", "field selector, such as spec.nodeName=node-1")
}

func (o *watchOptions) addOutputFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "format: wide, json, yaml, name or jsonpath=TEMPLATE (default: one line per change)")
	f.BoolVar(&o.events, "output-watch-events", false, "print the kind of each change: ADDED, MODIFIED or DELETED")
	f.BoolVar(&o.sinceNow, "since-now", false, "omit the objects that exist already")
	f.BoolVar(&o.noHeaders, "no-headers", false, "omit the names of the columns")
	f.StringVar(&o.color, "color", "auto", "colors: auto (on a terminal, unless NO_COLOR is set), always or never")
}

// run connects, resolves the types, and watches them.
func (o *watchOptions) run(ctx context.Context, types string, m *messageFlags, con *console) error {
	format, err := newFormat(o, con)
	if err != nil {
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
	con.progress("asking %s for its types …", cluster.Host())
	targets, err := o.targets(ctx, cluster, types)
	con.clear()
	if err != nil {
		return err
	}
	return shown.beside(ctx, targets, func(ctx context.Context) error { return follow(ctx, cluster, targets, format, con) })
}

// target is one type to watch.
type target struct {
	resource  kube.Resource
	selection kube.Selection
}

// targets resolves the types that the user named.
func (o *watchOptions) targets(ctx context.Context, cluster *kube.Cluster, types string) ([]target, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, firstAnswer, fmt.Errorf("%w: no answer from %s within %v", context.DeadlineExceeded, cluster.Host(), firstAnswer))
	defer cancel()
	var targets []target
	seen := map[string]bool{}
	for name := range strings.SplitSeq(types, ",") {
		res, err := cluster.Resolve(ctx, strings.TrimSpace(name))
		if err != nil {
			if cause := context.Cause(ctx); cause != nil && ctx.Err() == context.DeadlineExceeded {
				err = cause
			}
			return nil, err
		}
		if seen[res.String()] {
			continue
		}
		seen[res.String()] = true
		selection := kube.Selection{LabelSelector: o.labels, FieldSelector: o.fields, Encoding: kube.JSONOnly}
		if res.Scope == kube.Namespaced && !o.allNamespaces {
			selection.Namespace = cluster.Namespace()
		}
		// A wrong selection must be reported before anything starts.
		if _, err := cluster.Collection(res, selection); err != nil {
			return nil, err
		}
		targets = append(targets, target{res, selection})
	}
	return targets, nil
}
