package notify

import (
	"testing"

	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// TestOwnAct: people get no messages about their own acts.
func TestOwnAct(t *testing.T) {
	notice := func(actor string) *message.Notice {
		return &message.Notice{Kind: message.Aborted, Actor: actor, Job: message.Job{Owner: "wei@example.com"}}
	}
	owner := config.Receiver{Channel: "chat", Person: "liwei", Role: config.OwnerRole}
	personOf := func(name string) string {
		return map[string]string{"liwei": "liwei", "wei@example.com": "liwei", "ann": "ann"}[name]
	}
	for _, c := range []struct {
		name, actor string
		to          config.Receiver
		own         bool
	}{
		{"the owner, by the name of the person", "liwei", owner, true},
		{"the owner, by a further name", "wei@example.com", owner, true},
		{"the submitter, with another owner", "wei@example.com", config.Receiver{Channel: "chat", Person: "bob", Role: config.OwnerRole}, false},
		{"a subscriber who is not in the table of people", "kim", config.Receiver{Channel: "chat", Person: "kim", Role: "subscriber"}, true},
		{"another person", "ann", owner, false},
		{"unknown actor", "", owner, false},
		{"another receiver", "wei@example.com", config.Receiver{Channel: "chat", Person: "ann", Role: "ann"}, false},
		{"a channel", "wei@example.com", config.Receiver{Channel: "ops", Role: "ops"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if w := (&want{to: c.to, notice: notice(c.actor)}); w.own(personOf) != c.own {
				t.Errorf("got own = %v, want %v", !c.own, c.own)
			}
		})
	}
}
