package main

import (
	"time"

	"github.com/vedette-io/vedette/notify/config"
)

// notifierSetup are the settings of a notifier.
type notifierSetup struct {
	file    *config.Config // as it was loaded last
	options config.Options
	keep    time.Duration // of deliveries that ended; 0 is the default
}

// loadSetup loads the file of notifications, and parses the settings of a notifier.
func loadSetup(o *notifyFlags, kept *messageRetention, from *settled, opts config.Options, con *console) (*notifierSetup, error) {
	keep, err := kept.duration(from)
	if err != nil {
		return nil, err
	}
	file, err := o.load(con, opts)
	if err != nil {
		return nil, err
	}
	con.say("%s and %s of %s", counted(len(file.Rules.Rules()), "rule"), counted(len(file.Channels), "channel"), file.Path)
	return &notifierSetup{file, opts, keep}, nil
}
