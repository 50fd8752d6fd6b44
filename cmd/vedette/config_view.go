package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vedette-io/vedette/internal/table"
	"github.com/vedette-io/vedette/record/sqldb"
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
			"All mistakes of the file are reported at once, with their lines.",
		Example: "  vedette config view --config vedette.yaml\n  VEDETTE_DB=sqlite:history.db vedette config view jobs,pods -A",
		Args:    oneAtMost("name the types to record, or a file with --config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			con := newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			if _, _, err := o.config(); err != nil {
				return err
			}
			return con.print(o.view(args))
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
	row("config", o.settled.path, o.settled.origin("config"))
	for _, s := range settings {
		flag := o.flags.Lookup(s.name)
		if flag == nil {
			continue
		}
		value := flag.Value.String()
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ", ")
		}
		if s.name == "db" && value != "" {
			value = sqldb.Hide(value)
		}
		row(s.name, value, o.settled.origin(s.name))
	}
	for _, name := range []string{"db-user", "db-password"} {
		if os.Getenv(variable(name)) != "" {
			row(name, "(set, not shown)", variable(name))
		}
	}
	o.viewClusters(args, row)
	return table.Lay(rows...)
}

func (o *recordOptions) viewClusters(args []string, row func(name, value, from string)) {
	all, err := o.clusters(args)
	if err != nil {
		row("clusters", "", explain(err))
		return
	}
	for _, c := range all {
		name := c.name
		if name == "" {
			name = "the current context"
		}
		if c.kubeconfig != "" {
			name += " of " + c.kubeconfig
		}
		row("cluster", name, c.at)
		for _, r := range c.resources {
			from := r.at
			if from == "" {
				from = c.at
			}
			row("  "+r.typ, r.scope(), from)
		}
	}
	if len(args) == 1 && len(o.settled.file.clusters) > 0 {
		row("clusters", "not used, because types are named", o.settled.file.at)
	}
}

// scope describes which objects of a type are recorded.
func (r *resourceConfig) scope() string {
	text := "all"
	switch {
	case r.own:
		text = "the namespace of the context, or -n"
	case len(r.namespaces) > 0:
		text = strings.Join(r.namespaces, ", ")
	}
	for _, selector := range []string{r.labels, r.fields} {
		if selector != "" {
			text += " with " + selector
		}
	}
	return text
}

// plan shows what record would do. It writes nothing and creates no file.
func (o *recordOptions) plan(ctx context.Context, args []string, con *console) error {
	if err := con.print(o.view(args) + "\n"); err != nil {
		return err
	}
	con.progress("checking …")
	all := o.examine(ctx, args, reads)
	con.clear()
	if err := show(all, "", con); err != nil {
		return err
	}
	if err := verdictOf(all); err != nil {
		return fmt.Errorf("the recorder would not start: %w", err)
	}
	return con.print("\nNothing was written.\n")
}
