package webhook

import (
	"net/http"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
)

// TestSuite: the channel passes the suite of all channels, against a receiver that
// verifies every signature.
func TestSuite(t *testing.T) {
	channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
		server := channeltest.NewPlain(t, channeltest.Plain{Token: "s3cr3tpath", Check: func(r *http.Request, body []byte) string {
			versions, err := verify(request{r.Header, body}, []byte("0123456789abcdef0123456789abcdef"), nil, time.Now())
			if err != nil {
				return err.Error()
			}
			if len(versions) != 1 || len(body) > maxBody || r.URL.Path != "/hooks/s3cr3tpath" {
				return "no signature is right, the body is too large, or the path is wrong"
			}
			return ""
		}})
		s := server.Subject(open(t, Options{URL: server.URL + "/hooks/" + server.Token, Client: channel.NewClient(channeltest.Loopback())}), channel.Receiver{})
		s.Links = false // an event has the link of the job alone
		s.Kinds = []channel.ErrorKind{channel.Temporary, channel.Throttled, channel.Disabled}
		s.Secrets = append(s.Secrets, hmacKey)
		return s
	})
}
