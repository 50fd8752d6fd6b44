package config

import (
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/opsgenie"
	"github.com/vedette-io/vedette/platform/notify/channel/pagerduty"
	"github.com/vedette-io/vedette/platform/notify/channel/webhook"
)

// alertKinds are the types for programs and for people on call.
var alertKinds = map[string]kind{
	"webhook": {
		fields: []string{"url", "secret", "headers", "plain"},
		read: func(s *settings) func() (channel.Channel, error) {
			s.need("url", "secret")
			o := webhook.Options{URL: s.address("url"), Keys: s.allHidden("secret"), Headers: s.headers("headers"), Plain: s.truth("plain")}
			return func() (channel.Channel, error) {
				o := o
				o.Client = s.client()
				return opened(webhook.New(o))
			}
		},
	},
	"pagerduty": {
		fields: []string{"key", "url"},
		read: func(s *settings) func() (channel.Channel, error) {
			s.need("key")
			o := pagerduty.Options{RoutingKey: s.hidden("key"), URL: s.address("url")}
			return func() (channel.Channel, error) {
				o := o
				o.Client = s.client()
				return opened(pagerduty.New(o))
			}
		},
	},
	"opsgenie": {
		fields: []string{"key", "url"},
		read: func(s *settings) func() (channel.Channel, error) {
			s.need("key")
			o := opsgenie.Options{Key: s.hidden("key"), URL: s.address("url")}
			return func() (channel.Channel, error) {
				o := o
				o.Client = s.client()
				return opened(opsgenie.New(o))
			}
		},
	},
}

// opened converts the result of a New, so that a nil pointer becomes a nil interface.
func opened[T channel.Channel](c T, err error) (channel.Channel, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}
