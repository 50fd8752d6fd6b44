package wecom

import (
	"testing"

	"github.com/vedette-io/vedette/notify/channel"
	"github.com/vedette-io/vedette/notify/channel/channeltest"
)

const user = "liwei"

func open(t *testing.T, s *channeltest.Server) *Channel {
	t.Helper()
	c, err := New(Options{URL: s.URL, Client: channel.NewClient(channeltest.Loopback())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestChannel(t *testing.T) {
	for name, to := range map[string]channel.Receiver{"mention": {Address: user, Name: "liwei"}, "group": {}} {
		t.Run(name, func(t *testing.T) {
			channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
				server := channeltest.NewWeCom(t)
				s := server.Subject(open(t, server), to)
				s.Inert = func(payload string) []string { return channeltest.WeComMarkup(payload, to.Address) }
				// The card opens the page of the first button, and has room for two more.
				return s
			})
		})
	}
}
