package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// notifyOptions are the options of a file whose channels may print.
func notifyOptions(con *console.Console) config.Options {
	return config.Options{Stdout: console.StyledWriter{Con: con}}
}

// notifyFlags name the file of people, channels and rules. The path is set when the
// command runs; see settings.AddConfig.
type notifyFlags struct{ path string }

func (o *notifyFlags) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.path, "notify", "", "file with the people, channels and rules of notifications (default: VEDETTE_NOTIFY)")
}

var errNoNotify = errors.New("no file of notifications is named: use --notify notify.yaml, VEDETTE_NOTIFY, or notify in the file of --config")

// load reads the file, and prints its warnings.
//
// Errors: errNoNotify; those of config.Load.
func (o *notifyFlags) load(con *console.Console, opts config.Options) (*config.Config, error) {
	if o.path == "" {
		return nil, errNoNotify
	}
	c, err := config.Load(o.path, opts)
	if err != nil {
		return nil, err
	}
	for _, warning := range c.Warnings {
		con.Say("warning: %s", warning)
	}
	return c, nil
}

// channelOf returns a channel of the file by its name.
func channelOf(c *config.Config, name string) (*config.Channel, error) {
	if ch := c.Channels[name]; ch != nil {
		return ch, nil
	}
	if len(c.Channels) == 0 {
		return nil, fmt.Errorf("%s has no channels", c.Path)
	}
	return nil, fmt.Errorf("%s has no channel %q; it has %s", c.Path, name, strings.Join(slices.Sorted(maps.Keys(c.Channels)), ", "))
}

// rulesTo returns the names of the rules that name a channel.
func rulesTo(c *config.Config, channel string) (names []string) {
	to := func(t rule.Target) bool { return t.Channel == channel }
	for _, r := range c.Rules.Rules() {
		escalates := r.Escalate != nil && slices.ContainsFunc(r.Escalate.To, to)
		if slices.ContainsFunc(r.To, to) || slices.ContainsFunc(r.Fallback, to) || escalates {
			names = append(names, r.Name)
		}
	}
	return names
}
