package email

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
)

// TestSuite: the channel passes the suite of all channels, against a server that encrypts
// and authenticates.
func TestSuite(t *testing.T) {
	channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
		s := newMailbox(t)
		c := connect(t, s, func(o *Options) { o.To = "ops@example.com" })
		return &channeltest.Subject{
			Channel: c, To: liwei, Secrets: []string{password}, Kinds: []channel.ErrorKind{channel.Temporary, channel.Permanent}, // SMTP has no Retry-After
			Sent: func() (all []string) {
				mails, _ := s.taken()
				for _, m := range mails {
					all = append(all, m.data)
				}
				return all
			},
			Fail: func(f channeltest.Fault) {
				words := "as the test wants"
				if f.Echo {
					words = fmt.Sprintf("%q", s.lines)
				}
				answer := map[channel.ErrorKind]string{channel.Temporary: "451 4.3.0 ", channel.Throttled: "421 4.7.0 ", channel.Permanent: "550 5.7.1 "}[f.Kind] + words
				switch {
				case f.Cut:
					answer = "close"
				case f.Stall:
					answer = "silent"
				}
				s.once("RCPT", answer)
			},
			Check: func(payload string) (found []string) {
				for line := range strings.SplitSeq(payload, "\r\n") {
					if len(line) > 998 {
						found = append(found, "a line of more than 998 bytes")
					}
				}
				return found
			},
		}
	})
}
