package notify

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/config"
)

// outlet is a channel of the file, whether it is open or not.
type outlet struct {
	config  *config.Channel
	channel channel.Channel // nil if it cannot be opened
	err     error
}

// openOutlets opens the channels of a file. Unchanged channels stay open.
func openOutlets(file *config.Config, before map[string]*outlet, open func(*config.Channel) (channel.Channel, error)) map[string]*outlet {
	all := map[string]*outlet{}
	for _, name := range slices.Sorted(maps.Keys(file.Channels)) {
		c := file.Channels[name]
		if was := before[name]; was != nil && was.channel != nil && c.Same(was.config) {
			all[name] = &outlet{config: c, channel: was.channel}
			continue
		}
		o := &outlet{config: c}
		if o.channel, o.err = open(c); o.err != nil {
			o.channel, o.err = nil, fmt.Errorf("channel %s (%s): %w", name, c.At, o.err)
		}
		all[name] = o
	}
	return all
}

// channelsOf returns the channels that are open.
func channelsOf(all map[string]*outlet) map[string]channel.Channel {
	opened := map[string]channel.Channel{}
	for name, o := range all {
		if o.channel != nil {
			opened[name] = o.channel
		}
	}
	return opened
}

// digestsOf returns the channels that prefer digests.
func digestsOf(all map[string]*outlet) map[string]bool {
	waits := map[string]bool{}
	for name, o := range all {
		waits[name] = o.channel != nil && o.channel.Traits().DigestByDefault
	}
	return waits
}
