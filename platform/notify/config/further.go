package config

import (
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/shoutrrr"
)

// furtherKinds are the types for services that a URL identifies.
var furtherKinds = map[string]kind{
	"shoutrrr": {
		fields: []string{"url"},
		read: func(s *settings) func() (channel.Channel, error) {
			s.need("url")
			o := shoutrrr.Options{URL: s.hidden("url"), Guard: s.network.guard}
			return func() (channel.Channel, error) { return opened(shoutrrr.New(o)) }
		},
	},
}
