package config

import (
	"os"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/event"
	"github.com/vedette-io/vedette/platform/notify/channel/stdout"
)

// localKinds are the types that need no external service.
var localKinds = map[string]kind{
	"event": {
		read: func(s *settings) func() (channel.Channel, error) {
			o := event.Options{Clusters: s.options.Clusters, Instance: s.options.Instance}
			return func() (channel.Channel, error) { return opened(event.New(o)) }
		},
	},
	"stdout": {
		read: func(s *settings) func() (channel.Channel, error) {
			o := stdout.Options{Out: s.options.Stdout, Location: s.channel.Location}
			if o.Out == nil {
				o.Out, o.Style = os.Stdout, stdout.StyleOf(os.Stdout, s.options.getenv)
			}
			if o.Location == nil {
				o.Location = s.zone
			}
			return func() (channel.Channel, error) { return opened(stdout.New(o)) }
		},
	},
}
