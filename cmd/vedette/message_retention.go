package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
)

// messageRetention is the flag for how long messages are kept after they were sent or discarded.
type messageRetention struct{ keep string }

func (o *messageRetention) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.keep, "keep-messages", "", "how long messages and dead letters are kept after their end, such as 90d (default: 30d)")
}

// duration parses the flag; 0 is the default.
func (o *messageRetention) duration(from *settings.Settings) (time.Duration, error) {
	if o.keep == "" {
		return 0, nil
	}
	d, err := parseAge(o.keep)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", from.Origin("keep-messages"), err)
	}
	return d, nil
}
