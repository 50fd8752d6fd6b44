package notify

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// Forecast describes the messages that the rules would have sent in a period.
type Forecast struct {
	Since, Until time.Time
	// Transitions is the number of transitions in the period.
	Transitions int
	// Receivers has one entry for each rule and receiver, ordered by rule, channel and
	// address.
	Receivers []ForecastReceiver
	// Unknown has the owners who are not in the table of people, with the number of their
	// messages.
	Unknown map[string]int
	// RuleErrors is the number of times that a condition could not be evaluated.
	RuleErrors int
	// Skipped has the rules that a forecast does not cover, because they read the
	// content of objects.
	Skipped []string
}

// ForecastReceiver describes the messages of one rule to one receiver.
type ForecastReceiver struct {
	Rule, Channel, Address, Person, Role string
	// Messages counts the messages that are sent separately, and Collected those that go
	// into Digests. A digest may contain messages of several rules; it counts for the rule
	// that opened it.
	Messages, Collected, Digests int
	// Samples are the first messages.
	Samples []Sample
}

// Sample is a message of a forecast.
type Sample struct {
	At        time.Time
	Kind      message.Kind
	Cluster   string
	Namespace string
	Name      string
	Reason    string
	Collected bool // in a digest
}

// maxSamples is the maximum number of samples for each receiver.
const maxSamples = 3

// tally counts the messages of a forecast, and stores the state that decides about
// digests.
type tally struct {
	setup     *setup
	receivers map[string]*ForecastReceiver
	recent    map[string][]time.Time // separate messages, by receiver
	open      map[string]bool        // digests, by key
}

func newTally(s *setup) *tally {
	return &tally{setup: s, receivers: map[string]*ForecastReceiver{}, recent: map[string][]time.Time{}, open: map[string]bool{}}
}

// add counts a message that would have been created at a time.
func (y *tally) add(w *want, at time.Time) error {
	who := receiverKey(&w.to)
	in, held, err := y.setup.scheduleOf(w.to.Channel).digest(w, at, func(in window) (bool, error) { return y.crowded(who, digestKey(in, &w.to), at), nil })
	if err != nil {
		return err
	}
	r := y.receiver(w.rule.Name, &w.to)
	if held = held && !w.single(); held {
		if key := digestKey(in, &w.to); !y.open[key] {
			y.open[key] = true
			r.Digests++
		}
		r.Collected++
	} else {
		r.Messages++
		y.recent[who] = append(y.recent[who], at)
	}
	if len(r.Samples) < maxSamples {
		n := w.notice
		r.Samples = append(r.Samples, Sample{At: at, Kind: n.Kind, Cluster: n.Job.Cluster, Namespace: n.Job.Namespace, Name: n.Job.Name, Reason: n.Reason, Collected: held})
	}
	return nil
}

// crowded implements crowd.
func (y *tally) crowded(who, digest string, at time.Time) bool {
	y.recent[who] = slices.DeleteFunc(y.recent[who], func(t time.Time) bool { return at.Sub(t) > stormWithin })
	return y.open[digest] || len(y.recent[who]) >= stormMessages-1
}

func (y *tally) receiver(rule string, to *config.Receiver) *ForecastReceiver {
	key := strings.Join([]string{rule, to.Channel, to.Address}, "\x00")
	if y.receivers[key] == nil {
		y.receivers[key] = &ForecastReceiver{Rule: rule, Channel: to.Channel, Address: to.Address, Person: to.Person, Role: to.Role}
	}
	return y.receivers[key]
}

// sorted returns the receivers in order.
func (y *tally) sorted() (all []ForecastReceiver) {
	for _, r := range y.receivers {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b ForecastReceiver) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Address, b.Address))
	})
	return all
}
