package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/tokenstore"
	"github.com/vedette-io/vedette/platform/portal/client"
)

func newLogout() *cobra.Command {
	var server source.ServerFlags
	cmd := &cobra.Command{
		Use:     "logout --server URL",
		Short:   "Remove the stored token for a portal",
		Long:    "The command removes the token from your settings folder. The token stays valid until it expires or its provider revokes it.",
		Example: "  vedette logout --server https://vedette.example.com",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if server.URL == "" {
				return errNoServer
			}
			c, err := client.New(server.URL, client.Options{})
			if err != nil {
				return fmt.Errorf("--server: %w", err)
			}
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			all, err := tokenstore.Open()
			if err != nil {
				return err
			}
			if _, ok := all.Get(c.Address()); !ok {
				con.Say("there is no login for %s", c.Address())
				return nil
			}
			if err := all.Put(c.Address(), nil); err != nil {
				return err
			}
			con.Say("the login for %s is removed", c.Address())
			return nil
		},
	}
	settings.AddConfig(cmd)
	server.AddFlags(cmd)
	return cmd
}
