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

// silence adds a silence of the node gpu-17 for two hours from start.
func (d *database) silence(t *testing.T) (s delivery.Silence) {
	t.Helper()
	s = delivery.Silence{Matchers: []string{"node=gpu-17", "cluster=west"}, Comment: "a new GPU", CreatedBy: "vera", StartsAt: start, EndsAt: start.Add(2 * time.Hour)}
	id, err := delivery.AddSilence(t.Context(), d.DB, s)
	if err != nil {
		t.Fatal(err)
	}
	s.ID = id
	return s
}

// summary returns the summary of a silence for a receiver.
func summary(s *delivery.Silence, receiver string) delivery.Delivery {
	one := about(0, receiver, fmt.Sprintf("silence/%d/chat:%s", s.ID, receiver))
	one.Kind, one.NextAt = "Digest", s.EndsAt
	return one
}

// holdBack holds back messages, which a receiver gets in a summary.
func (d *database) holdBack(t *testing.T, s *delivery.Silence, receiver string, all ...delivery.Delivery) (added int, active bool) {
	t.Helper()
	d.tx(t, func(tx *sqldb.Tx) (err error) {
		added, active, err = delivery.HoldBack(t.Context(), tx, s.ID, summary(s, receiver), all)
		return err
	})
	return added, active
}

// closeDigests releases what is due at a time, and returns the claimed keys.
func (d *database) closeDigests(t *testing.T, now time.Time) []string {
	t.Helper()
	d.tx(t, func(tx *sqldb.Tx) error {
		_, err := delivery.CloseDigests(t.Context(), tx, now)
		return err
	})
	c := d.claim(t, delivery.ClaimOptions{Now: now, Limit: 10})
	d.finish(t, delivery.Outcome{At: now}, delivery.Policy{}, c.Deliveries...)
	return keys(c.Deliveries)
}

// TestSilence: held back messages are listed and counted once, and are never sent. Each
// receiver gets one summary with its messages at the end.
func TestSilence(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s := d.silence(t)
		d.create(t, about(9, "a", "sent"))
		for range 2 { // a key is added once, and a message that was created before stays
			d.holdBack(t, &s, "a", about(1, "a", "1"), about(2, "a", "2"), about(9, "a", "sent"))
		}
		if n, active := d.holdBack(t, &s, "b", about(1, "b", "3"), about(1, "a", "1")); n != 1 || !active {
			t.Errorf("added %d, active %v; want 1 and true", n, active)
		}
		held, err := delivery.HeldBack(t.Context(), d.DB, s.ID, 0, 10)
		if err != nil || !slices.Equal(keys(held), []string{"1", "2", "3"}) || held[0].State != delivery.Silenced || held[0].LastError != fmt.Sprintf("silenced by silence %d", s.ID) {
			t.Errorf("held back: got %+v and error %v, want 1, 2 and 3 with the reason", held, err)
		}
		if counts, err := delivery.HeldBackCounts(t.Context(), d.DB); err != nil || len(counts) != 1 || counts[s.ID] != 3 {
			t.Errorf("counts: got %v and error %v, want 3", counts, err)
		}
		if n, err := delivery.Recent(t.Context(), d.DB, "chat", "b", start.Add(-time.Hour)); n != 1 || err != nil { // the summary
			t.Errorf("recent: got %d and error %v, want 1", n, err)
		}
		if got := d.closeDigests(t, s.EndsAt.Add(-time.Second)); !slices.Equal(got, []string{"sent"}) {
			t.Errorf("before the end: sent %q, want only the message that was created before", got)
		}
		got := d.closeDigests(t, s.EndsAt)
		slices.Sort(got)
		if want := []string{summary(&s, "a").Key, summary(&s, "b").Key}; !slices.Equal(got, want) {
			t.Errorf("at the end: sent %q, want %q", got, want)
		}
		sent, err := delivery.Find(t.Context(), d.DB, summary(&s, "a").Key)
		if err != nil {
			t.Fatal(err)
		}
		items, err := delivery.Items(t.Context(), d.DB, sent.ID)
		if err != nil || len(items) != 2 || items[0].Object != 1 || items[1].Object != 2 {
			t.Errorf("items: got %+v and error %v, want the jobs 1 and 2", items, err)
		}
		if n, active := d.holdBack(t, &s, "a", about(3, "a", "4")); n != 0 || active {
			t.Errorf("after the summary: added %d, active %v; want 0 and false", n, active)
		}
		if p, err := delivery.Prune(t.Context(), d.DB, s.EndsAt.Add(time.Hour)); err != nil || p.Deliveries != 6 || p.Silences != 1 {
			t.Errorf("pruned %+v, error %v; want 6 deliveries and 1 silence", p, err)
		}
		if counts, err := delivery.HeldBackCounts(t.Context(), d.DB); err != nil || len(counts) > 0 {
			t.Errorf("counts after pruning: got %v and error %v, want none", counts, err)
		}
	})
}

// TestExpireSilence: an expired silence sends its summary at once, holds back nothing more,
// and cannot be expired twice. The audit has both acts.
func TestExpireSilence(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s := d.silence(t)
		s.EndsAt = d.Now().Add(time.Hour).Truncate(time.Microsecond)
		s.StartsAt = time.Time{}
		id, err := delivery.AddSilence(t.Context(), d.DB, s)
		if err != nil {
			t.Fatal(err)
		}
		s.ID = id
		d.holdBack(t, &s, "a", about(1, "a", "1"))
		if err := delivery.ExpireSilence(t.Context(), d.DB, s.ID, "liwei"); err != nil {
			t.Fatal(err)
		}
		if n, active := d.holdBack(t, &s, "b", about(2, "b", "2")); n != 0 || active {
			t.Errorf("after the end: added %d, active %v; want 0 and false", n, active)
		}
		if got := d.closeDigests(t, d.Now()); !slices.Equal(got, []string{summary(&s, "a").Key}) {
			t.Errorf("sent %q, want the summary", got)
		}
		got, err := delivery.FindSilence(t.Context(), d.DB, s.ID)
		if err != nil || got.ExpiredBy != "liwei" || got.EndsAt.After(d.Now()) || !slices.Equal(got.Matchers, s.Matchers) || got.Comment != s.Comment || got.CreatedBy != "vera" {
			t.Errorf("got %+v and error %v, want it expired by liwei", got, err)
		}
		for _, id := range []int64{s.ID, s.ID + 100} {
			if err := delivery.ExpireSilence(t.Context(), d.DB, id, "liwei"); !errors.Is(err, delivery.ErrUnknown) {
				t.Errorf("expire silence %d: got %v, want ErrUnknown", id, err)
			}
		}
		acts, err := delivery.Acts(t.Context(), d.DB, 1)
		if err != nil || len(acts) != 1 || acts[0].Actor != "liwei" || acts[0].Action != "expire-silence" {
			t.Errorf("acts: got %+v and error %v, want expire-silence by liwei", acts, err)
		}
	})
}

// TestSilenceLimits: silences are bounded in number, in size and in length.
func TestSilenceLimits(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		good := delivery.Silence{Matchers: []string{"node=gpu-17"}, Comment: "c", CreatedBy: "vera", EndsAt: d.Now().Add(time.Hour)}
		for name, change := range map[string]func(*delivery.Silence){
			"no matcher": func(s *delivery.Silence) { s.Matchers = nil }, "no comment": func(s *delivery.Silence) { s.Comment = "" }, "no author": func(s *delivery.Silence) { s.CreatedBy = "" },
			"large": func(s *delivery.Silence) {
				s.Matchers = slices.Repeat([]string{"node=" + strings.Repeat("x", 500)}, 10)
			}, "line break": func(s *delivery.Silence) { s.Matchers = []string{"node=a\nname=b"} },
			"no end": func(s *delivery.Silence) { s.EndsAt = time.Time{} }, "long": func(s *delivery.Silence) { s.EndsAt = d.Now().Add(delivery.LongestSilence + time.Hour) },
		} {
			bad := good
			change(&bad)
			if _, err := delivery.AddSilence(t.Context(), d.DB, bad); err == nil {
				t.Errorf("%s: a silence was added", name)
			}
		}
		row := []any{"node=gpu-17", "c", "vera", "", int64(1), d.Now().Add(time.Hour).UnixMicro(), int64(0)}
		columns := []string{"matchers", "comment", "created_by", "expired_by", "starts_at", "ends_at", "touches"}
		d.tx(t, func(tx *sqldb.Tx) error {
			return tx.Insert(t.Context(), "silences", columns, slices.Repeat([][]any{row}, delivery.MostSilencesOfAuthor-1))
		})
		if _, err := delivery.AddSilence(t.Context(), d.DB, good); err != nil {
			t.Errorf("the last silence of an author: %v", err)
		}
		if _, err := delivery.AddSilence(t.Context(), d.DB, good); !errors.Is(err, delivery.ErrTooManySilences) {
			t.Errorf("one more of an author: got %v, want ErrTooManySilences", err)
		}
		row[2] = "others"
		d.tx(t, func(tx *sqldb.Tx) error {
			return tx.Insert(t.Context(), "silences", columns, slices.Repeat([][]any{row}, delivery.MostSilences-delivery.MostSilencesOfAuthor))
		})
		good.CreatedBy = "ann"
		if _, err := delivery.AddSilence(t.Context(), d.DB, good); !errors.Is(err, delivery.ErrTooManySilences) {
			t.Errorf("one more of all: got %v, want ErrTooManySilences", err)
		}
	})
}
