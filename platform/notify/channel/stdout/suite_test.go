package stdout

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/channeltest"
)

// pages keeps each Write as a message.
type pages struct {
	mu  sync.Mutex
	all []string
}

// Write implements io.Writer.
func (p *pages) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, string(text))
	return len(text), nil
}

func (p *pages) sent() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.all...)
}

// TestSuite: the channel passes the suite of all channels.
func TestSuite(t *testing.T) {
	channeltest.Test(t, func(t *testing.T) *channeltest.Subject {
		out := &pages{}
		c, err := New(Options{Out: out, Location: time.UTC})
		if err != nil {
			t.Fatal(err)
		}
		return &channeltest.Subject{Channel: c, To: channel.Receiver{Name: "liwei"}, Sent: out.sent, Inert: func(payload string) (found []string) {
			if strings.ContainsAny(payload, "\x1b\r\u202e") || !strings.HasSuffix(payload, "\n") {
				found = append(found, "a control character, or no line")
			}
			return found
		}}
	})
}
