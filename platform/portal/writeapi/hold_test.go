package writeapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// deleted sends a DELETE, and returns the act.
func (w *world) deleted(person, path string, want int) (act api.Act) {
	w.t.Helper()
	status, text := w.send(person, http.MethodDelete, path, nil)
	if err := json.Unmarshal([]byte(text), &act); err != nil || status != want {
		w.t.Errorf("%s: DELETE %s: %d %.300s, want %d", person, path, status, text, want)
	}
	return act
}

// TestHold: a job is held until a person who may change it releases it, with rows in the audit.
func TestHold(t *testing.T) {
	w := newWorld(t)
	request := api.SubmitRequest{Cluster: clusterName, Namespace: "team-a", YAML: train, Key: "k-1", Hold: true}
	if checked := post[api.Checked](w, "anna", api.PathCheck, request); !checked.OK {
		t.Errorf("check: got %+v, want OK", checked)
	}
	made := post[api.Submitted](w, "anna", api.PathSubmit, request)
	held := func(what, want string) {
		t.Helper()
		patience.Until(t, what, func() string {
			var row jobindex.Row
			err := w.index.View(func(v *jobindex.View) error {
				row, _ = v.Job(clusterName, made.Job.UID, time.Time{})
				return nil
			})
			if err != nil || row.Labels[job.HeldLabel] != want {
				return fmt.Sprintf("labels %v, error %v", row.Labels, err)
			}
			return ""
		})
	}
	held("the index has the label of the hold", "true")
	path := api.Prefix + strings.NewReplacer("{cluster}", clusterName, "{uid}", made.Job.UID).Replace(api.PathHold)
	w.deleted("vera", path, http.StatusForbidden)
	w.deleted("ben", path, http.StatusNotFound)
	if act := w.deleted("anna", path, http.StatusOK); act.Done != "train was released." || act.Count != 1 {
		t.Errorf("got %+v, want train released", act)
	}
	held("the index has the release", "")
	if act := w.deleted("anna", path, http.StatusOK); act.Done != "train is not held." || act.Count != 0 {
		t.Errorf("again: %+v", act)
	}
	w.wantActs("anna submit team-a/train done", "vera release team-a/train denied", "anna release team-a/train done", "anna release team-a/train done")
	for _, r := range w.srv.Requests() {
		if r.Resource.Resource == "jobs" && r.Verb == "patch" && r.User == "portal" {
			t.Error("the portal releases a job by its own rights")
		}
	}
}

// TestUndo: the answer has the act that undoes an act, and it works.
func TestUndo(t *testing.T) {
	w := newWorld(t)
	j := w.job("team-a", "busy", "anna", 0, 1)
	act := post[api.Act](w, "anna", in(j, "stop"), api.StopRequest{})
	if act.How != job.CancelSuspend || act.Undo == "" {
		t.Fatalf("got %+v, want a suspended job and a way to undo it", act)
	}
	if undone := w.deleted("anna", act.Undo, http.StatusOK); undone.Done != "busy was released." {
		t.Errorf("got %+v, want busy released", undone)
	}
	act = post[api.Act](w, "anna", in(j, "mute"), api.MuteRequest{})
	if undone := w.deleted("anna", act.Undo, http.StatusOK); undone.Done != "You get messages about busy again." || undone.Undo != "" {
		t.Errorf("got %+v of %+v", undone, act)
	}
	w.wantActs("anna stop team-a/busy done", "anna release team-a/busy done", "anna mute team-a/busy done", "anna mute team-a/busy done")
}
