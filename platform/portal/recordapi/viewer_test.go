package recordapi

import (
	"context"
	"testing"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// TestJobsWithoutPods: a person who may not list the pods of a namespace gets no node and no message
// of a pod with a job.
func TestJobsWithoutPods(t *testing.T) {
	may := func(_ context.Context, r access.Right) error {
		if r.Resource == "pods" && r.Namespace == "ml" {
			return nil
		}
		return web.Denied("You may not list "+r.Resource+".", "")
	}
	for namespace, want := range map[string]string{"ml": "node message", "other": " "} {
		v := &viewer{r: &reader{Config: Config{May: may}}, ctx: t.Context(), reviewed: map[place]verdict{}}
		j := history.Job{Cluster: "west", Namespace: namespace, Node: "node", Message: "message"}
		if err := v.withoutPods(&j); err != nil || j.Node+" "+j.Message != want {
			t.Errorf("a job of %s: got %q and error %v, want %q", namespace, j.Node+" "+j.Message, err, want)
		}
	}
}
