package channeltest

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/notify/channel"
)

// Subject is a channel under test with the receiver that it sends to.
type Subject struct {
	Channel channel.Channel
	// To is a receiver whom the channel mentions, or to whom it sends.
	To channel.Receiver
	// Sent returns the messages that arrived, as their payloads, in order.
	Sent func() []string
	// Fail makes the receiver treat the next message so. It is nil if nothing can fail.
	Fail func(Fault)
	// Kinds are the kinds of errors that Fail can cause.
	Kinds []channel.ErrorKind
	// Pause makes the receiver's clock go on, so that its rate allows another message; may
	// be nil.
	Pause func(time.Duration)
	// Inert returns what in a payload is markup of users' text: mentions of others than To,
	// links that do not lead to Portal, and so on. It may be nil.
	Inert func(payload string) []string
	// Check returns what in a payload exceeds a limit of the channel's own; may be nil. The
	// limits of the protocol are the receiver's business.
	Check func(payload string) []string
	// Secrets must not appear in errors.
	Secrets []string
	// Links says that a payload contains the addresses of the buttons and of the mute.
	Links bool
}

// Subject returns a Subject for a channel that sends to the server.
func (s *Server) Subject(c channel.Channel, to channel.Receiver) *Subject {
	return &Subject{
		Channel: c, To: to, Sent: s.Accepted, Fail: s.Fail, Pause: s.Advance, Secrets: []string{s.Token}, Links: true,
		Kinds: []channel.ErrorKind{channel.Temporary, channel.Throttled, channel.Permanent, channel.Disabled},
	}
}

// pause lets the rate of the receiver allow another message.
func (s *Subject) pause(t *testing.T) {
	t.Helper()
	if s.Pause == nil {
		return
	}
	if rate := s.Channel.Traits().Rate; rate.Count > 0 {
		s.Pause(rate.Every() + time.Millisecond)
	}
}
