package delivery_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// TestUnsubscribe: a token stops the messages about one job, or the digests of one rule, to one
// address, and nothing else. No other database and no other key can make one.
func TestUnsubscribe(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		key, err := delivery.UnsubscribeKey(t.Context(), d.DB)
		if err != nil || len(key) != 32 {
			t.Fatalf("got a key of %d bytes and %v", len(key), err)
		}
		if again, err := delivery.UnsubscribeKey(t.Context(), d.DB); err != nil || string(again) != string(key) {
			t.Errorf("the key has changed: %v", err)
		}
		mine, digest := about(7, "ann@example.com", "a"), about(0, "ann@example.com", "b")
		digest.Kind = "Digest"
		token := delivery.UnsubscribeToken(key, &mine)
		payload, tag, _ := strings.Cut(token, ".")
		other := delivery.UnsubscribeToken(key, &digest)
		otherPayload, otherTag, _ := strings.Cut(other, ".")
		forged := delivery.UnsubscribeToken(make([]byte, 32), &mine)
		for _, wrong := range []string{"", ".", payload, payload + ".", payload + "." + otherTag, otherPayload + "." + tag, forged, token + "A", strings.Repeat("A", 1<<20)} {
			if err := delivery.UnsubscribeBy(t.Context(), d.DB, wrong); !errors.Is(err, delivery.ErrUnknown) {
				t.Errorf("the token %.80q: got %v, want ErrUnknown", wrong, err)
			}
		}
		if list := about(7, "", "c"); delivery.UnsubscribeToken(key, &list) != "" {
			t.Error("a channel that several people read has a token")
		}
		for range 3 { // a mail server may repeat it
			for _, one := range []string{token, other} {
				if err := delivery.UnsubscribeBy(t.Context(), d.DB, one); err != nil {
					t.Fatal(err)
				}
			}
		}
		mutes, err := delivery.Mutes(t.Context(), d.DB, d.Now())
		if err != nil || len(mutes) != 2 {
			t.Fatalf("got %+v and %v, want two mutes", mutes, err)
		}
		var rows int
		if err := d.QueryRow(t.Context(), "SELECT COUNT(*) FROM notify_audit").Scan(&rows); err != nil || rows != 2 {
			t.Errorf("got %d rows of the audit and %v, want 2", rows, err)
		}
		others := []delivery.Delivery{about(8, "ann@example.com", "d"), about(7, "bob@example.com", "e"), digest}
		others[2].Rule = "another"
		elsewhere := mine
		elsewhere.Channel = "mail"
		others = append(others, elsewhere)
		for i, m := range mutes {
			if m.Matches(&mine, d.Now()) != (i == 0) || m.Matches(&digest, d.Now()) != (i == 1) {
				t.Errorf("%+v stops the wrong messages", m)
			}
			for _, one := range others {
				if m.Matches(&one, d.Now()) {
					t.Errorf("%+v stops %+v", m, one)
				}
			}
		}
	})
}
