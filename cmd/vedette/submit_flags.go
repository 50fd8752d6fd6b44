package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
)

// submitOptions are the flags of submit.
type submitOptions struct {
	jobSource
	key       string
	again     bool
	dryRun    bool
	hold      bool
	output    string
	wait      bool
	follow    bool
	any       bool
	timeout   time.Duration
	color     string
	namespace string // of --namespace only
	server    source.ServerFlags
	cluster   string // of the portal
}

// anyHelp is the help of --any.
const anyHelp = "with --wait and --follow: count the job of --key although it had ended before the command began"

// check returns an error for flags that contradict each other.
func (o *submitOptions) check() error {
	if err := o.checkFlags(); err != nil {
		return err
	}
	return o.checkSource()
}

// checkFlags is check for the flags that do not name the job.
func (o *submitOptions) checkFlags() error {
	waits := o.wait || o.follow
	switch {
	case o.dryRun && waits:
		return errors.New("a dry run creates no job to wait for; leave out --dry-run, or --wait and --follow")
	case o.any && !waits:
		return errors.New("--any is for --wait and --follow")
	case o.timeout != 0 && !waits:
		return errors.New("--timeout is for --wait and --follow")
	case o.timeout < 0:
		return errors.New("--timeout is negative")
	}
	switch o.color {
	case "auto", "always", "never", "":
	default:
		return fmt.Errorf("--color is %q, want auto, always or never", o.color)
	}
	_, err := listing.ParseFormat(o.output, "yaml", "json", "name")
	return err
}
