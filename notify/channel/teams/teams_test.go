package teams

import (
	"testing"

	"github.com/vedette-io/vedette/notify/channel"
	"github.com/vedette-io/vedette/notify/channel/channeltest"
)

const user = "liwei@example.com"

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
	channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
		server := channeltest.NewTeams(t)
		s := server.Subject(open(t, server), channel.Receiver{Address: user, Name: "Li Wei"})
		s.Inert = func(payload string) []string { return channeltest.TeamsMarkup(payload, user) }
		s.Check = func(payload string) []string {
			if len(payload) > maxBody {
				return []string{"too large"}
			}
			return nil
		}
		return s
	})
}
