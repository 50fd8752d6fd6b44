package deliveryview

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Flags select deliveries.
type Flags struct {
	Channel, Person, Since string
	Limit                  int
}

// AddFlags adds the flags.
func (o *Flags) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Channel, "channel", "", "only messages of a channel (default: all)")
	f.StringVar(&o.Person, "person", "", "only messages to a person (default: all)")
	f.StringVar(&o.Since, "since", "", "only those that are due, or ended, at this time or later: 2h, 3d (ago), 15:04, 2026-03-01")
	f.IntVar(&o.Limit, "limit", 0, "largest number of messages (default: all)")
}

// Filter returns the filter that the flags describe.
func (o *Flags) Filter(now time.Time, states ...delivery.State) (f delivery.Filter, err error) {
	f = delivery.Filter{Channel: o.Channel, Person: o.Person, States: states}
	f.Since, err = units.ParseTime(o.Since, now)
	return f, err
}

// pageOfDeliveries is how many deliveries are read at once, each with its content.
const pageOfDeliveries = 200

// All returns all deliveries that a filter selects, the newest first.
func All(ctx context.Context, d *sqldb.DB, f delivery.Filter) iter.Seq2[delivery.Delivery, error] {
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

// Document is the machine-readable form of a delivery.
type Document struct {
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

// Fields are the fields of Document, for the help of commands.
const Fields = "id, state, kind, cluster, type, namespace, name, title, sentence, rule,\n" +
	"channel, receiver, person, role, attempts, status, error, createdAt, dueAt, sentAt, endedAt, late, replay, ackedBy, ackedAt, key."

// NewDocument returns the machine-readable form of a delivery and its message.
func NewDocument(d *delivery.Delivery, m *message.Message) Document {
	doc := Document{
		ID: d.ID, State: d.State.String(), Kind: d.Kind, Title: m.Title, Sentence: m.Sentence, Rule: d.Rule,
		Channel: d.Channel, Receiver: d.Receiver, Person: d.Person, Role: d.Role, Attempts: d.Attempts, Status: d.Status, Error: d.LastError,
		CreatedAt: units.Timestamp(d.CreatedAt), SentAt: units.Timestamp(d.SentAt), Late: d.Late, Replay: d.Replay, AckedBy: d.AckedBy, AckedAt: units.Timestamp(d.AckedAt), Key: d.Key,
	}
	if Ended(d.State) {
		doc.EndedAt = units.Timestamp(d.NextAt)
	} else {
		doc.DueAt = units.Timestamp(d.NextAt)
	}
	if m.Notice != nil {
		j := m.Notice.Job
		doc.Cluster, doc.Type, doc.Namespace, doc.Name = j.Cluster, j.Type, j.Namespace, j.Name
	}
	return doc
}

// Ended reports whether nobody sends a delivery in the state unless a person replays it.
func Ended(s delivery.State) bool { return s > delivery.Sending }

// DeadLetterColumns and Columns are the columns of lists of deliveries.
var (
	DeadLetterColumns = listing.Columns{Always: []string{"ID", "FAILED", "TRIES", "TO", "MESSAGE", "ANSWER"}, Wide: []string{"RULE", "KEY"}}
	Columns           = listing.Columns{Always: []string{"ID", "STATE", "AT", "TRIES", "TO", "MESSAGE", "ANSWER"}, Wide: []string{"RULE", "KEY"}}
)

// ItemOf returns a line with the cells of DeadLetterColumns, or of Columns with the
// state.
func ItemOf(d *delivery.Delivery, items []delivery.Item, withState bool, now time.Time) listing.Item {
	m := Message(d, items, now)
	cells := []string{fmt.Sprint(d.ID), d.State.String(), units.Local(d.NextAt), fmt.Sprint(d.Attempts), Recipient(d), m.Title, Answer(d), d.Rule, d.Key}
	if !withState {
		cells = append(cells[:1], cells[2:]...)
	}
	return listing.Item{Cells: cells, Name: fmt.Sprintf("message/%d", d.ID), Doc: NewDocument(d, m)}
}

// States are the names of all states of deliveries.
func States() string {
	var words []string
	for _, s := range delivery.States() {
		words = append(words, s.String())
	}
	return strings.Join(words, ", ")
}

// ParseStates returns the states with these names.
func ParseStates(words []string) (states []delivery.State, err error) {
	byName := map[string]delivery.State{}
	for _, s := range delivery.States() {
		byName[s.String()] = s
	}
	for _, w := range words {
		s, ok := byName[w]
		if !ok {
			return nil, fmt.Errorf("--state: no message is ever %q; the states are %s", w, States())
		}
		states = append(states, s)
	}
	return states, nil
}
