package writeapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// TestStop: a job is stopped in the name of the person, with its name if it holds GPUs.
func TestStop(t *testing.T) {
	w := newWorld(t)
	busy, idle := w.job("team-a", "busy", "anna", 8, 1), w.job("team-a", "idle", "anna", 0, 1)
	for _, confirm := range []string{"", "idle", "Busy"} {
		if p := w.refused("anna", in(busy, "stop"), api.StopRequest{Confirm: confirm}, http.StatusUnprocessableEntity); p.Fields[0].Field != "confirm" {
			t.Errorf("got %+v, want a refusal because of confirm", p)
		}
	}
	w.wantActs()
	if p := w.refused("vera", in(busy, "stop"), api.StopRequest{Confirm: "busy"}, http.StatusForbidden); !strings.Contains(p.Role, "- patch") {
		t.Errorf("got %+v, want a Role to patch", p)
	}
	act := post[api.Act](w, "anna", in(busy, "stop"), api.StopRequest{Confirm: "busy", Reason: "wrong data"})
	if act.Done != "busy was suspended." {
		t.Errorf("got %+v, want busy suspended", act)
	}
	post[api.Act](w, "anna", in(idle, "stop"), api.StopRequest{})
	again := post[api.Act](w, "root", in(idle, "stop"), api.StopRequest{})
	if again.Done != "idle was stopped already, by anna." {
		t.Errorf("got %+v, want that anna stopped it already", again)
	}
	for _, r := range w.srv.Requests() {
		if r.Resource.Resource == "jobs" && r.Verb == apitest.VerbPatch && r.User == "portal" {
			t.Error("the portal changes a job by its own rights")
		}
	}
	w.wantActs("vera stop team-a/busy denied", "anna stop team-a/busy done", "anna stop team-a/idle done", "root stop team-a/idle done")
}

// TestJobsOfOthers: every request about a job that the person does not see is answered as if the
// job did not exist.
func TestJobsOfOthers(t *testing.T) {
	w := newWorld(t)
	theirs := w.job("team-b", "secret-plan", "ben", 0, 1)
	missing := theirs.DeepCopy()
	missing.UID = "00000000-0000-0000-0000-000000000000"
	for _, act := range []string{"stop", "retry", "acknowledge", "mute"} {
		var body any = map[string]any{}
		if act == "acknowledge" {
			body = nil
		}
		hidden, nothing := w.refused("anna", in(theirs, act), body, http.StatusNotFound), w.refused("anna", in(missing, act), body, http.StatusNotFound)
		if strings.ReplaceAll(hidden.Detail, string(theirs.UID), "") != strings.ReplaceAll(nothing.Detail, string(missing.UID), "") || strings.Contains(hidden.Detail, "secret-plan") {
			t.Errorf("%s: got %q for a hidden job and %q for a missing one, want one text without the name", act, hidden.Detail, nothing.Detail)
		}
	}
	for _, path := range []string{
		"/jobs/west/..%2f..%2fx/stop", "/jobs/west/%2e%2e/stop", "/jobs/east/" + string(theirs.UID) + "/stop", "/jobs/west/" + url.PathEscape(string(theirs.UID)+"\x00") + "/stop",
		"/jobs/west/" + url.PathEscape("' OR 1=1 --") + "/stop", "/jobs/west/" + strings.Repeat("a", 300) + "/stop",
	} {
		if status, text := w.send("anna", http.MethodPost, api.Prefix+path, map[string]any{}); status/100 != 4 && status/100 != 3 {
			t.Errorf("%s: got status %d and %s, want a refusal or a redirect", path, status, text)
		}
	}
	post[api.Act](w, "ben", in(theirs, "stop"), api.StopRequest{})
	w.wantActs("ben stop team-b/secret-plan done")
}

// TestRetry: a job is repeated once, in the name of the person. A deleted job is copied from the
// history; another job of the same name is not.
func TestRetry(t *testing.T) {
	w := newWorld(t)
	done := w.job("team-a", "train", "anna", 0, 0)
	done.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: "True", Reason: "BackoffLimitExceeded", LastTransitionTime: metav1.Now()}}
	done.ResourceVersion = ""
	if _, err := w.srv.UpdateStatus(done); err != nil {
		t.Fatal(err)
	}
	request := api.RetryRequest{Key: "k-1", Set: []string{"image=train:8"}}
	first, again := post[api.Submitted](w, "anna", in(done, "retry"), request), post[api.Submitted](w, "anna", in(done, "retry"), request)
	if !first.Created || first.Job.Name != "train-r2" || again.Created || again.Job != first.Job {
		t.Errorf("got %+v, then %+v; want the new job train-r2, then the same", first, again)
	}
	if err := w.srv.Delete(done); err != nil {
		t.Fatal(err)
	}
	w.create(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "train"}, Spec: done.Spec})
	gone := post[api.Submitted](w, "anna", in(done, "retry"), api.RetryRequest{})
	if !gone.Created || gone.Job.Name != "train-r3" {
		t.Errorf("a job that was deleted: %+v", gone)
	}
	if p := w.refused("vera", in(done, "retry"), api.RetryRequest{}, http.StatusForbidden); !strings.Contains(p.Role, "- create") {
		t.Errorf("got %+v, want a Role to create", p)
	}
	w.refused("anna", in(done, "retry"), api.RetryRequest{Set: []string{"nonsense"}}, http.StatusUnprocessableEntity)
	w.wantActs("anna retry team-a/train done", "anna retry team-a/train done", "anna retry team-a/train done", "vera retry team-a/train denied", "anna retry team-a/train failed")
}

// TestForgery: the cookie of a browser alone does not allow writes: a write needs the token
// of the session, and the portal's own origin.
func TestForgery(t *testing.T) {
	w := newWorld(t)
	job := w.job("team-a", "train", "anna", 0, 1)
	form := strings.NewReader("token=token-of-anna-0123456789")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.http.URL+"/auth/token", form)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	cookie := answer.Cookies()[0]
	for n, headers := range []map[string]string{
		{},
		{"X-Vedette-CSRF": "guess"},
		{"X-Vedette-CSRF": "", "Origin": w.http.URL},
		{"Origin": "https://evil.example.com"},
		{"Sec-Fetch-Site": "cross-site"},
		{"X-HTTP-Method-Override": "GET"},
		{"Impersonate-User": "root", "X-Remote-User": "root", "X-Forwarded-For": "127.0.0.1"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.http.URL+api.Prefix+in(job, "stop"), strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.AddCookie(cookie)
		r.Header.Set("Content-Type", "text/plain") // as a form of another site can send
		for name, value := range headers {
			r.Header.Set(name, value)
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden || !strings.Contains(string(text), api.ProblemForgery) {
			t.Errorf("attack %d: got status %d and %s, want 403 as forgery", n, answer.StatusCode, text)
		}
	}
	w.wantActs()
	for n, token := range []string{"", "token-of-anna-012345678", "TOKEN-OF-ANNA-0123456789", "token-of-anna-0123456789 x"} {
		status, _ := w.sendAs(t, token, in(job, "stop"))
		if status != http.StatusUnauthorized {
			t.Errorf("token %d: got status %d, want 401", n, status)
		}
	}
}

// sendAs stops a job with a token.
func (w *world) sendAs(t *testing.T, token, path string) (int, error) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.http.URL+api.Prefix+path, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", fmt.Sprint("Bearer ", token))
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Body.Close()
}
