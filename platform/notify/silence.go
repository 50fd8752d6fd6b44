package notify

import (
	"fmt"

	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// silence is an active silence with its parsed matchers.
type silence struct {
	delivery.Silence
	matchers []rule.Matcher
}

// parseSilences parses silences. It calls failed for each silence that it cannot parse. Such a
// silence holds nothing back.
func parseSilences(all []delivery.Silence, failed func(*delivery.Silence, error)) (parsed []silence) {
	for i := range all {
		matchers, err := rule.ParseMatchers(all[i].Matchers)
		if err != nil {
			failed(&all[i], err)
			continue
		}
		parsed = append(parsed, silence{all[i], matchers})
	}
	return parsed
}

// silenceOf returns the silence that holds back a message: of those that match, the one that
// ends last, so that no summary is sent while another silence holds its messages back. It
// returns nil if none matches. A message that closes an alert is never held back.
func silenceOf(all []silence, w *want) (found *silence) {
	if w.about == nil {
		return nil
	}
	for i := range all {
		s := &all[i]
		if (found == nil || s.EndsAt.After(found.EndsAt)) && rule.MatchAll(s.matchers, w.about) {
			found = s
		}
	}
	return found
}

// heldBack are the messages for one receiver that a silence holds back in one transaction.
type heldBack struct {
	silence    *silence
	wants      []*want
	deliveries []delivery.Delivery
}

// summaryKey returns "silence/7/mail:ann@example.com".
func summaryKey(id int64, r *config.Receiver) string {
	return fmt.Sprintf("silence/%d/%s", id, receiverKey(r))
}
