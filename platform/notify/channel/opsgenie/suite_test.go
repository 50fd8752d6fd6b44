package opsgenie

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
		fake := &service{open: map[string]map[string]any{}, counts: map[string]int{}}
		server := channeltest.NewPlain(t, channeltest.Plain{Token: apiKey, OK: http.StatusAccepted, Check: func(r *http.Request, body []byte) string {
			if r.Header.Get("Authorization") != "GenieKey "+apiKey {
				return "no key"
			}
			return fake.apply(r, body)
		}})
		c, err := New(Options{Key: server.Token, URL: server.URL, Client: channel.NewClient(channeltest.Loopback())})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		s := server.Subject(c, channel.Receiver{})
		s.Links = false // an alert has only the links of the job and of the mute
		return s
	})
}

// TestDetailsFit: a digest of many jobs has at most 8 KB of description and details.
func TestDetailsFit(t *testing.T) {
	for _, m := range []*message.Message{channeltest.HugeDigest(message.Chinese), channeltest.Huge(message.English)} {
		a := newAlert(m)
		text, err := json.Marshal([]any{a.Description, a.Details})
		if err != nil || len(text) > maxDetails || len(m.Sections) > 0 && len(text) < maxDetails/2 {
			t.Errorf("got %d bytes and error %v, want at most %d, and half of it for a digest", len(text), err, maxDetails)
		}
	}
}
