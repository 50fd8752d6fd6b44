package pagerduty

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/vedette-io/vedette/platform/notify/message"
)

const (
	maxSummary = 200     // characters
	maxDetails = 8 << 10 // bytes
	maxDedup   = 255     // characters
	maxLog     = 10      // lines
)

// alert is an event of the Events API v2.
type alert struct {
	RoutingKey string   `json:"routing_key"`
	Action     string   `json:"event_action"`
	DedupKey   string   `json:"dedup_key"`
	Client     string   `json:"client,omitempty"`
	ClientURL  string   `json:"client_url,omitempty"`
	Links      []link   `json:"links,omitempty"`
	Payload    *payload `json:"payload,omitempty"`
}

type link struct {
	Href string `json:"href"`
	Text string `json:"text"`
}

type payload struct {
	Summary   string    `json:"summary"`
	Source    string    `json:"source"`
	Severity  string    `json:"severity"`
	Timestamp time.Time `json:"timestamp,omitzero"`
	Component string    `json:"component,omitempty"`
	Group     string    `json:"group,omitempty"`
	Class     string    `json:"class,omitempty"`
	Details   *details  `json:"custom_details,omitempty"`
}

type details struct {
	Sentence string            `json:"sentence,omitempty"`
	Job      string            `json:"job,omitempty"`
	Facts    map[string]string `json:"facts,omitempty"`
	Jobs     []string          `json:"jobs,omitempty"`
	More     string            `json:"more,omitempty"`
	Log      []string          `json:"log,omitempty"`
	Why      string            `json:"why,omitempty"`
	Mute     string            `json:"mute,omitempty"`
	Key      string            `json:"key"` // of the message
}

// newAlert returns the event of a message.
func newAlert(routingKey string, m *message.Message) *alert {
	a := &alert{RoutingKey: routingKey, Action: "trigger", DedupKey: dedupOf(m)}
	if m.Resolve {
		a.Action = "resolve"
		return a
	}
	summary, _ := m.TitleWithin(message.Limit{Runes: maxSummary})
	a.Client, a.ClientURL = "Vedette", m.URL
	for _, b := range m.Buttons {
		if b.URL != "" {
			a.Links = append(a.Links, link{b.URL, b.Text})
		}
	}
	a.Payload = &payload{
		Summary: summary, Source: "vedette", Severity: severityOf(m.Kind), Timestamp: m.Happened.UTC(), Component: m.Name, Class: string(m.Kind), Group: m.Place,
	}
	if m.Place != "" {
		a.Payload.Source = m.Place
	}
	short := *m
	short.Log = m.Log[max(0, len(m.Log)-maxLog):]
	fitting := message.Fit(&short, func(m *message.Message) bool {
		text, err := json.Marshal(detailsOf(m))
		return err == nil && len(text) <= maxDetails
	})
	a.Payload.Details = detailsOf(fitting)
	return a
}

func detailsOf(m *message.Message) *details {
	d := &details{Sentence: m.Sentence, Job: m.Name, More: m.More, Log: m.Log, Why: m.Footer.Why, Mute: m.Footer.Mute.URL, Key: message.Clean(m.ID)}
	for _, f := range m.Facts {
		if d.Facts == nil {
			d.Facts = map[string]string{}
		}
		d.Facts[f.Label] = f.Value
	}
	for _, s := range m.Sections {
		for _, r := range s.Rows {
			d.Jobs = append(d.Jobs, s.Title+": "+r.Name+", "+r.Text)
		}
	}
	return d
}

// severityOf returns the PagerDuty severity of a kind.
func severityOf(k message.Kind) string {
	switch {
	case k == message.Escalation:
		return "critical"
	case k == message.Failed:
		return "error"
	case k.Timer():
		return "warning"
	}
	return "info"
}

// dedupOf returns the key of the alert: the alert key of the message, or the message key
// if the message belongs to no job. The key is hashed if it is too long or not printable.
func dedupOf(m *message.Message) string {
	key := m.Dedup
	if key == "" {
		key = "vedette/" + m.ID
	}
	if len(key) > maxDedup || message.Clean(key) != key {
		sum := sha256.Sum256([]byte(key))
		return "vedette/" + hex.EncodeToString(sum[:])
	}
	return key
}
