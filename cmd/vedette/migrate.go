package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/internal/table"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// migrate applies missing migrations and reports them.
func migrate(ctx context.Context, d *sqldb.DB, con *console.Console) error {
	con.Progress("checking the schema of %s …", d)
	applied, err := d.Migrate(ctx)
	con.Clear()
	for _, m := range applied {
		con.Say("the schema of %s: %s", d, m.Name)
	}
	return err
}

func newMigrate() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "migrate status|up",
		Short: "Show or update the schema of the database",
		Long: "`vedette record` applies missing migrations when it starts. This command applies them before that, for example as a\n" +
			"user with more rights.",
		Example: "  # Show which migrations the database has\n" +
			"  vedette migrate status --db postgres://vedette@db/history\n\n" +
			"  # Apply those that are missing\n" +
			"  vedette migrate up --db postgres://admin@db/history",
		ValidArgs: []string{"status", "up"},
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			open := sqldb.Inspect
			if args[0] == "up" {
				open = sqldb.Open
			}
			d, err := settings.OpenWith(cmd.Context(), url, open)
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
				if m.Newer {
					when += " by a newer version"
				}
				if err := con.Print(layout.Row(m.Name, when)); err != nil {
					return err
				}
			}
			return err
		},
	}
	settings.AddDatabase(cmd, &url)
	return cmd
}
