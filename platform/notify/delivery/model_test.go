package delivery_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// TestModel compares the deliveries of a channel with a simple list in memory.
func TestModel(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		n := 0
		testinput.Check(t, func(r *rapid.T) {
			n++
			m := &model{d: d, t: t, r: r, channel: fmt.Sprintf("chat%d", n), now: time.Now().Add(time.Hour).Truncate(time.Microsecond)} // an input: the time of the model
			r.Repeat(map[string]func(*rapid.T){
				"create": m.create, "claim": m.claim, "finish": m.finish, "extend": m.extend, "tick": m.tick, "close": m.closeDigests,
				"supersede": m.supersede, "replay": m.replay, "drop": m.drop, "enable": m.enable, "prune": m.prune, "": m.check,
			})
		})
	})
}

// row is a delivery in the model.
type row struct {
	key      string
	lane     int // -1 means a replay
	rule     string
	unsent   bool // unsent, in the sequence of its lane
	sending  bool
	ended    delivery.State // or Held; 0 if unsent
	due      time.Time      // or the end of the claim
	attempts int
	token    int64
	claimed  delivery.Delivery
}

// model is the list, in the order of creation.
type model struct {
	d        *database
	t        *testing.T
	r        *rapid.T
	channel  string
	now      time.Time
	rows     []*row
	made     int
	paused   time.Time
	disabled bool
	claimed  []delivery.Delivery // outcome is missing, even if the claim ended
}

// The model waits in large steps, so the jitter does not matter.
const (
	step    = 20 * time.Second
	backoff = 10 * time.Second
	lease   = 30 * time.Second
)

var modelPolicy = delivery.Policy{Backoff: []time.Duration{backoff, backoff}, Threshold: 1 << 30}

func (m *model) fatal(err error) {
	if err != nil {
		m.r.Fatal(err)
	}
}

// first reports whether no earlier unsent delivery has the lane.
func (m *model) first(x *row) bool {
	for _, e := range m.rows {
		if e == x {
			return true
		}
		if e.unsent && e.lane == x.lane && x.lane >= 0 {
			return false
		}
	}
	return false
}

// state returns the state that the database must have.
func (m *model) state(x *row) delivery.State {
	switch {
	case !x.unsent:
		return x.ended
	case x.sending:
		return delivery.Sending
	case m.first(x):
		return delivery.Waiting
	}
	return delivery.Behind
}

func (m *model) delivery(r *rapid.T) (delivery.Delivery, *row) {
	m.made++
	x := &row{key: fmt.Sprintf("%s/%d", m.channel, m.made), lane: rapid.IntRange(0, 2).Draw(r, "lane"), rule: rapid.SampledFrom([]string{"r", "s"}).Draw(r, "rule"), unsent: true, due: m.now}
	held := rapid.IntRange(0, 4).Draw(r, "held") == 0
	if held {
		x.lane = 3 // like digests, which have their own lanes
	}
	one := delivery.Delivery{
		Key: x.key, Kind: "Failed", Rule: x.rule, Channel: m.channel, Receiver: "a", Object: int64(x.lane + 1), Event: []byte("{}"), CreatedAt: m.now,
	}
	if held {
		one.State, one.NextAt = delivery.Held, m.now.Add(step+step/2)
		x.unsent, x.ended, x.due = false, delivery.Held, one.NextAt
	}
	return one, x
}

func (m *model) create(r *rapid.T) {
	var all []delivery.Delivery
	for range rapid.IntRange(1, 5).Draw(r, "n") {
		if m.made > 0 && rapid.IntRange(0, 5).Draw(r, "repeat") == 0 {
			if old := m.rows[rapid.IntRange(0, len(m.rows)-1).Draw(r, "which")]; old.ended != gone { // not pruned
				all = append(all, delivery.Delivery{Key: old.key, Kind: "Failed", Channel: m.channel, Object: 1, Event: []byte("{}")})
				continue
			}
		}
		one, x := m.delivery(r)
		all, m.rows = append(all, one), append(m.rows, x)
	}
	m.fatal(m.d.Transact(m.t.Context(), func(tx *sqldb.Tx) error {
		_, err := delivery.Create(m.t.Context(), tx, all)
		return err
	}))
}

// gone is the state of a pruned row.
const gone delivery.State = -1

func (m *model) claim(r *rapid.T) {
	limit := rapid.IntRange(1, 4).Draw(r, "limit")
	c, err := delivery.Claim(m.t.Context(), m.d.DB, m.channel, delivery.ClaimOptions{Worker: "w", Limit: limit, Lease: lease, Threshold: modelPolicy.Threshold, Now: m.now})
	m.fatal(err)
	if m.disabled || m.paused.After(m.now) {
		if len(c.Deliveries) > 0 {
			r.Fatalf("%q claimed from a channel that pauses", keys(c.Deliveries))
		}
		return
	}
	for _, x := range m.rows {
		if x.sending && !x.due.After(m.now) {
			x.sending, x.due = false, m.now
		}
	}
	free := 0
	for _, x := range m.rows {
		if m.state(x) == delivery.Waiting && !x.due.After(m.now) {
			free++
		}
	}
	if want := min(limit, free); len(c.Deliveries) != want {
		r.Fatalf("claimed %q, want %d of %d", keys(c.Deliveries), want, free)
	}
	for _, one := range c.Deliveries {
		x := m.row(one.Key)
		if m.state(x) != delivery.Waiting || x.due.After(m.now) {
			r.Fatalf("claimed %s in state %s, due %s", x.key, m.state(x), x.due)
		}
		x.sending, x.due, x.token, x.claimed = true, m.now.Add(lease), one.Token, one
		m.claimed = append(m.claimed, one)
	}
}

func (m *model) row(key string) *row {
	i := slices.IndexFunc(m.rows, func(x *row) bool { return x.key == key })
	return m.rows[i]
}

func (m *model) finish(r *rapid.T) {
	if len(m.claimed) == 0 {
		r.SkipNow()
	}
	var outcomes []delivery.Outcome
	for range rapid.IntRange(1, len(m.claimed)).Draw(r, "n") {
		i := rapid.IntRange(0, len(m.claimed)-1).Draw(r, "which")
		result := rapid.SampledFrom([]delivery.Result{
			delivery.Delivered, delivery.Delivered, delivery.Delivered, delivery.Temporary, delivery.Temporary, delivery.Throttling, delivery.Permanent, delivery.Disabled, delivery.Released,
		}).Draw(r, "result")
		outcomes = append(outcomes, delivery.Outcome{Delivery: m.claimed[i], Result: result, RetryAfter: backoff, At: m.now})
		m.claimed = slices.Delete(m.claimed, i, i+1)
	}
	_, err := delivery.Finish(m.t.Context(), m.d.DB, m.channel, outcomes, modelPolicy)
	m.fatal(err)
	for i := range outcomes {
		m.outcome(&outcomes[i])
	}
}

// outcome applies an outcome to the list.
func (m *model) outcome(o *delivery.Outcome) {
	switch o.Result {
	case delivery.Throttling:
		m.paused = m.now.Add(backoff)
	case delivery.Disabled:
		m.disabled = true
	}
	x := m.row(o.Delivery.Key)
	if !x.sending || x.token != o.Delivery.Token {
		return // the claim had ended
	}
	x.sending, x.due = false, m.now
	switch o.Result {
	case delivery.Delivered:
		x.attempts++
		x.unsent, x.ended = false, delivery.Sent
	case delivery.Temporary:
		x.attempts++
		if x.due = m.now.Add(backoff); x.attempts > len(modelPolicy.Backoff) {
			x.unsent, x.ended = false, delivery.Dead
		}
	case delivery.Permanent:
		x.attempts++
		x.unsent, x.ended = false, delivery.Dead
	}
}

func (m *model) extend(r *rapid.T) {
	if len(m.claimed) == 0 {
		r.SkipNow()
	}
	kept, err := delivery.Extend(m.t.Context(), m.d.DB, m.channel, m.claimed, m.now.Add(lease), m.now)
	m.fatal(err)
	for _, one := range m.claimed {
		x := m.row(one.Key)
		if want := x.sending && x.token == one.Token; kept[one.ID] != want && !slices.ContainsFunc(m.claimed, func(e delivery.Delivery) bool { return e.ID == one.ID && e.Token != one.Token }) {
			r.Fatalf("claim of %s kept: %v, want %v", one.Key, kept[one.ID], want)
		}
		if x.sending && x.token == one.Token {
			x.due = m.now.Add(lease)
		}
	}
}

func (m *model) tick(*rapid.T) { m.now = m.now.Add(step) }

func (m *model) closeDigests(*rapid.T) {
	m.fatal(m.d.Transact(m.t.Context(), func(tx *sqldb.Tx) error {
		_, err := delivery.CloseDigests(m.t.Context(), tx, m.now)
		return err
	}))
	for _, x := range m.rows {
		if x.ended == delivery.Held && !x.due.After(m.now) {
			x.unsent, x.ended, x.due = true, 0, m.now
		}
	}
}

func (m *model) supersede(r *rapid.T) {
	lane, rule := rapid.IntRange(0, 3).Draw(r, "lane"), rapid.SampledFrom([]string{"r", "s"}).Draw(r, "rule")
	m.fatal(m.d.Transact(m.t.Context(), func(tx *sqldb.Tx) error {
		_, err := delivery.Supersede(m.t.Context(), tx, []delivery.Delivery{{Key: "later", Rule: rule, Channel: m.channel, Receiver: "a", Object: int64(lane + 1)}}, m.now)
		return err
	}))
	for _, x := range m.rows {
		if x.lane == lane && x.rule == rule && (x.unsent && !x.sending || x.ended == delivery.Held) {
			x.unsent, x.ended = false, delivery.Superseded
		}
	}
}

func (m *model) replay(*rapid.T) {
	_, err := delivery.Replay(m.t.Context(), m.d.DB, "liwei", m.dead()...)
	m.fatal(err)
	for _, x := range m.rows {
		if x.ended == delivery.Dead {
			x.lane, x.unsent, x.ended, x.attempts, x.due = -1, true, 0, 0, m.now
		}
	}
}

// dead returns the IDs of the dead letters.
func (m *model) dead() (ids []int64) {
	all, err := delivery.List(m.t.Context(), m.d.DB, delivery.Filter{Channel: m.channel, States: []delivery.State{delivery.Dead}, Limit: 1000})
	m.fatal(err)
	for _, one := range all {
		ids = append(ids, one.ID)
	}
	return ids
}

func (m *model) drop(*rapid.T) {
	_, err := delivery.Drop(m.t.Context(), m.d.DB, "liwei", m.dead()...)
	m.fatal(err)
	for _, x := range m.rows {
		if x.ended == delivery.Dead {
			x.ended = delivery.Dropped
		}
	}
}

func (m *model) enable(*rapid.T) {
	m.fatal(delivery.Enable(m.t.Context(), m.d.DB, m.channel, "liwei"))
	m.disabled, m.paused = false, time.Time{}
}

func (m *model) prune(*rapid.T) {
	_, err := delivery.Prune(m.t.Context(), m.d.DB, m.now.Add(time.Second))
	m.fatal(err)
	for _, x := range m.rows {
		switch x.ended {
		case delivery.Sent, delivery.Dead, delivery.Superseded, delivery.Dropped:
			x.ended = gone
		}
	}
}

// check compares the states of all deliveries.
func (m *model) check(r *rapid.T) {
	all, err := delivery.List(m.t.Context(), m.d.DB, delivery.Filter{Channel: m.channel, Limit: 10_000})
	m.fatal(err)
	slices.Reverse(all)
	var want, got []string
	for _, x := range m.rows {
		if m.state(x) != gone {
			want = append(want, fmt.Sprintf("%s %s %d replay=%v", x.key, m.state(x), x.attempts, x.lane < 0))
		}
	}
	for i := range all {
		x := &all[i]
		got = append(got, fmt.Sprintf("%s %s %d replay=%v", x.Key, x.State, x.Attempts, x.Replay && x.Late && x.Lane < 0))
	}
	if !slices.Equal(got, want) {
		r.Fatalf("got\n%q\nwant, by the model,\n%q", got, want)
	}
}
