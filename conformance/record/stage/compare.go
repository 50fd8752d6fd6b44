package stage

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Closed reports gaps that remain since a version: one recorder always ran.
func (s *Stage) Closed(t *testing.T, since int64) {
	t.Helper()
	d := s.Open(t)
	defer d.Close()
	for _, resource := range s.Types {
		for _, g := range Read(t, d, resource).open() {
			if g.From >= since {
				t.Errorf("%s: the gap %v remains, although the other recorder ran", resource, g)
			}
		}
	}
}

// Compare compares the database with the witness, with the API server and with itself.
// alone means that there was one recorder.
func (s *Stage) Compare(t *testing.T, alone bool) {
	t.Helper()
	d := s.Open(t)
	defer d.Close()
	for _, resource := range s.Types {
		h, all := Read(t, d, resource), s.seen[resource].all()
		problems, hidden := h.compare(all)
		problems = append(problems, h.Consistent()...)
		problems = append(problems, h.intervals(s.Restarts)...)
		if alone {
			problems = append(problems, h.wide()...)
		}
		problems = append(problems, s.present(t, d, h, resource)...)
		t.Logf("%s: %d objects, %d revisions of %d, %d transitions; %d rows of coverage, gaps %v, %d revisions in them",
			resource, len(h.Objects), h.revisions, len(all), h.moves, len(h.Coverage), h.Gaps, hidden)
		for _, p := range problems[:min(len(problems), 20)] {
			t.Errorf("%s: %s", resource, p)
		}
		if len(problems) > 20 {
			t.Errorf("%s: and %d more", resource, len(problems)-20)
		}
	}
}

// present compares the current objects with the API server, including their bodies.
func (s *Stage) present(t *testing.T, d *sqldb.DB, h *Tables, resource string) (problems []string) {
	t.Helper()
	now := map[string]map[string]any{}
	for _, item := range s.get(t, Paths[resource])["items"].([]any) {
		fields := item.(map[string]any)
		now[fields["metadata"].(map[string]any)["uid"].(string)] = fields
	}
	for _, o := range h.Objects {
		if o.Presence != IsThere {
			continue
		}
		fields := now[o.uid]
		delete(now, o.uid)
		if fields == nil {
			problems = append(problems, fmt.Sprintf("%s/%s %s exists only in the database", o.namespace, o.Name, o.uid))
			continue
		}
		body, _, err := history.New(d).Body(t.Context(), o.id, 0)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", o.uid, err))
			continue
		}
		got := map[string]any{}
		if err := json.Unmarshal(body, &got); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", o.uid, err))
		}
		if version := fields["metadata"].(map[string]any)["resourceVersion"]; version != fmt.Sprint(o.version) {
			problems = append(problems, fmt.Sprintf("%s has version %v, and was recorded with %d", o.uid, version, o.version))
		}
		if got, want := plain(got), plain(fields); !reflect.DeepEqual(got, want) {
			problems = append(problems, fmt.Sprintf("%s is\n%.900v\nbut was recorded as\n%.900v", o.uid, want, got))
		}
	}
	for uid := range now {
		problems = append(problems, uid+" exists only on the server")
	}
	return problems
}

// plain removes fields that a list omits from each object, fields that are not kept, and
// the version.
func plain(fields map[string]any) map[string]any {
	delete(fields, "apiVersion")
	delete(fields, "kind")
	delete(fields["metadata"].(map[string]any), "managedFields")
	delete(fields["metadata"].(map[string]any), "resourceVersion")
	return fields
}
