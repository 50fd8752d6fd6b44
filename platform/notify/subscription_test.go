package notify

import (
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// TestIndexes: with indexes, a transition finds the same subscriptions as without.
func TestIndexes(t *testing.T) {
	r := testinput.Rand(t)
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	var s subscriptions
	plain := subscriptions{index: map[property][]*subscriber{}}
	for i := range 300 {
		one := delivery.Subscription{
			ID: int64(i + 1), Address: fmt.Sprint(i), VerifiedAt: time.Unix(1, 0), Namespace: pick("", "", "ml", "web"), Name: pick("", "", "", "a", "b"), UID: pick("", "", "", "u1", "u2"),
			Labels: pick("", "", "team=ml", "team in (ml)", "team in (ml, web), tier=1", "team!=web", "tier", "!tier"), States: pick("", "Failed", "Failed, Running"),
		}
		s.add(&one)
		plain.index[property{}] = append(plain.index[property{}], s.all[one.ID])
	}
	if n := len(s.index[property{}]); len(s.all) != 300 || n > 100 {
		t.Fatalf("%d subscriptions, of which %d have no property", len(s.all), n)
	}
	found := 0
	for range testinput.Cases(t, 200) {
		tr := &feed.Transition{From: "Queued", To: "Failed", Object: feed.Object{UID: pick("u1", "u2", "u3"), Namespace: pick("ml", "web", "x"), Name: pick("a", "b", "c")}}
		tr.Object.Labels = map[string]string{}
		if team := pick("", "ml", "web"); team != "" {
			tr.Object.Labels["team"] = team
		}
		if tier := pick("", "1", "2"); tier != "" {
			tr.Object.Labels["tier"] = tier
		}
		got, want := fmt.Sprint(s.match(tr, time.Unix(5, 0))), fmt.Sprint(plain.match(tr, time.Unix(5, 0)))
		if got != want {
			t.Fatalf("%+v: got %s, want %s", tr.Object, got, want)
		}
		found += len(got)
	}
	if found == 0 {
		t.Error("nothing was found: the test shows nothing")
	}
}
