package channeltest

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// Subject is a channel under test with its receiver.
type Subject struct {
	Channel channel.Channel
	// To is a receiver that the channel mentions or sends to.
	To channel.Receiver
	// Sent returns the payloads of the messages that arrived, in order.
	Sent func() []string
	// Fail applies a fault to the next message. It is nil if nothing can fail.
	Fail func(Fault)
	// Kinds are the kinds of errors that Fail can cause.
	Kinds []channel.ErrorKind
	// Pause advances the clock of the receiver, so that its rate allows another message;
	// may be nil.
	Pause func(time.Duration)
	// Inert returns the markup in a payload that comes from users' text: mentions of
	// others than To, links outside of Portal, and so on. It may be nil.
	Inert func(payload string) []string
	// Check returns the violations of the channel's own limits in a payload; may be nil.
	// The receiver checks the limits of the protocol.
	Check func(payload string) []string
	// Secrets must not appear in errors.
	Secrets []string
	// Links is set if a payload contains the addresses of the buttons and of the mute.
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
