package smoke_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/vedette-io/vedette/conformance/browser"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
)

var screenshots = flag.String("smoke.screenshots", "", "folder for screenshots of the pages at the end")

// TestSmoke: a person signs in, sees a job fail in the open list, reads the cause on its page, and
// retries it. The retry is created in the name of the person, recorded, notified about, and shown
// in both pages without a reload. A job that the person may not see does not appear.
// When the recorder ends, the open page says that it is old, until another one records.
func TestSmoke(t *testing.T) {
	s := newStage(t)
	b := browser.New(t)
	list := b.Tab(s.base)
	signIn(list)

	s.submit(elsewhere, "hidden-1")
	s.submit(namespace, "train-1")
	s.recorded("train-1", "Submitted")
	list.Sees("train-1")
	list.RowShows("train-1", "Submitted")
	s.start()
	s.fails(list, "train-1")

	page := b.Tab(s.base) // in front: Chromium draws no other tab
	page.Open("/jobs")
	page.Follow("train-1")
	explains(page, "train-1")
	page.Mark()
	page.Click(".job-actions button", "Retry")
	page.Click("dialog button", "Retry")
	retry := s.retried("train-1")
	s.fails(list, retry)
	list.Kept()
	explains(page, retry)
	page.Shows(".job-facts", "Retry of\ntrain-1")
	page.Kept()

	if got := list.Text("(" + browser.Row("hidden-1") + ") === undefined"); got != "true" {
		t.Errorf("the list has a job of the namespace %s: %s", elsewhere, got)
	}
	s.unrecord()
	list.Front()
	list.Shows(".badge", "Stale since")
	list.Shows(".recording-note", clusterName+" is not recorded since")
	list.Shows(".pills", "as of")
	list.Kept()
	s.record()
	list.Shows(".badge", "Live")
	if *screenshots != "" {
		page.Screenshot(filepath.Join(*screenshots, "smoke-page.png"))
		list.Front()
		list.Screenshot(filepath.Join(*screenshots, "smoke-list.png"))
	}
}

// signIn opens the list of jobs in the name of anna.
func signIn(p *browser.Tab) {
	p.Open("/jobs")
	p.Fill("#token", annaToken)
	p.Click("button", "Sign in")
	p.Shows(".badge", "Live")
	p.Mark()
}

// fails follows the failure of a job on its way to the open list.
func (s *stage) fails(list *browser.Tab, name string) {
	s.t.Helper()
	s.failed(name)
	s.recorded(name, "Failed")
	s.told(name)
	list.Front()
	list.Sees(name)
	list.RowShows(name, "Failed")
}

// explains waits until the page of a job has the cause of its failure.
func explains(page *browser.Tab, name string) {
	page.Front()
	page.Shows("h1", name)
	page.Shows(".job-title", "Failed")
	page.Shows(".job-why", "OOMKilled")
}

// retried waits until the cluster has a retry of a job, by anna, and returns its name.
func (s *stage) retried(name string) (retry string) {
	s.t.Helper()
	patience.Until(s.t, "the cluster has a retry of "+name+" by anna", func() string {
		var seen []string
		for _, j := range s.jobs() {
			if j.Annotations[job.RetryOfNameAnnotation] == name && j.Annotations[job.SubmitterAnnotation] == "anna" {
				retry = j.Name
				return ""
			}
			seen = append(seen, fmt.Sprintf("%s %v", j.Name, j.Annotations))
		}
		return fmt.Sprintf("it has the jobs %q", seen)
	})
	return retry
}
