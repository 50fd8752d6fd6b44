package deliveryview

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/platform/notify/channel/stdout"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Printer prints messages between the lines of a watch: each sent message, and each failed try. It belongs to one goroutine.
type Printer struct {
	d       *sqldb.DB
	printer *stdout.Printer
	// Wants reports whether a message is printed.
	Wants func(*message.Message) bool
	// Next returns the command to run after a message, "" for none.
	Next func(*message.Message) string

	Tries int // maximum number of tries of a message
	began time.Time
	seen  map[int64]printed // of deliveries that are open or ended recently
}

// printed describes the printed lines of a delivery.
type printed struct {
	attempts int
	over     bool
	at       time.Time
}

// NewPrinter returns a printer of all messages in a database.
func NewPrinter(d *sqldb.DB, con *console.Console) *Printer {
	return &Printer{
		d: d, printer: &stdout.Printer{Out: console.StyledWriter{Con: con}, Style: stdout.Style{Color: con.Colors}},
		Wants: func(*message.Message) bool { return true }, Next: func(*message.Message) string { return "" },
		Tries: (delivery.Policy{}).Tries(), began: time.Now(), seen: map[int64]printed{},
	}
}

// Close closes the database.
func (m *Printer) Close() { _ = m.d.Close() } // nothing was written

// Widths are widths of columns that fit the lines of messages.
var Widths = map[string]int{"TYPE": stdout.TypeColumns - 2}

const (
	// lookEvery is the time between two reads of deliveries.
	lookEvery = 200 * time.Millisecond
	// lookBack is the maximum delay until a change of a delivery is visible, including clock skew.
	lookBack = time.Minute
	// lookAtMost is the maximum number of deliveries of one read.
	lookAtMost = 500
)

// Run prints until ctx is done.
//
// Errors: those of the output, and those of the database at the first attempt.
func (m *Printer) Run(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	failed := false
	for first := true; ; first = false {
		err := m.print(ctx)
		switch database := (*sqldb.Error)(nil); {
		case ctx.Err() != nil:
			return nil
		case err != nil && (first || !errors.As(err, &database)):
			return err
		case err != nil && !failed:
			_ = m.printer.Print(time.Now(), &message.Message{Title: "Messages are not shown: the database does not answer", Sentence: err.Error()}, nil, "") // the next one fails too
		}
		failed = err != nil
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// print prints the changes since the last call.
func (m *Printer) print(ctx context.Context) error {
	now := time.Now()
	all, err := delivery.List(ctx, m.d, delivery.Filter{Since: now.Add(-lookBack), Limit: lookAtMost})
	if err != nil {
		return m.d.Explain(err)
	}
	for _, d := range slices.Backward(all) {
		if err := m.one(ctx, &d, now); err != nil {
			return err
		}
	}
	for id, p := range m.seen {
		if p.over && now.Sub(p.at) > 2*lookBack {
			delete(m.seen, id)
		}
	}
	return nil
}

func (m *Printer) one(ctx context.Context, d *delivery.Delivery, now time.Time) error {
	before, known := m.seen[d.ID]
	is := printed{d.Attempts, Ended(d.State), now}
	tried := d.Attempts > before.attempts && d.LastError != "" && d.State == delivery.Waiting
	ended := (d.State == delivery.Sent || d.State == delivery.Dead) && !before.over
	m.seen[d.ID] = is
	if !tried && !ended || !known && d.NextAt.Before(m.began) && is.over {
		return nil
	}
	items, err := Items(ctx, m.d, d)
	if err != nil {
		return m.d.Explain(err)
	}
	text := Message(d, items, now)
	if !m.Wants(text) {
		return nil
	}
	if known && before.attempts > 0 { // the rest was printed with the first try
		short := *text
		short.Sentence, short.Log, short.Sections = "", nil, nil
		text = &short
	}
	next := ""
	if ended {
		next = m.Next(text)
	}
	return m.printer.Print(printedAt(d, now), text, m.outcome(d), next)
}

// printedAt returns the time of the line of a delivery.
func printedAt(d *delivery.Delivery, now time.Time) time.Time {
	if d.State == delivery.Sent {
		return d.SentAt
	}
	return now
}

// outcome returns the outcome of a delivery, for the printer.
func (m *Printer) outcome(d *delivery.Delivery) *stdout.Delivery {
	o := &stdout.Delivery{Receiver: d.Person, Channel: d.Channel, Rule: d.Rule, Try: d.Attempts, Tries: m.Tries}
	if d.State == delivery.Sent {
		o.Took = max(d.SentAt.Sub(d.CreatedAt), time.Millisecond)
		return o
	}
	o.Err = errors.New(Answer(d))
	if d.State != delivery.Dead {
		o.Next = d.NextAt
	}
	return o
}

// NextCommand returns the command that shows the history of a failed job.
func NextCommand(m *message.Message) string {
	if m.Notice == nil || m.Kind != message.Failed || strings.ContainsAny(m.Notice.Job.Name+m.Notice.Job.Namespace, " \t\n'\"$`\\") {
		return ""
	}
	j := m.Notice.Job
	return fmt.Sprintf("vedette history %s/%s -n %s", j.Type, j.Name, j.Namespace)
}
