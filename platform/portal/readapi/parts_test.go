package readapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/readapi"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// TestPartsNeedTheirRights: a person who may list jobs only gets no byte from their pods, events
// and logs, from any operation, live or recorded, nor from statistics.
func TestPartsNeedTheirRights(t *testing.T) {
	w, _, b := twoTeams(t)
	w.serve(nil)
	paths := w.requests([]string{string(b.UID)}, nil)
	parts := []string{"bravo-abcde", "node-of-b", "OOMKilled", "bravo-reason", "log of b"}
	answers := func(person string) string {
		var all strings.Builder
		for _, path := range paths {
			_, text := w.get(person, path)
			all.WriteString(path + ": " + text + "\n")
		}
		return all.String()
	}
	shown := answers("*")
	for _, part := range parts {
		if !strings.Contains(shown, part) {
			t.Errorf("no answer has %q, so the test proves nothing", part)
		}
	}
	w.serve(func(c *readapi.Config) {
		c.May = func(_ context.Context, r access.Right) error {
			if r.Resource == "pods" || r.Resource == "events" {
				return web.Denied("You may not "+r.Verb+" "+r.Resource+".", "")
			}
			return nil
		}
	})
	for line := range strings.Lines(answers(jobsOnly + "team-b")) {
		for _, part := range parts {
			if strings.Contains(line, part) {
				t.Errorf("an answer shows %q: %.600s", part, line)
			}
		}
	}
	for _, part := range []string{"pods", "events", "logs"} {
		if status, text := w.get(jobsOnly+"team-b", "/jobs/"+clusterName+"/"+string(b.UID)+"/"+part); status != http.StatusForbidden {
			t.Errorf("%s without the right: got status %d and %s, want 403", part, status, text)
		}
	}
	if status, text := w.get(jobsOnly+"team-b", "/jobs/"+clusterName+"/"+string(b.UID)); status != http.StatusOK || !strings.Contains(text, `"pods":-1`) {
		t.Errorf("the job without the right to its pods: got status %d and %s, want 200 and an unknown number of pods", status, text)
	}
}
