package readapi_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// secrets are words that occur only in the objects of team-b.
var secrets = []string{"team-b", "bravo", "node-of-b", "image-of-b", "log of b"}

// twoTeams creates a world with a failed job of each of two teams. All names of the second
// team are unique.
func twoTeams(t *testing.T) (w *world, a, b *batchv1.Job) {
	t.Helper()
	w = newWorld(t, "events")
	a = w.create(newJob("team-a", "alpha")).(*batchv1.Job)
	w.create(newPod(a, "alpha-abcde", "node-of-a", 1))
	secret := newJob("team-b", "bravo")
	secret.Annotations["vedette.io/user"] = "bravo-owner"
	secret.Labels["bravo-label"] = "bravo-value"
	secret.Spec.Template.Spec.Containers[0].Image = "image-of-b"
	b = w.create(secret).(*batchv1.Job)
	w.create(newPod(b, "bravo-abcde", "node-of-b", 137))
	w.create(&corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-b", Name: "bravo.17ab"}, InvolvedObject: corev1.ObjectReference{Kind: "Job", Namespace: "team-b", Name: "bravo", UID: b.UID}, Reason: "bravo-reason",
	})
	w.settle()
	for _, j := range []*batchv1.Job{a, b} {
		if _, err := apitest.Modify(w.srv, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: j.Namespace, Name: j.Name}}, func(j *batchv1.Job) {
			j.Status.Conditions = []batchv1.JobCondition{{Type: "Failed", Status: corev1.ConditionTrue, Reason: "Failed-" + j.Name, Message: "of " + j.Name}}
		}); err != nil {
			t.Fatal(err)
		}
	}
	w.settle()
	w.tell(b)
	return w, a, b
}

// tell adds a dead letter and a kept log about a job.
func (w *world) tell(j *batchv1.Job) {
	w.t.Helper()
	row := read1(w, j)
	err := w.db.Transact(w.t.Context(), func(tx *sqldb.Tx) error {
		_, err := delivery.Create(w.t.Context(), tx, []delivery.Delivery{{
			Key: "key", Kind: "Failed", Channel: "mail", Receiver: "bravo@example.com", Person: "bravo", Object: row,
			Event: []byte(`{"kind":"Failed","job":{"cluster":"west","namespace":"team-b","name":"bravo","uid":"` + string(j.UID) + `","type":"jobs.batch"},"to":"Failed"}`),
		}})
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	log := joblog.Log{
		ClusterUID: w.clusterUID(), PodUID: "pod-of-" + j.Name, Namespace: j.Namespace, Pod: j.Name + "-abcde", Container: "main", JobUID: string(j.UID), JobKind: "Job", JobName: j.Name,
		OwnerUID: string(j.UID), OwnerKind: "Job", OwnerName: j.Name, ExitCode: 1, Ended: time.Now(), Complete: true,
	}
	if err := joblog.New(w.db, joblog.Limits{}, nil).Put(w.t.Context(), log, []joblog.Line{{Time: time.Now(), Text: "log of " + j.Namespace[5:]}}); err != nil {
		w.t.Fatal(err)
	}
}

// requests returns the requests of all reading operations: for each of some jobs, and with
// each of some texts as every parameter.
func (w *world) requests(uids, texts []string) (paths []string) {
	w.t.Helper()
	document := w.api.OpenAPI()
	for path, item := range document.Paths {
		if item.Get == nil {
			continue
		}
		path = strings.TrimPrefix(path, api.Prefix)
		for _, uid := range uids {
			at := strings.NewReplacer("{cluster}", clusterName, "{uid}", uid, "{version}", "last", "{type}", "jobs.batch", "{namespace}", "team-b", "{name}", "bravo").Replace(path)
			if strings.Contains(at, "{") {
				w.t.Fatalf("the test does not know the parameters of %s", path)
			}
			paths = append(paths, at)
			for _, p := range item.Get.Parameters {
				if p.In != "query" || p.Name == "follow" {
					continue
				}
				for _, text := range append(valuesFor(p), texts...) {
					paths = append(paths, at+"?"+url.Values{p.Name: {text}, "key": keyFor(p, text)}.Encode())
				}
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// valuesFor returns values that a parameter may have.
func valuesFor(p *huma.Param) []string {
	switch p.Name {
	case "at":
		return []string{"1s", "24h"}
	case "group":
		return []string{"cluster", "queue", "owner", "none"}
	case "state":
		return []string{"Failed", "!Succeeded"}
	case "vs":
		return []string{"before"}
	case "window", "from", "to", "since":
		return []string{"1h", "30d"}
	case "limit", "context", "n", "bars":
		return []string{"1", "100"}
	}
	return []string{"*", "!x"}
}

// keyFor returns a key for suggestions.
func keyFor(p *huma.Param, text string) []string {
	if p.Name == "prefix" {
		return []string{"name"}
	}
	if p.Name == "key" {
		return []string{text}
	}
	return nil
}

var instance = regexp.MustCompile(`"instance":"[0-9a-f]*"`)

// TestNobodySeesOtherTeams: a person who sees one namespace gets no byte about another one from
// any operation of the document, whatever they request. The answer about a job that they may
// not see equals the answer about a job that does not exist.
func TestNobodySeesOtherTeams(t *testing.T) {
	w, a, b := twoTeams(t)
	w.serve(nil)
	keys := []string{"state", "cluster", "namespace", "queue", "owner", "kind", "type", "name", "label", "reason", "priority"}
	texts := append([]string{"bravo", "team-b", "br*", string(b.UID), "label=bravo-label", "\x00", "' OR 1=1 --", "../../jobs"}, keys...)
	paths := w.requests([]string{string(a.UID), string(b.UID), "no-such-job"}, texts)
	if len(paths) < 500 {
		t.Fatalf("only %d requests", len(paths))
	}
	answered := 0
	for _, path := range paths {
		status, text := w.get("team-a", path)
		if status == http.StatusOK {
			answered++
		}
		if status >= 500 {
			t.Errorf("%s: got status %d and %s, want no server error", path, status, text)
		}
		asked, _ := url.QueryUnescape(path)
		for _, secret := range append(slices.Clone(secrets), string(b.UID)) {
			if strings.Contains(text, secret) && !strings.Contains(asked, secret) || strings.Contains(text, secret) && status == http.StatusOK {
				t.Errorf("%s shows %q of another team: got status %d and %s", path, secret, status, text)
			}
		}
		if strings.Contains(path, string(b.UID)) && strings.HasPrefix(path, "/jobs/"+clusterName) && !strings.Contains(path, string(a.UID)) {
			other := strings.Replace(path, "/"+string(b.UID), "/no-such-job", 1)
			if s, missing := w.get("team-a", other); s != status || instance.ReplaceAllString(missing, "") != instance.ReplaceAllString(text, "") {
				t.Errorf("%s: %d %s, but a job that does not exist: %d %s", path, status, text, s, missing)
			}
		}
	}
	if answered < len(paths)/4 {
		t.Errorf("only %d of %d requests were answered", answered, len(paths))
	}
	// The same requests by a person who sees everything contain each of the secrets.
	var all strings.Builder
	for _, path := range paths {
		_, text := w.get("*", path)
		all.WriteString(text)
	}
	for _, secret := range append(slices.Clone(secrets), string(b.UID)) {
		if !strings.Contains(all.String(), secret) {
			t.Errorf("no answer has %q, so the test proves nothing", secret)
		}
	}
}
