package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/preflight"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/internal/table"
	"github.com/vedette-io/vedette/platform/sqldb"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the settings of a command",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var o recordOptions
	view := &cobra.Command{
		Use:   "view [TYPE[,TYPE…]]",
		Short: "Show each setting of `vedette record`, and where it comes from",
		Long: "The settings are those that `vedette record` has with the same flags, environment and file. Passwords are not shown.\n" +
			"The command reports all mistakes of the file at once, with their lines.",
		Example: "  vedette config view --config vedette.yaml\n  VEDETTE_DB=sqlite:history.db vedette config view jobs,pods -A",
		Args:    oneAtMost("name the types to record, or a file with --config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			if _, _, err := o.config(); err != nil {
				return err
			}
			return con.Print(o.view(args))
		},
	}
	o.addFlags(view)
	cmd.AddCommand(view)
	return cmd
}

// view returns all settings as a table.
func (o *recordOptions) view(args []string) string {
	var rows [][]string
	row := func(name, value, from string) { rows = append(rows, []string{name, cmp.Or(value, "-"), from}) }
	row("SETTING", "VALUE", "FROM")
	row("config", o.settled.Path, o.settled.Origin("config"))
	for _, s := range settings.All {
		flag := o.flags.Lookup(s.Name)
		if flag == nil {
			continue
		}
		value := flag.Value.String()
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ", ")
		}
		if s.Name == "db" && value != "" {
			value = sqldb.Hide(value)
		}
		row(s.Name, value, o.settled.Origin(s.Name))
	}
	for _, name := range []string{"db-user", "db-password"} {
		if os.Getenv(settings.Variable(name)) != "" {
			row(name, "(set, not shown)", settings.Variable(name))
		}
	}
	o.viewClusters(args, row)
	return table.Lay(rows...)
}

func (o *recordOptions) viewClusters(args []string, row func(name, value, from string)) {
	all, err := o.clusters(args)
	if err != nil {
		row("clusters", "", explain.Line(err))
		return
	}
	for _, c := range all {
		name := c.Name
		if name == "" {
			name = "the current context"
		}
		if c.Kubeconfig != "" {
			name += " of " + c.Kubeconfig
		}
		row("cluster", name, c.At)
		for _, r := range c.Resources {
			from := r.At
			if from == "" {
				from = c.At
			}
			row("  "+r.Typ, r.Scope(), from)
		}
	}
	if len(args) == 1 && len(o.settled.File.Clusters) > 0 {
		row("clusters", "not used, because types are named", o.settled.File.At)
	}
}

// plan shows the effect of record. It writes nothing and creates no file.
func (o *recordOptions) plan(ctx context.Context, args []string, con *console.Console) error {
	if err := con.Print(o.view(args) + "\n"); err != nil {
		return err
	}
	con.Progress("checking …")
	all := o.examine(ctx, args, preflight.ReadOnly)
	con.Clear()
	if err := show(all, "", con); err != nil {
		return err
	}
	if err := preflight.Result(all); err != nil {
		return fmt.Errorf("the recorder would not start: %w", err)
	}
	return con.Print("\nNothing was written.\n")
}
