package pagerduty

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// TestSuite: the channel passes the suite of all channels.
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

// TestDetailsFit: a digest of many jobs has at most 8 KB of details.
func TestDetailsFit(t *testing.T) {
	for _, m := range []*message.Message{channeltest.HugeDigest(message.Chinese), channeltest.Huge(message.English)} {
		a := newAlert(routingKey, m)
		text, err := json.Marshal(a.Payload.Details)
		if err != nil || len(text) > maxDetails || len(m.Sections) > 0 && len(text) < maxDetails/2 {
			t.Errorf("got %d bytes and error %v, want at most %d, and half of it for a digest", len(text), err, maxDetails)
		}
	}
}
