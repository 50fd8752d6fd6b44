package pagerduty

import (
	"net/http"
	"testing"

	"github.com/vedette-io/vedette/notify/channel"
	"github.com/vedette-io/vedette/notify/channel/channeltest"
)

// TestSuite: the channel passes the tests of all channels.
func TestSuite(t *testing.T) {
	channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
		fake := &service{open: map[string]map[string]any{}}
		server := channeltest.NewPlain(t, channeltest.Plain{Token: routingKey, OK: http.StatusAccepted, Check: fake.check})
		c, err := New(Options{RoutingKey: server.Token, URL: server.URL + "/v2/enqueue", Client: channel.NewClient(channeltest.Loopback())})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return server.Subject(c, channel.Receiver{})
	})
}
