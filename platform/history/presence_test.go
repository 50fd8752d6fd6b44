package history_test

import (
	"encoding/json"
	"testing"

	"github.com/vedette-io/vedette/platform/history"
)

// TestPresenceText checks that a presence is a word in text and in JSON, and that an
// undefined number is unknown.
func TestPresenceText(t *testing.T) {
	for p, word := range map[history.Presence]string{history.Present: "present", history.Deleted: "deleted", history.Unknown: "unknown", history.Unselected: "unselected", 9: "unknown", -1: "unknown"} {
		text, err := json.Marshal(history.Object{Presence: p})
		var back struct{ Presence string }
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || back.Presence != word || p.String() != word {
			t.Errorf("%d: %q, %q, %v; want %q", int(p), p, back.Presence, err, word)
		}
		var object history.Object
		if err := json.Unmarshal(text, &object); err != nil || object.Presence.String() != word {
			t.Errorf("%q was read as %v, %v", word, object.Presence, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"Presence":"there"}`), &history.Object{}); err == nil {
		t.Error(`"there" was accepted`)
	}
}
