package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/notify/delivery"
	"github.com/vedette-io/vedette/notify/message"
	"github.com/vedette-io/vedette/record/sqldb"
)

// deliveryFlags select deliveries.
type deliveryFlags struct {
	channel, person, since string
	limit                  int
}

func (o *deliveryFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.channel, "channel", "", "only messages of a channel (default: all)")
	f.StringVar(&o.person, "person", "", "only messages to a person (default: all)")
	f.StringVar(&o.since, "since", "", "only those that are due, or ended, at this time or later: 2h, 3d (ago), 15:04, 2026-03-01")
	f.IntVar(&o.limit, "limit", 0, "largest number of messages (default: all)")
}

// filter returns the filter that the flags describe.
func (o *deliveryFlags) filter(now time.Time, states ...delivery.State) (f delivery.Filter, err error) {
	f = delivery.Filter{Channel: o.channel, Person: o.person, States: states}
	f.Since, err = parseTime(o.since, now)
	return f, err
}

// pageOfDeliveries is how many deliveries are read at once, each with its content.
const pageOfDeliveries = 200

// deliveriesOf returns all deliveries that a filter selects, the newest first.
func deliveriesOf(ctx context.Context, d *sqldb.DB, f delivery.Filter) iter.Seq2[delivery.Delivery, error] {
	return func(yield func(delivery.Delivery, error) bool) {
		f.Limit = pageOfDeliveries
		for {
			page, err := delivery.List(ctx, d, f)
			if err != nil {
				yield(delivery.Delivery{}, d.Explain(err))
				return
			}
			for _, one := range page {
				if !yield(one, nil) {
					return
				}
			}
			if len(page) < f.Limit {
				return
			}
			f.Before = page[len(page)-1].ID
		}
	}
}

// deliveryDoc is the machine-readable form of a delivery.
type deliveryDoc struct {
	ID        int64  `json:"id"`
	State     string `json:"state"`
	Kind      string `json:"kind"`
	Cluster   string `json:"cluster"`
	Type      string `json:"type"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Title     string `json:"title"`
	Sentence  string `json:"sentence"`
	Rule      string `json:"rule"`
	Channel   string `json:"channel"`
	Receiver  string `json:"receiver"`
	Person    string `json:"person"`
	Role      string `json:"role"`
	Attempts  int    `json:"attempts"`
	Status    string `json:"status"`
	Error     string `json:"error"`
	CreatedAt string `json:"createdAt"`
	DueAt     string `json:"dueAt"`
	SentAt    string `json:"sentAt"`
	EndedAt   string `json:"endedAt"`
	Late      bool   `json:"late"`
	Replay    bool   `json:"replay"`
	AckedBy   string `json:"ackedBy"`
	AckedAt   string `json:"ackedAt"`
	Key       string `json:"key"`
}

// deliveryFields are the fields of deliveryDoc, for the help of commands.
const deliveryFields = "id, state, kind, cluster, type, namespace, name, title, sentence, rule,\n" +
	"channel, receiver, person, role, attempts, status, error, createdAt, dueAt, sentAt, endedAt, late, replay, ackedBy, ackedAt, key."

func newDeliveryDoc(d *delivery.Delivery, m *message.Message) deliveryDoc {
	doc := deliveryDoc{
		ID: d.ID, State: d.State.String(), Kind: d.Kind, Title: m.Title, Sentence: m.Sentence, Rule: d.Rule,
		Channel: d.Channel, Receiver: d.Receiver, Person: d.Person, Role: d.Role, Attempts: d.Attempts, Status: d.Status, Error: d.LastError,
		CreatedAt: stamp(d.CreatedAt), SentAt: stamp(d.SentAt), Late: d.Late, Replay: d.Replay, AckedBy: d.AckedBy, AckedAt: stamp(d.AckedAt), Key: d.Key,
	}
	if over(d.State) {
		doc.EndedAt = stamp(d.NextAt)
	} else {
		doc.DueAt = stamp(d.NextAt)
	}
	if m.Notice != nil {
		j := m.Notice.Job
		doc.Cluster, doc.Type, doc.Namespace, doc.Name = j.Cluster, j.Type, j.Namespace, j.Name
	}
	return doc
}

// over reports whether nobody sends a delivery in the state unless a person replays it.
func over(s delivery.State) bool { return s > delivery.Sending }

// deadColumns and deliveryColumns are the columns of lists of deliveries.
var (
	deadColumns     = columns{always: []string{"ID", "DIED", "TRIES", "TO", "MESSAGE", "ANSWER"}, wide: []string{"RULE", "KEY"}}
	deliveryColumns = columns{always: []string{"ID", "STATE", "AT", "TRIES", "TO", "MESSAGE", "ANSWER"}, wide: []string{"RULE", "KEY"}}
)

// deliveryLine returns a line with the cells of deadColumns, or of deliveryColumns with the
// state.
func deliveryLine(d *delivery.Delivery, items []delivery.Item, withState bool, now time.Time) line {
	m := composed(d, items, now)
	cells := []string{fmt.Sprint(d.ID), d.State.String(), local(d.NextAt), fmt.Sprint(d.Attempts), recipient(d), m.Title, answer(d), d.Rule, d.Key}
	if !withState {
		cells = append(cells[:1], cells[2:]...)
	}
	return line{cells: cells, name: fmt.Sprintf("message/%d", d.ID), doc: newDeliveryDoc(d, m)}
}

// stateWords are the names of all states of deliveries.
func stateWords() string {
	var words []string
	for s := delivery.Held; s <= delivery.Dropped; s++ {
		words = append(words, s.String())
	}
	return strings.Join(words, ", ")
}

// parseDeliveryStates returns the states with these names.
func parseDeliveryStates(words []string) (states []delivery.State, err error) {
	byName := map[string]delivery.State{}
	for s := delivery.Held; s <= delivery.Dropped; s++ {
		byName[s.String()] = s
	}
	for _, w := range words {
		s, ok := byName[w]
		if !ok {
			return nil, fmt.Errorf("--state: no message is ever %q; the states are %s", w, stateWords())
		}
		states = append(states, s)
	}
	return states, nil
}
