package notify

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// digestEvent is the event of a digest. Its items are in separate rows.
type digestEvent struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Silence is set if the digest is the summary of a silence.
	Silence *message.Silence `json:"silence,omitempty"`
}

// openDigest is a digest with the items that one transaction adds.
type openDigest struct {
	in       window
	to       config.Receiver
	delivery delivery.Delivery // without the fields that depend on the window
	items    []delivery.Item
}

// posted counts messages by result.
type posted struct{ created, collected, muted, silenced, own int }

// post writes the messages of one transaction of the planner.
type post struct {
	*round
	tx       *sqldb.Tx
	mutes    []delivery.Mute
	silences []silence
	silenced map[string]*heldBack // by the key of the summary
	single   []delivery.Delivery
	latest   []delivery.Delivery
	digests  map[string]*openDigest
	recent   map[string]int  // messages of the last minute, by the key of the receiver
	open     map[string]bool // whether a digest is open, by key
	done     posted
}

// newPost reads the state that applies to all messages.
func newPost(ctx context.Context, tx *sqldb.Tx, r *round, silences []silence) (*post, error) {
	mutes, err := delivery.Mutes(ctx, tx, r.now)
	return &post{
		round: r, tx: tx, mutes: mutes, silences: silences, silenced: map[string]*heldBack{}, digests: map[string]*openDigest{}, recent: map[string]int{}, open: map[string]bool{},
	}, err
}

// add decides about a message: drop it, hold it back for a silence, or admit it.
func (p *post) add(ctx context.Context, w *want) error {
	if w.own(p.setup.file.PersonOf) {
		p.done.own++
		return nil
	}
	d, err := w.delivery(p.now)
	if err != nil {
		return err
	}
	if p.muted(&d) {
		p.done.muted++
		return nil
	}
	if s := silenceOf(p.silences, w); s != nil {
		p.holdBack(s, w, &d)
		return nil
	}
	return p.admit(ctx, w, d)
}

// holdBack adds a message to those that a silence holds back.
func (p *post) holdBack(s *silence, w *want, d *delivery.Delivery) {
	key := summaryKey(s.ID, &w.to)
	if p.silenced[key] == nil {
		p.silenced[key] = &heldBack{silence: s}
	}
	h := p.silenced[key]
	h.wants, h.deliveries = append(h.wants, w), append(h.deliveries, *d)
}

// admit decides about a message that nothing suppresses: send it now, hold it, or collect it
// in a digest.
func (p *post) admit(ctx context.Context, w *want, d delivery.Delivery) error {
	in, held, err := p.setup.scheduleOf(w.to.Channel).digest(w, p.now, func(in window) (bool, error) { return p.crowded(ctx, w, in) })
	switch {
	case err != nil:
		return err
	case p.unconfirmed(w): // each alert waits alone, because it is closed alone
		d.State, d.NextAt = delivery.Held, p.now.Add(recheckRecording)
		if held && in.to.After(d.NextAt) {
			d.NextAt = in.to
		}
	case held && w.single(): // in quiet hours
		d.State, d.NextAt = delivery.Held, in.to
	case held:
		p.done.collected++
		p.collect(w, &d, in)
		return nil
	}
	if d.State == delivery.Held && !d.EscalateAt.IsZero() {
		d.EscalateAt = d.NextAt.Add(w.rule.Escalate.After)
	}
	p.single = append(p.single, d)
	p.recent[receiverKey(&w.to)]++
	if w.rule.Latest || w.unopened {
		p.latest = append(p.latest, d)
	}
	return nil
}

// muted reports whether a mute applies to a message. A muted digest gets no items.
func (p *post) muted(d *delivery.Delivery) bool {
	return slices.ContainsFunc(p.mutes, func(m delivery.Mute) bool { return m.Matches(d, p.now) })
}

// crowded implements crowd.
func (p *post) crowded(ctx context.Context, w *want, in window) (bool, error) {
	key, who := digestKey(in, &w.to), receiverKey(&w.to)
	if p.digests[key] != nil || p.open[key] {
		return true, nil
	}
	if _, known := p.recent[who]; !known {
		n, err := delivery.Recent(ctx, p.tx, w.to.Channel, w.to.Address, p.now.Add(-stormWithin))
		if err != nil {
			return false, err
		}
		p.recent[who] = n
		held, err := delivery.HeldOf(ctx, p.tx, laneOfDigests(&w.to))
		if err != nil {
			return false, err
		}
		for _, d := range held {
			p.open[d.Key] = true
		}
	}
	return p.open[key] || p.recent[who] >= stormMessages-1, nil
}

// laneOfDigests returns the lane of all digests of a receiver.
func laneOfDigests(r *config.Receiver) int64 { return delivery.LaneOf(0, r.Channel, r.Address) }

// collect adds a message to a digest.
func (p *post) collect(w *want, d *delivery.Delivery, in window) {
	key := digestKey(in, &w.to)
	if p.digests[key] == nil {
		p.digests[key] = &openDigest{in: in, to: w.to, delivery: delivery.Delivery{
			Key: key, Kind: string(message.Digest), Rule: w.rule.Name, Channel: d.Channel, Receiver: d.Receiver, Person: d.Person, Role: d.Role,
			Lane: laneOfDigests(&w.to), CreatedAt: p.now,
		}}
	}
	o := p.digests[key]
	if p.muted(&o.delivery) {
		p.done.collected--
		p.done.muted++
	}
	o.items = append(o.items, delivery.Item{Key: d.Key, Object: d.Object, Kind: d.Kind, Event: d.Event})
}

// write writes everything that add has collected.
func (p *post) write(ctx context.Context) error {
	for _, key := range slices.Sorted(maps.Keys(p.silenced)) {
		if err := p.writeHeldBack(ctx, key, p.silenced[key]); err != nil {
			return err
		}
	}
	if len(p.latest) > 0 {
		if _, err := delivery.Supersede(ctx, p.tx, p.latest, p.now); err != nil {
			return err
		}
	}
	if len(p.single) > 0 {
		created, err := delivery.Create(ctx, p.tx, p.single)
		if err != nil {
			return err
		}
		p.done.created += created
	}
	for _, key := range slices.Sorted(maps.Keys(p.digests)) {
		if o := p.digests[key]; !p.muted(&o.delivery) {
			if err := p.append(ctx, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeHeldBack writes the messages that a silence holds back, with their summary. If the
// silence ended meanwhile, the messages are admitted.
func (p *post) writeHeldBack(ctx context.Context, key string, h *heldBack) error {
	s := &h.silence.Silence
	event, err := json.Marshal(digestEvent{s.StartsAt.UTC(), s.EndsAt.UTC(), &message.Silence{ID: s.ID, Matchers: strings.Join(s.Matchers, ", ")}})
	if err != nil {
		return err
	}
	first := &h.deliveries[0]
	summary := delivery.Delivery{
		Key: key, Kind: string(message.Digest), Rule: first.Rule, Channel: first.Channel, Receiver: first.Receiver, Person: first.Person, Role: first.Role,
		Lane: laneOfDigests(&h.wants[0].to), Event: event, NextAt: s.EndsAt, CreatedAt: p.now,
	}
	added, active, err := delivery.HoldBack(ctx, p.tx, s.ID, summary, slices.Clone(h.deliveries))
	if p.done.silenced += added; err != nil || active {
		return err
	}
	for i, w := range h.wants {
		if err := p.admit(ctx, w, h.deliveries[i]); err != nil {
			return err
		}
	}
	return nil
}

// append adds the items of a digest. If a replica with a fast clock has closed the digest
// already, the items go into the digest of the next window.
func (p *post) append(ctx context.Context, o *openDigest) error {
	d := o.delivery
	for in := o.in; ; in = in.next() {
		d.Key, d.NextAt = digestKey(in, &o.to), in.to
		event, err := json.Marshal(digestEvent{From: in.from.UTC(), To: in.to.UTC()})
		if err != nil {
			return err
		}
		d.Event = event
		if err := delivery.AppendDigest(ctx, p.tx, d, o.items); !errors.Is(err, delivery.ErrClosed) {
			return err
		}
	}
}

// channels returns the channels with new deliveries.
func (p *post) channels() map[string]bool {
	all := map[string]bool{}
	for i := range p.single {
		all[p.single[i].Channel] = true
	}
	return all
}
