package writeapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// deliver stores messages about a job, and returns their numbers.
func (w *world) deliver(j *batchv1.Job, states ...delivery.State) (ids []int64) {
	w.t.Helper()
	var row jobindex.Row
	_ = w.index.View(func(v *jobindex.View) error {
		row, _ = v.Job(clusterName, string(j.UID), time.Time{})
		return nil
	})
	err := w.db.Transact(w.t.Context(), func(tx *sqldb.Tx) error {
		var all []delivery.Delivery
		for n := range states {
			all = append(all, delivery.Delivery{
				Key: fmt.Sprintf("%s/%d", j.Name, n), Kind: "Failed", Rule: "r", Channel: "hook", Receiver: fmt.Sprint("r", n), Object: row.ID,
				Event: []byte(`{"kind":"Failed"}`), CreatedAt: time.Now(), EscalateAt: time.Now().Add(time.Hour), // an input: a delivery that escalates later
			})
		}
		if _, err := delivery.Create(w.t.Context(), tx, all); err != nil {
			return err
		}
		for n, s := range states {
			if _, err := tx.Exec(w.t.Context(), "UPDATE deliveries SET state = ?, escalate_at = ? WHERE receiver = ? AND object_id = ?", int16(s), time.Now().Add(time.Hour).UnixMicro(), fmt.Sprint("r", n), row.ID); err != nil { // an input: a delivery that escalates later
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for n := range states {
		var id int64
		if err := w.db.QueryRow(w.t.Context(), "SELECT id FROM deliveries WHERE object_id = ? AND receiver = ?", row.ID, fmt.Sprint("r", n)).Scan(&id); err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// states returns the states of messages.
func (w *world) states(ids ...int64) (all []delivery.State) {
	w.t.Helper()
	for _, id := range ids {
		d, _, err := delivery.Show(w.t.Context(), w.db, id)
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, d.State)
	}
	return all
}

// TestAcknowledge: the owner, and people who may change the job, may acknowledge; readers may
// not.
func TestAcknowledge(t *testing.T) {
	w := newWorld(t)
	job := w.job("team-a", "train", "anna", 0, 1)
	w.deliver(job, delivery.Sent, delivery.Sent)
	w.refused("vera", in(job, "acknowledge"), nil, http.StatusForbidden)
	if act := post[api.Act](w, "anna", in(job, "acknowledge"), nil); act.Count != 2 {
		t.Errorf("got %+v, want 2 acknowledged", act)
	}
	if act := post[api.Act](w, "root", in(job, "acknowledge"), nil); act.Count != 0 {
		t.Errorf("got %+v, want none acknowledged", act)
	}
	post[api.Act](w, "vera", in(job, "mute"), api.MuteRequest{})
	w.refused("vera", in(job, "mute"), api.MuteRequest{Until: time.Now().Add(10_000 * time.Hour)}, http.StatusUnprocessableEntity) // an input: the end of a mute
	mutes, err := delivery.Mutes(t.Context(), w.db, time.Now())
	if err != nil || len(mutes) != 1 || mutes[0].Person != "vera" || mutes[0].Object == 0 {
		t.Errorf("got %+v and error %v, want one mute by vera for the job", mutes, err)
	}
	w.wantActs("vera acknowledge team-a/train denied", "anna acknowledge team-a/train done", "root acknowledge team-a/train done", "vera mute team-a/train done")
}

// TestDeadLetters: dead letters are for people who see everything. People who may change a
// job may send its messages again, once a minute.
func TestDeadLetters(t *testing.T) {
	w := newWorld(t)
	job := w.job("team-a", "train", "anna", 0, 1)
	ids := w.deliver(job, delivery.Dead, delivery.Dead, delivery.Dead, delivery.Sent, delivery.Waiting)
	for _, path := range []string{api.PathReplay, api.PathDrop} {
		w.refused("anna", path, api.ReplayRequest{All: true}, http.StatusForbidden)
		w.refused("root", path, api.ReplayRequest{}, http.StatusUnprocessableEntity)
		w.refused("root", path, api.ReplayRequest{IDs: ids[:1], All: true}, http.StatusUnprocessableEntity)
		w.refused("root", path, api.ReplayRequest{IDs: make([]int64, 10_001)}, http.StatusUnprocessableEntity)
	}
	if act := post[api.Act](w, "root", api.PathReplay, api.ReplayRequest{IDs: []int64{ids[0], ids[3], 999}}); act.Count != 1 {
		t.Errorf("got %+v, want 1 sent again", act)
	}
	if act := post[api.Act](w, "root", api.PathDrop, api.ReplayRequest{Channel: "hook"}); act.Count != 2 {
		t.Errorf("got %+v, want 2 dropped", act)
	}
	if got := w.states(ids...); !slices.Equal(got, []delivery.State{delivery.Waiting, delivery.Dropped, delivery.Dropped, delivery.Sent, delivery.Waiting}) {
		t.Errorf("the states are %v", got)
	}
	send := func(id int64) string { return fmt.Sprintf("/deliveries/%d/send", id) }
	for n, id := range []int64{ids[3], 999_999} { // ben may not see the job
		if p := w.refused("ben", send(id), nil, http.StatusNotFound); !strings.HasPrefix(p.Detail, "There is no message") {
			t.Errorf("message %d: got %+v, want that there is no message", n, p)
		}
	}
	w.refused("vera", send(ids[3]), nil, http.StatusForbidden)
	w.refused("anna", send(ids[4]), nil, http.StatusConflict)
	var before, after int
	count := func(n *int) {
		if err := w.db.QueryRow(t.Context(), "SELECT COUNT(*) FROM deliveries").Scan(n); err != nil {
			t.Fatal(err)
		}
	}
	count(&before)
	post[api.Act](w, "anna", send(ids[3]), nil)
	post[api.Act](w, "anna", send(ids[3]), nil)
	if count(&after); after < before+1 || after > before+2 { // two, if the minute has changed in between
		t.Errorf("%d messages became %d, want one more", before, after)
	}
}

// TestSubscriptions: a person subscribes to jobs that they see, with addresses of their own,
// and cannot change subscriptions of others.
func TestSubscriptions(t *testing.T) {
	w := newWorld(t)
	mine, theirs := w.job("team-a", "train", "anna", 0, 1), w.job("team-b", "other", "ben", 0, 1)
	s := post[api.Subscription](w, "anna", api.PathSubscriptions, api.Subscribe{Cluster: clusterName, UID: string(mine.UID), Channel: "hook", States: []string{"Failed"}})
	if s.ID == 0 || s.Name != "train" || s.Cluster != clusterName || s.Verified.IsZero() || len(s.States) != 1 {
		t.Errorf("got %+v, want a verified subscription to train for one state", s)
	}
	for name, c := range map[string]struct {
		in   api.Subscribe
		want int
	}{
		"a job of others":         {api.Subscribe{Cluster: clusterName, UID: string(theirs.UID), Channel: "hook"}, 404},
		"a namespace of others":   {api.Subscribe{Cluster: clusterName, Type: "jobs.batch", Namespace: "team-b", Channel: "hook"}, 403},
		"all namespaces":          {api.Subscribe{Cluster: clusterName, Channel: "hook"}, 403},
		"all types":               {api.Subscribe{Cluster: clusterName, Namespace: "team-a", Channel: "hook"}, 403},
		"a name alone":            {api.Subscribe{Cluster: clusterName, Namespace: "team-a", Name: "train", Channel: "hook"}, 422},
		"a wrong state":           {api.Subscribe{Cluster: clusterName, UID: string(mine.UID), Channel: "hook", States: []string{"Failed,Running"}}, 422},
		"a wrong selector":        {api.Subscribe{Cluster: clusterName, UID: string(mine.UID), Channel: "hook", Labels: "a=(b"}, 422},
		"no channel":              {api.Subscribe{Cluster: clusterName, UID: string(mine.UID), Channel: "nothing"}, 422},
		"a channel of others":     {api.Subscribe{Cluster: clusterName, UID: string(mine.UID), Channel: "closed"}, 422},
		"an address of a webhook": {api.Subscribe{Cluster: clusterName, UID: string(mine.UID), Channel: "hook", Address: "https://evil.example.com"}, 422},
	} {
		t.Run(name, func(t *testing.T) { w.refused("anna", api.PathSubscriptions, c.in, c.want) })
	}
	one := post[api.Subscription](w, "anna", api.PathSubscriptions, api.Subscribe{Cluster: clusterName, Type: "jobs.batch", Namespace: "team-a", Channel: "hook", Labels: "sweep=lr"})
	own := fmt.Sprintf("/subscriptions/%d", one.ID)
	w.refused("ben", own+"/test", nil, http.StatusNotFound)
	w.refused("ben", own+"/code", api.VerifyRequest{Code: "1"}, http.StatusNotFound)
	w.refused("ben", own+"/mute", api.MuteRequest{Until: time.Now().Add(time.Hour)}, http.StatusNotFound) // an input: the end of a mute
	if status, _ := w.send("ben", http.MethodDelete, api.Prefix+own, nil); status != 404 {
		t.Errorf("somebody else ends a subscription: %d", status)
	}
	if status, text := w.send("ben", http.MethodGet, api.Prefix+api.PathSubscriptions, nil); status != 200 || strings.Contains(text, "sweep=lr") || !strings.Contains(text, `"name":"hook"`) || strings.Contains(text, `"name":"closed"`) || strings.Contains(text, "http://") {
		t.Errorf("ben lists: got status %d and %s, want 200 and only hook, without secrets", status, text)
	}
	for n := range 6 {
		status, text := w.send("anna", http.MethodPost, api.Prefix+own+"/test", nil)
		if want := map[bool]int{true: 200, false: 429}[n < 5]; status != want {
			t.Errorf("test message %d: got status %d and %s, want %d", n, status, text, want)
		}
	}
	w.mu.Lock()
	if len(w.sent) != 5 {
		t.Errorf("%d test messages arrived", len(w.sent))
	}
	w.mu.Unlock()
	post[api.Act](w, "anna", own+"/mute", api.MuteRequest{Until: time.Now().Add(time.Hour)}) // an input: the end of a mute
	if status, text := w.send("anna", http.MethodDelete, api.Prefix+own, nil); status != 200 {
		t.Errorf("remove of a subscription: got status %d and %s, want 200", status, text)
	}
	if acts := w.acts(); !slices.Contains(acts, fmt.Sprintf("anna unsubscribe subscription %d done", one.ID)) || slices.ContainsFunc(acts, func(a string) bool { return strings.HasPrefix(a, "ben") }) {
		t.Errorf("the audit has %q", acts)
	}
}
