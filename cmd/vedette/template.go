package main

import "github.com/spf13/cobra"

func newTemplate() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "template",
		Aliases: []string{"templates"},
		Short:   "List, show and check the templates of jobs",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTemplateList(), newTemplateShow(), newTemplateCheck())
	return cmd
}
