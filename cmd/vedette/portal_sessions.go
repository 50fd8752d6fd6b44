package main

import (
	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// newEndSessions returns the command that ends the sessions of a person.
func newEndSessions() *cobra.Command {
	var server source.ServerFlags
	cmd := &cobra.Command{
		Use:   "end-sessions PERSON",
		Short: "End all sessions of a person, for operators",
		Long: "The person is signed out of all browsers, at all replicas within 3 seconds, and may sign in again: first lock the account\n" +
			"at the identity provider, or remove the token. Tokens that programs send are not sessions: revoke them where they\n" +
			"were issued. PERSON is the name that the portal shows, such as anna or cluster:prod:anna.",
		Example: "  vedette portal end-sessions anna --server https://vedette.example.com",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if server.URL == "" {
				return errNoServer
			}
			c, err := server.Client()
			if err != nil {
				return err
			}
			act, err := c.EndSessions(cmd.Context(), api.EndSessionsRequest{Person: args[0]})
			if err != nil {
				return err
			}
			console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never").Say("%s", act.Done)
			return nil
		},
	}
	settings.AddConfig(cmd)
	server.AddFlags(cmd)
	return cmd
}
