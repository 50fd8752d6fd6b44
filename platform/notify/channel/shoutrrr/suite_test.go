package shoutrrr

import (
	"net/http"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
)

// TestSuite: three services pass the suite of all channels.
func TestSuite(t *testing.T) {
	for name, path := range map[string]string{"gotify": "/TOKEN?disabletls=yes", "ntfy": "/TOKEN?scheme=http", "mattermost": "/TOKEN?disabletls=yes"} {
		t.Run(name, func(t *testing.T) {
			channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
				body := `{"id":"x"}`
				if name == "gotify" {
					body = `{"id":1}`
				}
				server := channeltest.NewPlain(t, channeltest.Plain{Token: token, Body: body, Check: func(r *http.Request, body []byte) string {
					if !strings.Contains(r.URL.String(), token) || len(body) == 0 || len(body) > 20000 {
						return "the token is missing, or the text"
					}
					return ""
				}})
				c, err := New(Options{URL: name + "://" + strings.TrimPrefix(server.URL, "http://") + strings.Replace(path, "TOKEN", server.Token, 1), Guard: channeltest.Loopback()})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = c.Close() })
				s := server.Subject(c, channel.Receiver{})
				s.Links = false // a text has only the links of the job and of the mute
				return s
			})
		})
	}
}
