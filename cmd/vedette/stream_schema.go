package main

import (
	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/platform/send/stream"
)

func newStreamSchema() *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of the events",
		Long:    "The schema describes the data of the events that `vedette stream` sends.",
		Example: "  vedette stream schema > transition.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(stream.Schema())
			return err
		},
	}
}
