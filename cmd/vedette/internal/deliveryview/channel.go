package deliveryview

import (
	"strings"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// ChannelDocument is the machine-readable form of a channel in use.
type ChannelDocument struct {
	Name        string `json:"name"`
	State       string `json:"state"`
	Reason      string `json:"reason"`
	PausedUntil string `json:"pausedUntil"`
	DisabledAt  string `json:"disabledAt"`
	Failures    int    `json:"failures"`
	Held        int    `json:"held"`
	Waiting     int    `json:"waiting"`
	Sending     int    `json:"sending"`
	Dead        int    `json:"dead"`
	OldestAt    string `json:"oldestAt"`
}

// ChannelColumns are the columns of the list of channels.
var ChannelColumns = listing.Columns{Always: []string{"CHANNEL", "STATE", "WAITING", "SENDING", "HELD", "DEAD", "OLDEST"}, Wide: []string{"FAILURES", "REASON"}}

// NewChannelDocument returns the machine-readable form of a channel.
func NewChannelDocument(c *delivery.Channel, counts []delivery.Count, now time.Time) ChannelDocument {
	state, _, _ := strings.Cut(ChannelState(c, now), " ")
	doc := ChannelDocument{Name: c.Name, State: state, Reason: c.Reason, DisabledAt: units.Timestamp(c.DisabledAt), Failures: c.Failures}
	if c.PausedUntil.After(now) {
		doc.PausedUntil = units.Timestamp(c.PausedUntil)
	}
	var oldest time.Time
	for _, n := range counts {
		if n.Channel != c.Name {
			continue
		}
		switch n.State {
		case delivery.Held:
			doc.Held += n.N
		case delivery.Behind, delivery.Waiting:
			doc.Waiting += n.N
			if oldest.IsZero() || n.Oldest.Before(oldest) {
				oldest = n.Oldest
			}
		case delivery.Sending:
			doc.Sending += n.N
		case delivery.Dead:
			doc.Dead += n.N
		}
	}
	doc.OldestAt = units.Timestamp(oldest)
	return doc
}

// ChannelState returns "running", "broken until 10:42:11", "throttled until …" or "disabled".
func ChannelState(c *delivery.Channel, now time.Time) string {
	switch {
	case !c.DisabledAt.IsZero():
		return "disabled"
	case c.PausedUntil.After(now):
		return c.Cause.String() + " until " + c.PausedUntil.Local().Format(time.TimeOnly)
	}
	return delivery.Running.String()
}
