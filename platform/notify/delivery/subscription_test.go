package delivery_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// stored inserts subscriptions of a person, some for the job uid.
func (d *database) stored(t *testing.T, person, uid string, n int) {
	t.Helper()
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = []any{
			fmt.Appendf(nil, "%-8.8s%08d", person+uid, i), person, "", "", "", "", uid, "", "", "chat", "", int64(1), person, int64(1), make([]byte, 16), int64(0), int16(0), int64(0),
		}
	}
	d.tx(t, func(tx *sqldb.Tx) error {
		return tx.Insert(t.Context(), "subscriptions", []string{
			"content_hash", "person", "cluster", "object_type", "namespace", "name", "uid", "labels", "states", "channel", "address",
			"created_at", "created_by", "verified_at", "code_hash", "code_until", "tries", "muted_until",
		}, rows)
	})
}

// TestLimits: a person has a maximum of subscriptions, and so have all people together. A
// subscription that exists can be repeated, and others can be made after one was removed.
func TestLimits(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		subscribe := func(person, name string) (int64, error) {
			return delivery.Subscribe(t.Context(), d.DB, delivery.Subscription{Person: person, Name: name, Channel: "chat", CreatedBy: person}, "", 0)
		}
		first, err := subscribe("ann", "a")
		if err != nil {
			t.Fatal(err)
		}
		d.stored(t, "ann", "", delivery.MostOfPerson-1)
		if _, err := subscribe("ann", "b"); !errors.Is(err, delivery.ErrTooMany) {
			t.Errorf("one more: %v, want ErrTooMany", err)
		}
		if again, err := subscribe("ann", "a"); err != nil || again != first {
			t.Errorf("the same again: %d, %v, want %d", again, err, first)
		}
		if _, err := subscribe("bob", "b"); err != nil {
			t.Errorf("another person: %v", err)
		}
		if err := delivery.Unsubscribe(t.Context(), d.DB, first, "ann", "ann"); err != nil {
			t.Fatal(err)
		}
		if _, err := subscribe("ann", "b"); err != nil {
			t.Errorf("after one was removed: %v", err)
		}
		for i := range 49 {
			d.stored(t, fmt.Sprint("p", i), "", delivery.MostOfPerson)
		}
		if _, err := subscribe("eve", "a"); !errors.Is(err, delivery.ErrTooMany) {
			t.Errorf("one more of all: %v, want ErrTooMany", err)
		}
		if _, err := delivery.Subscribe(t.Context(), d.DB, delivery.Subscription{Person: "eve", Labels: string(make([]byte, 5<<10)), Channel: "chat"}, "", 0); err == nil || errors.Is(err, delivery.ErrTooMany) {
			t.Errorf("a selector of 5 KiB: %v, want an error", err)
		}
	})
}

// TestSubscriptionChanges: each change of a subscription is counted, and the last 1,000 are listed.
func TestSubscriptionChanges(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		var last int64
		changed := func(what string, err error, want ...int64) {
			t.Helper()
			changes, failed := delivery.ReadSubscriptionChanges(t.Context(), d)
			got, ok := changes.Since(last)
			if err != nil || failed != nil || !ok || !slices.Equal(got, want) {
				t.Errorf("%s: errors %v and %v, changes of %v, listed %v; want %v", what, err, failed, got, ok, want)
			}
			last = changes.Count
		}
		ann := delivery.Subscription{Person: "ann", Channel: "chat", CreatedBy: "ann"}
		id, err := delivery.Subscribe(t.Context(), d.DB, ann, "1234", time.Hour)
		changed("subscribe", err, id)
		changed("verify", delivery.Verify(t.Context(), d.DB, id, "1234"), id)
		_, err = delivery.Subscribe(t.Context(), d.DB, ann, "", 0)
		changed("the same again", err, id)
		changed("mute", delivery.MuteSubscription(t.Context(), d.DB, id, "ann", start, "ann"), id)
		changed("nothing", nil)
		changed("unsubscribe", delivery.Unsubscribe(t.Context(), d.DB, id, "ann", "ann"), id)
		if err := delivery.Unsubscribe(t.Context(), d.DB, id, "ann", "ann"); !errors.Is(err, delivery.ErrUnknown) {
			t.Errorf("unsubscribe again: got %v, want ErrUnknown", err)
		}
		changed("a refusal", nil)
		d.tx(t, func(tx *sqldb.Tx) error { // an input: a full list
			return delivery.SetMark(t.Context(), tx, "subscriptions", "5000"+strings.Repeat(" 9000000", 1000))
		})
		id, err = delivery.Subscribe(t.Context(), d.DB, ann, "", 0)
		changes, failed := delivery.ReadSubscriptionChanges(t.Context(), d)
		if got, ok := changes.Since(4001); err != nil || failed != nil || changes.Count != 5001 || !ok || !slices.Equal(got, []int64{id, 9000000}) {
			t.Errorf("the last 1,000 changes: got %v, listed %v, count %d, errors %v and %v; want %d and 9000000", got, ok, changes.Count, err, failed, id)
		}
		if _, ok := changes.Since(4000); ok {
			t.Error("1,001 changes are listed")
		}
		if _, ok := changes.Since(changes.Count + 1); ok {
			t.Error("changes of the future are listed")
		}
	})
}
