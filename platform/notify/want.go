package notify

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// want is a message for one receiver, before the planner decides when it is sent.
type want struct {
	subject string // the key without the receiver
	rule    *rule.Rule
	about   *rule.Input // the values that silences match; nil if the message closes an alert
	to      config.Receiver
	notice  *message.Notice

	object   int64
	position int64
	// flaps is set if the object has changed its state too often: the message goes into a
	// digest.
	flaps bool
	// reminds is set if the message escalates another one. It never waits for a digest.
	reminds bool
	// resolves is set if the message closes the alert of another one, whose key is
	// subject. unopened is set if that message is still held, so it is superseded.
	resolves, unopened bool
}

// key returns the key of the message. It never changes.
func (w *want) key() string {
	switch {
	case w.reminds:
		return escalationKey(w.subject, &w.to)
	case w.resolves:
		return w.subject + resolved
	}
	return w.subject + "/" + receiverKey(&w.to)
}

// delivery returns the message as a separate delivery.
func (w *want) delivery(now time.Time) (delivery.Delivery, error) {
	event, err := json.Marshal(w.notice)
	if err != nil {
		return delivery.Delivery{}, fmt.Errorf("the event of %s: %w", w.key(), err)
	}
	d := delivery.Delivery{
		Key: w.key(), Kind: string(w.notice.Kind), Rule: w.rule.Name, Channel: w.to.Channel, Receiver: w.to.Address, Person: w.to.Person, Role: w.to.Role,
		Object: w.object, Position: w.position, Event: event, CreatedAt: now, Late: w.notice.Late,
	}
	if e := w.rule.Escalate; e != nil && !w.reminds && !w.resolves {
		d.EscalateAt = now.Add(e.After)
	}
	return d, nil
}

// single reports whether the message stays separate when quiet hours hold it, because only
// a separate message can be acknowledged.
func (w *want) single() bool { return w.rule.Escalate != nil && w.rule.Digest == nil && !w.flaps }

// resolved is the suffix of the keys of messages that close an alert.
const resolved = "/resolved"

// own reports whether the receiver caused the transition, so the message is no news to
// them. personOf returns the person with a name, or "" if nobody has it.
func (w *want) own(personOf func(name string) string) bool {
	actor := w.notice.Actor
	return actor != "" && w.to.Person != "" && (actor == w.to.Person || personOf(actor) == w.to.Person)
}
