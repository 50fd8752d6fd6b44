package main

import (
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/notify/config"
)

// notifierSetup are the settings of a notifier.
type notifierSetup struct {
	file    *config.Config // as it was loaded last
	options config.Options
	keep    time.Duration // of deliveries that ended; 0 is the default
}

// loadSetup loads the file of notifications, and parses the settings of a notifier.
func loadSetup(o *notifyFlags, kept *messageRetention, from *settings.Settings, opts config.Options, con *console.Console) (*notifierSetup, error) {
	keep, err := kept.duration(from)
	if err != nil {
		return nil, err
	}
	file, err := o.load(con, opts)
	if err != nil {
		return nil, err
	}
	con.Say("%s and %s of %s", units.Count(len(file.Rules.Rules()), "rule"), units.Count(len(file.Channels), "channel"), file.Path)
	return &notifierSetup{file, opts, keep}, nil
}
