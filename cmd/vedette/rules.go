package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/platform/rules"
)

const rulesUsage = "file with rules for the types and states of others (default: VEDETTE_RULES)"

// addRulesSetting adds the flag to a command that reads the file itself.
func addRulesSetting(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "rules", "", rulesUsage)
}

// addRules adds the flag with the file of rules to all commands. Before a command runs, the
// types of jobs in the file become known to the program. The flag may also be a setting of
// the command, whose value is known only then.
func addRules(root *cobra.Command) {
	root.PersistentFlags().String("rules", "", rulesUsage)
	visitCommands(root, func(cmd *cobra.Command) {
		run := cmd.RunE
		if run == nil {
			return
		}
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if err := defineKinds(rulesOf(cmd)); err != nil && cmd.Name() != "doctor" { // it reports the mistakes
				return err
			}
			return run(cmd, args)
		}
	})
}

func visitCommands(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, sub := range cmd.Commands() {
		visitCommands(sub, f)
	}
}

// rulesOf returns the path of the file of rules, "" for none.
func rulesOf(cmd *cobra.Command) string {
	return cmp.Or(cmd.Flag("rules").Value.String(), os.Getenv(settings.Variable("rules")))
}

// defineKinds makes the types of jobs in a file of rules known.
func defineKinds(path string) error {
	if path == "" {
		return nil
	}
	r, err := rules.Load(path)
	if err != nil {
		return err
	}
	if err := r.Define(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
