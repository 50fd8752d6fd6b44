package jobs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/conformance/browser"
	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/portal/stage"
)

// TestPortal: a person submits a job in the form, sees it in the list, follows it to its
// end, and reads its history, while the portal stops and restarts.
func TestPortal(t *testing.T) {
	s := stage.New(t, controlplane.Options{Nodes: 2})
	endPortal := s.Portal()
	b := browser.New(t)
	list := s.Tab(b)
	list.Open("/jobs")
	list.Shows(".badge", "Live")
	list.Mark()

	form := s.Tab(b)
	submitForm(form, "train-1")
	list.Front()
	list.Sees("train-1")
	pod := s.Running("train-1")
	list.RowShows("train-1", "Running")
	s.Say(pod, "epoch 1 of 2", "epoch 2 of 2")
	form.Front()
	form.Shows("h1", "train-1")
	form.Shows(".job-title", "Running")
	form.Click(".tabs a", "Logs")
	form.Shows(".log", "epoch 2 of 2")
	beforeEnd := time.Now()
	s.End(pod, 0, "Completed", "")
	form.Shows(".job-title", "Succeeded")
	list.Front()
	list.RowShows("train-1", "Succeeded")

	opened(t, s, list)
	filtered(t, s, list)
	form.Close()
	cut(t, s, list, endPortal)
	earlier(list, beforeEnd)
	acts(list)
	list.Close()
}

// submitForm submits a job that runs until the test ends it.
func submitForm(p *browser.Tab, name string) {
	p.T.Helper()
	p.Front()
	p.Open("/submit?template=job")
	p.Fill("#field-name", name)
	p.Fill("#namespace, #field-namespace", stage.Namespace)
	p.Fill("#field-image", "train:7")
	p.Shows(".submit-yaml", "train:7")
	p.Click(".submit-edit", "Edit here")
	var notes strings.Builder
	for key, value := range stage.Quick {
		fmt.Fprintf(&notes, "        %s: %s\n", key, value)
	}
	yaml := p.Text(`document.querySelector(".yaml-editor textarea").value`)
	changed := strings.Replace(yaml, "  template:\n", "  template:\n    metadata:\n      annotations:\n"+notes.String(), 1)
	if changed == yaml {
		p.T.Fatalf("the YAML has no template:\n%s", yaml)
	}
	p.Fill(".yaml-editor textarea", changed)
	p.Shows(".submit-yaml", "would accept it")
	p.Click(".submit-foot button", "Submit")
}

// opened opens the job, steps through its revisions, and reads the difference and the logs.
func opened(t *testing.T, s *stage.Stage, p *browser.Tab) {
	t.Helper()
	p.Follow("train-1")
	p.Shows("h1", "train-1")
	p.Shows(".tabs", "Logs")
	p.Press("y")
	p.Shows(".revisions-head b", "Revision ")
	last := p.Text(`document.querySelector(".revisions-head b").innerText`)
	p.Press("[")
	p.Until("an older revision", fmt.Sprintf(`document.querySelector(".revisions-head b").innerText !== %s && document.querySelector(".yaml-card .yaml")?.innerText.includes("train:7")`, browser.Quoted(last)))
	p.Press("]")
	p.Shows(".revisions-head b", last)
	p.Press("d")
	p.Shows("table.diff", "Complete")
	p.Until("the permalink of a diff", `/from=\d+/.test(location.search) && /to=\d+/.test(location.search)`)
	shown := p.Text(`document.querySelector("table.diff").innerText`)
	p.Do(chromedp.Reload())
	p.Until("the same after a reload", fmt.Sprintf(`document.querySelector("table.diff")?.innerText === %s`, browser.Quoted(shown)))
	p.Press("l")
	p.Shows(".log", "epoch 2 of 2")
	p.Shows(".log-foot", "kept")
	// The pod and its node remove the log, so that the page can only show the kept log.
	pod, now := s.PodOf("train-1"), int64(0)
	if err := errors.Join(s.Node.Remove(stage.Namespace, pod), s.Client.CoreV1().Pods(stage.Namespace).Delete(t.Context(), pod, metav1.DeleteOptions{GracePeriodSeconds: &now})); err != nil {
		t.Fatal(err)
	}
	p.Do(chromedp.Reload())
	p.Shows(".log", "epoch 1 of 2")
	p.Shows(".log-foot", "3 lines kept")
}

// filtered filters and pages the list, and loads a permalink.
func filtered(t *testing.T, s *stage.Stage, p *browser.Tab) {
	t.Helper()
	for i := range 60 {
		s.Create(fmt.Sprintf("many-%02d", i), map[string]string{"set": "many"}, nil)
	}
	s.Recorded("label=set=many", 60)
	p.Open("/jobs?window=all&sort=name&label=set=many")
	p.Shows(".jobs-foot", "1–50 of 60")
	p.Click(".jobs-foot button", "Older")
	p.Shows(".jobs-foot", "51–60 of 60")
	p.RowShows("many-59", "many-59")
	p.Do(chromedp.Reload())
	p.Shows(".jobs-foot", "51–60 of 60")
	p.RowShows("many-59", "many-59")
	p.Open("/jobs?window=all")
	p.Click(".pill", "Succeeded")
	p.Until("the filter is in the URL", `new URLSearchParams(location.search).get("state") === "Succeeded"`)
	p.Until("only train-1 matches", fmt.Sprintf(`document.querySelectorAll("tr.row").length === 1 && (%s) !== undefined`, browser.Row("train-1")))
	p.Do(chromedp.Reload())
	p.Until("only train-1 matches after a reload", fmt.Sprintf(`document.querySelectorAll("tr.row").length === 1 && (%s) !== undefined`, browser.Row("train-1")))
	p.Text("history.back()")
	p.Until("Back undoes the filter", `document.querySelectorAll("tr.row").length > 1`)
}

// cut stops the portal, and restarts it. Changes in between are shown afterwards.
func cut(t *testing.T, s *stage.Stage, p *browser.Tab, end func()) {
	t.Helper()
	s.Create("cut-1", map[string]string{"set": "cut"}, nil)
	s.Recorded("label=set=cut", 1)
	p.Open("/jobs?window=all&sort=name&label=set=cut")
	p.Mark()
	pod := s.Running("cut-1")
	p.RowShows("cut-1", "Running")
	p.Blind(func() {
		end()
		p.Shows(".badge", "Reconnecting")
		s.End(pod, 137, "OOMKilled", "")
		s.Failed("cut-1")
		s.Create("cut-2", map[string]string{"set": "cut"}, nil)
		s.Running("cut-2")
		s.Portal()
		p.Shows(".badge", "Live")
	})
	p.RowShows("cut-1", "Failed")
	p.Sees("cut-2")
	p.RowShows("cut-2", "Running")
}

// earlier opens an earlier instant.
func earlier(p *browser.Tab, at time.Time) {
	p.T.Helper()
	p.Open("/jobs?window=all&q=train-1&at=" + at.UTC().Format("2006-01-02T15:04:05.000Z"))
	p.Shows(".badge", "As of")
	p.RowShows("train-1", "Running")
	p.Click(".badge", "As of")
	p.RowShows("train-1", "Succeeded")
}

// acts stops and retries a job from its page.
func acts(p *browser.Tab) {
	p.T.Helper()
	p.Open("/jobs?window=all&q=cut-2")
	p.Follow("cut-2")
	p.Click(".job-actions button", "Stop")
	p.Fill("#stop-reason", "wrong data")
	p.Click("dialog button", "Stop job")
	p.Shows(".job-title", "Aborted")
	p.Click(".job-actions button", "Retry")
	p.Click("dialog button", "Retry")
	p.Shows("h1", "cut-2-")
	p.Shows(".job-facts", "Retry of")
	p.Shows(".job-title", "Running")
}
