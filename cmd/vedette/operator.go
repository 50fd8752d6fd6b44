package main

import (
	"cmp"
	"os"
	"os/user"

	"github.com/spf13/cobra"
)

// operatorFlags name the person who runs a command, for the audit.
type operatorFlags struct{ by string }

func (o *operatorFlags) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.by, "by", "", "your name, which is stored in the audit (default: the user of the system)")
}

// name returns the name of the person who runs the command.
func (o *operatorFlags) name() string {
	if o.by != "" {
		return o.by
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return cmp.Or(os.Getenv("USER"), "unknown")
}
