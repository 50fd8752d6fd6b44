package portal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/wait"
)

// TestPortal: a person submits a job in the form, sees it in the list, follows it to its
// end, and reads its history, while the portal stops and restarts.
func TestPortal(t *testing.T) {
	s := newStage(t, controlplane.Options{Nodes: 2})
	endPortal := s.portal()
	b := newBrowser(t)
	list := b.tab(s.base)
	list.open("/jobs")
	list.shows(".badge", "Live")
	list.text("window.unloaded = false")

	form := b.tab(s.base)
	form.submitForm("train-1")
	list.front()
	list.sees("train-1")
	pod := s.running("train-1")
	list.rowShows("train-1", "Running")
	s.say(pod, "epoch 1 of 2", "epoch 2 of 2")
	form.front()
	form.shows("h1", "train-1")
	form.shows(".job-title", "Running")
	form.click(".tabs a", "Logs")
	form.shows(".log", "epoch 2 of 2")
	beforeEnd := time.Now()
	s.end(pod, 0, "Completed", "")
	form.shows(".job-title", "Succeeded")
	list.front()
	list.rowShows("train-1", "Succeeded")

	opened(t, s, list)
	filtered(t, s, list)
	form.close()
	cut(t, s, list, endPortal)
	earlier(list, beforeEnd)
	acts(list)
	list.close()
}

// row returns an expression for the row of a job in the list.
func row(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("tr.row")].find((r) => r.querySelector("th a")?.innerText === %s)`, quoted(name))
}

// rowShows waits until the row of a job has a text.
func (p *tab) rowShows(name, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("the row of %s shows %q", name, text), fmt.Sprintf(`(() => { const text = (%s)?.innerText ?? "no row"; return text.includes(%s) || text; })()`, row(name), quoted(text)))
}

// follow clicks the name of a job in the list.
func (p *tab) follow(name string) {
	p.t.Helper()
	p.until("click "+name, fmt.Sprintf(`(() => { const a = (%s)?.querySelector("th a"); a?.click(); return a !== undefined; })()`, row(name)))
}

// submitForm submits a job that runs until the test ends it.
func (p *tab) submitForm(name string) {
	p.t.Helper()
	p.front()
	p.open("/submit?template=job")
	p.fill("#field-name", name)
	p.fill("#namespace, #field-namespace", namespace)
	p.fill("#field-image", "train:7")
	p.shows(".submit-yaml", "train:7")
	p.click(".submit-edit", "Edit here")
	var notes strings.Builder
	for key, value := range quick {
		fmt.Fprintf(&notes, "        %s: %s\n", key, value)
	}
	yaml := p.text(`document.querySelector(".yaml-editor textarea").value`)
	changed := strings.Replace(yaml, "  template:\n", "  template:\n    metadata:\n      annotations:\n"+notes.String(), 1)
	if changed == yaml {
		p.t.Fatalf("the YAML has no template:\n%s", yaml)
	}
	p.fill(".yaml-editor textarea", changed)
	p.shows(".submit-yaml", "would accept it")
	p.click(".submit-foot button", "Submit")
}

// sees waits until the list has a new job, at once or after a click.
func (p *tab) sees(name string) {
	p.t.Helper()
	p.until(name+" is in the list", fmt.Sprintf(`(() => {
  if (%s) return true;
  document.querySelector(".new-jobs")?.click();
  return document.querySelector(".jobs-scroll")?.innerText ?? "no list";
})()`, row(name)))
	if p.text("window.unloaded === false") != "true" {
		p.t.Error("the page was reloaded")
	}
}

// opened opens the job, steps through its revisions, and reads the difference and the logs.
func opened(t *testing.T, s *stage, p *tab) {
	t.Helper()
	p.follow("train-1")
	p.shows("h1", "train-1")
	p.shows(".tabs", "Logs")
	p.press("y")
	p.shows(".revisions-head b", "Revision ")
	last := p.text(`document.querySelector(".revisions-head b").innerText`)
	p.press("[")
	p.until("an older revision", fmt.Sprintf(`document.querySelector(".revisions-head b").innerText !== %s && document.querySelector(".yaml-card .yaml")?.innerText.includes("train:7")`, quoted(last)))
	p.press("]")
	p.shows(".revisions-head b", last)
	p.press("d")
	p.shows("table.diff", "Complete")
	p.until("the permalink of a diff", `/from=\d+/.test(location.search) && /to=\d+/.test(location.search)`)
	shown := p.text(`document.querySelector("table.diff").innerText`)
	p.do(chromedp.Reload())
	p.until("the same after a reload", fmt.Sprintf(`document.querySelector("table.diff")?.innerText === %s`, quoted(shown)))
	p.press("l")
	p.shows(".log", "epoch 2 of 2")
	p.shows(".log-foot", "kept")
	// The pod and its node remove the log, so that the page can only show the kept log.
	pod, now := s.podOf("train-1"), int64(0)
	if err := errors.Join(s.node.Remove(namespace, pod), s.client.CoreV1().Pods(namespace).Delete(t.Context(), pod, metav1.DeleteOptions{GracePeriodSeconds: &now})); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Reload())
	p.shows(".log", "epoch 1 of 2")
	p.shows(".log-foot", "3 lines kept")
}

// filtered filters and pages the list, and loads a permalink.
func filtered(t *testing.T, s *stage, p *tab) {
	t.Helper()
	for i := range 60 {
		s.create(fmt.Sprintf("many-%02d", i), map[string]string{"set": "many"}, nil)
	}
	s.recorded("label=set=many", 60)
	p.open("/jobs?window=all&sort=name&label=set=many")
	p.shows(".jobs-foot", "1–50 of 60")
	p.click(".jobs-foot button", "Older")
	p.shows(".jobs-foot", "51–60 of 60")
	p.rowShows("many-59", "many-59")
	p.do(chromedp.Reload())
	p.shows(".jobs-foot", "51–60 of 60")
	p.rowShows("many-59", "many-59")
	p.open("/jobs?window=all")
	p.click(".pill", "Succeeded")
	p.until("the filter is in the URL", `new URLSearchParams(location.search).get("state") === "Succeeded"`)
	p.until("only train-1 matches", fmt.Sprintf(`document.querySelectorAll("tr.row").length === 1 && (%s) !== undefined`, row("train-1")))
	p.do(chromedp.Reload())
	p.until("only train-1 matches after a reload", fmt.Sprintf(`document.querySelectorAll("tr.row").length === 1 && (%s) !== undefined`, row("train-1")))
	p.text("history.back()")
	p.until("Back undoes the filter", `document.querySelectorAll("tr.row").length > 1`)
}

// cut stops the portal, and restarts it. Changes in between are shown afterwards.
func cut(t *testing.T, s *stage, p *tab, end func()) {
	t.Helper()
	s.create("cut-1", map[string]string{"set": "cut"}, nil)
	s.recorded("label=set=cut", 1)
	p.open("/jobs?window=all&sort=name&label=set=cut")
	p.text("window.unloaded = false")
	pod := s.running("cut-1")
	p.rowShows("cut-1", "Running")
	p.blind(func() {
		end()
		p.shows(".badge", "Reconnecting")
		s.end(pod, 137, "OOMKilled", "")
		s.failed("cut-1")
		s.create("cut-2", map[string]string{"set": "cut"}, nil)
		s.running("cut-2")
		s.portal()
		p.shows(".badge", "Live")
	})
	p.rowShows("cut-1", "Failed")
	p.sees("cut-2")
	p.rowShows("cut-2", "Running")
}

// earlier opens an earlier instant.
func earlier(p *tab, at time.Time) {
	p.t.Helper()
	p.open("/jobs?window=all&q=train-1&at=" + at.UTC().Format("2006-01-02T15:04:05.000Z"))
	p.shows(".badge", "As of")
	p.rowShows("train-1", "Running")
	p.click(".badge", "As of")
	p.rowShows("train-1", "Succeeded")
}

// acts stops and retries a job from its page.
func acts(p *tab) {
	p.t.Helper()
	p.open("/jobs?window=all&q=cut-2")
	p.follow("cut-2")
	p.click(".job-actions button", "Stop")
	p.fill("#stop-reason", "wrong data")
	p.click("dialog button", "Stop job")
	p.shows(".job-title", "Aborted")
	p.click(".job-actions button", "Retry")
	p.click("dialog button", "Retry")
	p.shows("h1", "cut-2-")
	p.shows(".job-facts", "Retry of")
	p.shows(".job-title", "Running")
}

// failed waits until a job has failed in the cluster.
func (s *stage) failed(job string) {
	s.t.Helper()
	wait.Until(s.t, within, job+" fails", func() string {
		j, err := s.client.BatchV1().Jobs(namespace).Get(s.t.Context(), job, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		for _, c := range j.Status.Conditions {
			if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
				return ""
			}
		}
		return fmt.Sprintf("%+v", j.Status)
	})
}

// podOf returns the name of the pod of a job.
func (s *stage) podOf(job string) string {
	s.t.Helper()
	all, err := s.client.CoreV1().Pods(namespace).List(s.t.Context(), metav1.ListOptions{LabelSelector: "job-name=" + job})
	if err != nil || len(all.Items) == 0 {
		s.t.Fatalf("no pod of %s: %v", job, err)
	}
	return all.Items[0].Name
}

// create creates a Job with a pod that runs until the test ends it.
func (s *stage) create(name string, labels, notes map[string]string) *batchv1.Job {
	s.t.Helper()
	made, err := s.client.BatchV1().Jobs(namespace).Create(s.t.Context(), newJob(name, labels, notes), metav1.CreateOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return made
}

func newJob(name string, labels, notes map[string]string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: labels, Annotations: notes},
		Spec: batchv1.JobSpec{BackoffLimit: new(int32), Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Annotations: quick},
			Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "train:7"}}},
		}},
	}
}
