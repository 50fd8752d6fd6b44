package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/internal/table"
	"github.com/vedette-io/vedette/record"
)

func migrate(ctx context.Context, d *record.Database, con *console) error {
	con.progress("looking at the schema of %s …", d)
	applied, err := d.Migrate(ctx)
	con.clear()
	for _, m := range applied {
		con.say("the schema of %s: %s", d, m.Name)
	}
	return err
}

func newMigrate() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "migrate status|up",
		Short: "Show or bring up to date the schema of the database",
		Long: "Show which steps of the schema the database has, or take those that are missing. `vedette record` takes them by\n" +
			"itself; this is for who wants to do it before, with other rights.",
		Example:   "  vedette migrate status --db postgres://vedette@db/history\n  vedette migrate up --db postgres://admin@db/history",
		ValidArgs: []string{"status", "up"},
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			con := newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			open := record.Inspect
			if args[0] == "up" {
				open = record.Open
			}
			d, err := openWith(cmd.Context(), url, open)
			if err != nil {
				return err
			}
			defer d.Close()
			if args[0] == "up" {
				if err := migrate(cmd.Context(), d, con); err != nil {
					return err
				}
			}
			steps, err := d.Migrations(cmd.Context())
			layout := table.New(30)
			for _, m := range steps {
				when := "not applied"
				if m.Applied {
					when = m.At.Local().Format(time.DateTime)
				}
				if err := con.print(layout.Row(m.Name, when)); err != nil {
					return err
				}
			}
			return err
		},
	}
	addDatabase(cmd, &url)
	return cmd
}
