package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/internal/table"
)

func newDoctor() *cobra.Command {
	var o recordOptions
	var output string
	cmd := &cobra.Command{
		Use:   "doctor [TYPE[,TYPE…]]",
		Short: "Check whether `vedette record` can work, and say what to do if not",
		Long: "The checks use the settings of `vedette record`: the file of --config, the rules, the rights in each cluster, versions\n" +
			"and clocks, the database and its schema, and whether each server still has the changes after the resume point. With\n" +
			"--notify they include channels (to which no message is sent), people, waiting messages and dead letters.\n" +
			"Nothing is changed. The exit code is 1 if a check has failed.",
		Example: "  # Check what a recorder of jobs and pods needs\n" +
			"  vedette doctor jobs,pods -A --db sqlite:history.db\n\n" +
			"  # Check the settings of a file, for a program\n" +
			"  vedette doctor --config vedette.yaml -o json",
		Args: oneAtMost("name the types to record, such as `vedette doctor jobs,pods`, or a file with --config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := listing.ParseFormat(output, "json"); err != nil {
				return err
			}
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			con.Progress("checking …")
			all := o.examine(cmd.Context(), args, preflight.TryWrites)
			con.Clear()
			if err := show(all, output, con); err != nil {
				return err
			}
			return preflight.Result(all)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "format: json (default: one line per check)")
	cmd.ValidArgsFunction = completes(nil, suggestClusterTypes)
	return cmd
}

// show prints the results of checks.
func show(all []preflight.Check, output string, con *console.Console) error {
	if output == "json" {
		text, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		return con.Document(string(text) + "\n")
	}
	var rows [][]string
	for _, c := range all {
		found := c.Found
		if c.Remedy != "" {
			found += "; " + c.Remedy
		}
		rows = append(rows, []string{string(c.Verdict), c.Of, c.Check, found})
	}
	return con.Print(table.Lay(rows...))
}

// examine runs all checks.
func (o *recordOptions) examine(ctx context.Context, args []string, how preflight.Access) []preflight.Check {
	f := &preflight.Findings{Of: "vedette"}
	f.OK("version", "%s", version())
	if o.settled.Path != "" {
		f.OK("configuration", "%s (%s)", o.settled.Path, o.settled.Origin("config"))
	}
	_, r, err := o.config()
	switch {
	case err != nil:
		f.Fail("rules and redaction", err)
	case r != nil:
		f.OK("rules", "%s: %s", o.watch.Rules, strings.Join(r.Types(), ", "))
	}
	d := preflight.CheckDatabase(ctx, o.db, how, f)
	if d != nil {
		defer d.Close()
	}
	if o.notify.path != "" {
		clusters := preflight.ClustersOf(o.settled)
		preflight.CheckNotifications(ctx, o.notify.path, clusters, d, f)
		preflight.CloseAll(clusters)
	}
	f.Of = "clusters"
	all, err := o.clusters(args)
	if errors.Is(err, errNoTypes) && o.notify.path != "" {
		f.OK("configuration", "no types are named: only notifications were checked")
		return f.All
	}
	if err != nil {
		f.Fail("configuration", err)
		return f.All
	}
	clusters, err := preflight.Connect(all, o.watch.connect.Namespace)
	if err != nil {
		for _, err := range explain.Flatten(err) {
			f.Fail("kubeconfig", err)
		}
		return f.All
	}
	defer preflight.CloseAll(clusters)
	for _, c := range clusters {
		f.Of = c.Name
		preflight.CheckCluster(ctx, c, d, o.checks(), f)
	}
	return f.All
}

// checks returns the settings that the checks of a cluster depend on.
func (o *recordOptions) checks() preflight.ClusterOptions {
	checks := preflight.ClusterOptions{Wait: o.wait, People: o.portal.shown(o.listen) && o.portal.asksRights(true)}
	if logs, err := o.logs.settings(o.settled); err == nil && o.logs.used() {
		checks.Logs = true
		checks.LogTypes, checks.LogNamespaces = logs.followed()
	}
	return checks
}
