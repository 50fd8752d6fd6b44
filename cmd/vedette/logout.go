package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/portal/client"
)

func newLogout() *cobra.Command {
	var server serverFlags
	cmd := &cobra.Command{
		Use:     "logout --server URL",
		Short:   "Forget the token for a portal",
		Long:    "The token is removed from the folder of your settings. It stays valid until its end, or until its provider ends it.",
		Example: "  vedette logout --server https://vedette.example.com",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if server.url == "" {
				return errNoServer
			}
			c, err := client.New(server.url, client.Options{})
			if err != nil {
				return fmt.Errorf("--server: %w", err)
			}
			con := newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			all, err := openKeys()
			if err != nil {
				return err
			}
			if _, ok := all.of(c.Address()); !ok {
				con.say("there is no login for %s", c.Address())
				return nil
			}
			if err := all.put(c.Address(), nil); err != nil {
				return err
			}
			con.say("the login for %s is removed", c.Address())
			return nil
		},
	}
	addConfig(cmd)
	server.addFlags(cmd)
	return cmd
}
