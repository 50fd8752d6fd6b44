package notify

import (
	"time"

	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// The fifth message to a receiver within a minute opens a digest.
const (
	stormMessages = 5
	stormWithin   = time.Minute
	stormDigest   = 5 * time.Minute // the maximum length of its window
)

// machines are the kinds of channels that programs read. They get each message separately,
// unless a rule or the channel has a digest.
var machines = map[string]bool{"webhook": true, "pagerduty": true, "opsgenie": true, "event": true, "stdout": true}

// schedule determines when messages to a channel are sent.
type schedule struct {
	kind   string       // of the channel
	own    *rule.Digest // digest of the channel; may be nil
	common *rule.Digest // digest for messages whose rule and channel have none
	waits  bool         // the channel prefers digests unless a rule sets now
}

// scheduleOf returns the schedule of a channel. digests is set if the channel prefers
// digests.
func scheduleOf(c *config.Config, channel *config.Channel, digests bool) schedule {
	return schedule{kind: channel.Kind, own: channel.Digest, common: &c.Digest, waits: digests}
}

// crowd reports whether a receiver gets too many messages now: this is the fifth within a
// minute, or a digest that such a message opened is still open. in is the window of that
// digest.
type crowd func(in window) (bool, error)

// digest returns the window in which a message waits, and false if it is sent immediately.
// It calls crowded only if the answer depends on it.
func (s schedule) digest(w *want, now time.Time, crowded crowd) (window, bool, error) {
	if w.reminds || w.resolves {
		return window{}, false, nil
	}
	in, held, err := s.collects(w, now, crowded)
	if err != nil || w.rule.Urgent {
		return in, held, err
	}
	// Quiet hours hold messages that are due now, and digests that end within them.
	at := now
	if held {
		at = in.to
	}
	if end, quiet := w.rule.Quiet.Until(at); quiet {
		return window{quietFrom(w.rule.Quiet, end), end}, true, nil
	}
	return in, held, nil
}

// collects returns the window of the digest that a message belongs to, and false if it is
// sent separately.
func (s schedule) collects(w *want, now time.Time, crowded crowd) (in window, held bool, err error) {
	usual := s.own
	if usual == nil {
		usual = s.common
	}
	switch {
	case w.rule.Digest != nil:
		return windowOf(w.rule.Digest, now), true, nil
	case w.rule.Escalate != nil && !w.flaps: // only a separate message can be acknowledged
		return in, false, nil
	case w.flaps, !w.rule.Now && (s.own != nil || s.waits):
		return windowOf(usual, now), true, nil
	case machines[s.kind]:
		return in, false, nil
	case !w.rule.Now && !w.notice.Kind.AtOnce():
		return windowOf(usual, now), true, nil
	}
	in = windowOf(&rule.Digest{Every: min(stormDigest, usual.Every)}, now)
	held, err = crowded(in)
	return in, held, err
}

func windowOf(d *rule.Digest, now time.Time) window {
	from, to := d.Window(now)
	return window{from, to}
}

// quietFrom returns the start of the quiet hours that end at a time, in the time zone of
// the quiet hours.
func quietFrom(q *rule.Quiet, end time.Time) time.Time {
	length := q.To - q.From
	if length < 0 {
		length += 24 * time.Hour
	}
	return end.Add(-length)
}
