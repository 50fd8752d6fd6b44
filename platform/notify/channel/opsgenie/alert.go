package opsgenie

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/vedette-io/vedette/platform/notify/message"
)

const (
	maxMessage = 130     // characters
	maxAlias   = 255     // bytes; Opsgenie accepts 512 characters
	maxDetails = 8 << 10 // bytes of description and details
	maxEntity  = 512     // characters
	maxLog     = 10      // lines
)

// alert is the body of a request that creates an alert.
type alert struct {
	Message     string            `json:"message"`
	Alias       string            `json:"alias"`
	Description string            `json:"description,omitempty"`
	Priority    string            `json:"priority"`
	Entity      string            `json:"entity,omitempty"`
	Source      string            `json:"source"`
	Tags        []string          `json:"tags,omitempty"`
	Details     map[string]string `json:"details,omitempty"`
}

// newAlert returns the alert of a message.
func newAlert(m *message.Message) *alert {
	title, _ := m.TitleWithin(message.Limit{Runes: maxMessage})
	short := *m
	short.Log = m.Log[max(0, len(m.Log)-maxLog):]
	fitting := message.Fit(&short, func(m *message.Message) bool {
		text, err := json.Marshal([]any{descriptionOf(m), detailsOf(m)})
		return err == nil && len(text) <= maxDetails
	})
	return &alert{
		Message: title, Alias: aliasOf(m), Description: descriptionOf(fitting), Priority: priorityOf(m.Kind), Entity: message.Limit{Runes: maxEntity}.Cut(m.Name),
		Source: "vedette", Tags: []string{"vedette", string(m.Kind)}, Details: detailsOf(fitting),
	}
}

// descriptionOf returns the message as plain text.
func descriptionOf(m *message.Message) string {
	lines := []string{m.Sentence}
	for _, s := range m.Sections {
		lines = append(lines, s.Title)
		for _, r := range s.Rows {
			lines = append(lines, "- "+r.Name+", "+r.Text)
		}
	}
	lines = append(lines, m.More)
	if m.URL != "" {
		lines = append(lines, m.URL)
	}
	if len(m.Log) > 0 {
		lines = append(append(lines, m.LogTitle), m.Log...)
	}
	var kept []string
	for _, line := range lines {
		if line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func detailsOf(m *message.Message) map[string]string {
	details := map[string]string{"Place": m.Place, "Key": message.Clean(m.ID), "Why": m.Footer.Why, "Mute": m.Footer.Mute.URL}
	if m.Name != "" {
		details["Job"] = m.Name
	}
	for _, f := range m.Facts {
		details[f.Label] = f.Value
	}
	for label, value := range details {
		if value == "" {
			delete(details, label)
		}
	}
	return details
}

// priorityOf returns the Opsgenie priority of a kind.
func priorityOf(k message.Kind) string {
	switch {
	case k == message.Escalation:
		return "P1"
	case k == message.Failed:
		return "P2"
	case k.Timer():
		return "P3"
	}
	return "P5"
}

// aliasOf returns the key of the alert: the alert key of the message, or the message key
// if the message belongs to no job. The key is hashed if it is too long or not printable.
func aliasOf(m *message.Message) string {
	key := m.Dedup
	if key == "" {
		key = "vedette/" + m.ID
	}
	if len(key) > maxAlias || message.Clean(key) != key {
		sum := sha256.Sum256([]byte(key))
		return "vedette/" + hex.EncodeToString(sum[:])
	}
	return key
}
