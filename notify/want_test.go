package notify

import (
	"testing"

	"github.com/vedette-io/vedette/notify/config"
	"github.com/vedette-io/vedette/notify/message"
)

// TestOwnAct: nobody is told what they did themselves.
func TestOwnAct(t *testing.T) {
	notice := func(actor string) *message.Notice {
		return &message.Notice{Kind: message.Aborted, Actor: actor, Job: message.Job{Owner: "wei@example.com"}}
	}
	owner := config.Receiver{Channel: "chat", Person: "liwei", Role: config.OwnerRole}
	for _, c := range []struct {
		name, actor string
		to          config.Receiver
		own         bool
	}{
		{"the owner, by the name of the person", "liwei", owner, true},
		{"the owner, by the name in the job", "wei@example.com", owner, true},
		{"somebody else", "ann", owner, false},
		{"nobody knows", "", owner, false},
		{"another receiver", "wei@example.com", config.Receiver{Channel: "chat", Person: "ann", Role: "ann"}, false},
		{"a channel", "wei@example.com", config.Receiver{Channel: "ops", Role: "ops"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if w := (&want{to: c.to, notice: notice(c.actor)}); w.own() != c.own {
				t.Errorf("own is %v", w.own())
			}
		})
	}
}
