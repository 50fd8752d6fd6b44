package writeapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestPeopleOfClusters: subscriptions, mutes and acknowledgments belong to the person whom the same
// cluster, or the portal itself, has identified, and not to others with the same name.
func TestPeopleOfClusters(t *testing.T) {
	w := newWorld(t)
	job := w.job("team-a", "train", "vera", 0, 1)
	ids := w.deliver(job, delivery.Sent)
	of := post[api.Subscription](w, "anna", api.PathSubscriptions, api.Subscribe{Cluster: clusterName, UID: string(job.UID), Channel: "hook"})
	theirs := fmt.Sprintf("/subscriptions/%d", of.ID)
	for _, other := range []string{"anna of west", "anna of lab", "anna@example.com of lab", "hook:anna of west"} {
		if status, text := w.send(other, http.MethodGet, api.Prefix+api.PathSubscriptions, nil); status != http.StatusOK || strings.Contains(text, "train") {
			t.Errorf("%s lists the subscriptions of anna: got status %d and %s", other, status, text)
		}
		if status, _ := w.send(other, http.MethodDelete, api.Prefix+theirs, nil); status != http.StatusNotFound {
			t.Errorf("%s ends the subscription of anna: got status %d, want 404", other, status)
		}
		w.refused(other, theirs+"/mute", api.MuteRequest{Until: time.Now().Add(time.Hour)}, http.StatusNotFound) // an input: the end of a mute
	}
	for _, act := range []string{"acknowledge", "mute"} {
		w.refused("vera of lab", in(job, act), api.MuteRequest{}, http.StatusNotFound)
	}
	own := post[api.Subscription](w, "anna of west", api.PathSubscriptions, api.Subscribe{Cluster: clusterName, UID: string(job.UID), Channel: "hook"})
	if own.ID == of.ID || own.Person != "cluster:west:anna" || own.CreatedBy != "cluster:west:anna" {
		t.Errorf("got %+v, want a subscription of its own for anna of west", own)
	}
	post[api.Act](w, "anna of west", in(job, "mute"), api.MuteRequest{})
	mutes, err := delivery.Mutes(t.Context(), w.db, time.Now())
	if err != nil || len(mutes) != 1 || mutes[0].Person != "cluster:west:anna" {
		t.Errorf("got %+v and error %v, want a mute of anna of west alone", mutes, err)
	}
	if act := post[api.Act](w, "vera of west", in(job, "acknowledge"), nil); act.Count != 1 {
		t.Errorf("the owner of the job acknowledges: got %+v, want 1", act)
	}
	if d, _, err := delivery.Show(t.Context(), w.db, ids[0]); err != nil || d.AckedBy != "cluster:west:vera" {
		t.Errorf("got %q and error %v, want the person with the cluster", d.AckedBy, err)
	}
	w.wantActs("anna subscribe jobs.batch team-a/train done", "cluster:west:anna subscribe jobs.batch team-a/train done", "cluster:west:anna mute team-a/train done", "cluster:west:vera acknowledge team-a/train done")
}
