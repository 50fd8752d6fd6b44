package differential_test

import (
	"encoding/json"
	"slices"

	"github.com/google/go-cmp/cmp"
)

// plain converts an object to maps, so that typed objects compare with Unstructured. Kinds and
// managedFields are omitted: client-go's typed clients clear the kinds of pods, and ours drops
// managedFields by default.
func plain(obj any) any {
	text, err := json.Marshal(obj)
	if err != nil {
		return err.Error()
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		return err.Error()
	}
	delete(m, "kind")
	delete(m, "apiVersion")
	if meta, ok := m["metadata"].(map[string]any); ok {
		delete(meta, "managedFields")
		if meta["creationTimestamp"] == nil {
			delete(meta, "creationTimestamp")
		}
	}
	return m
}

// compare compares both informers, and reports whether they agree.
func (s *script) compare(phase int) bool {
	a, b := s.both[theirUser], s.both[ourUser]
	if !a.synced() || !b.synced() {
		s.t.Errorf("phase %d: synced: client-go %v, ours %v", phase, a.synced(), b.synced())
		return false
	}
	ok := true
	differ := func(what string, theirs, ours any) {
		if diff := cmp.Diff(theirs, ours, cmp.AllowUnexported(object{}, event{})); diff != "" {
			ok = false
			s.t.Errorf("phase %d: %s (-client-go +ours):\n%.3000s", phase, what, diff)
		}
	}
	objects := a.objects()
	differ("objects", objects, b.objects())
	for _, name := range []string{"namespace", "node", "label"} {
		differ("index by "+name, sorted(a.index(name)), sorted(b.index(name)))
	}
	theirs, ours := a.take(), b.take()
	if listed := s.listed(); len(listed) == 0 {
		s.whole++ // neither had to list, so both got all events
		differ("events", theirs, ours)
	} else {
		// A list shows only the last state since the watch broke. The two informers do not list at
		// the same instant, so each may have missed different revisions. The final state of each
		// object is the same, and every step follows from the previous one.
		s.gaps++
		differ("the final state of each object", s.net(theirs), s.net(ours))
	}
	s.before = objects
	return ok
}

func sorted(index map[string][]string) map[string][]string {
	for _, keys := range index {
		slices.Sort(keys)
	}
	return index
}

// net returns the first and last state of each object in a sequence of events, and reports steps
// that do not follow from the previous one.
func (s *script) net(events map[string][]event) map[string][]event {
	out := map[string][]event{}
	for key, steps := range events {
		was, there := s.before[key]
		now := event{uid: was.uid, version: was.version}
		for _, e := range steps {
			if e.kind == "add" && there || e.kind != "add" && (!there || e.uid != now.uid) {
				s.t.Errorf("%s: %+v does not follow from %+v (%v)", key, e, now, there)
			}
			there, now = e.kind != "delete", e
		}
		if there && now.version != was.version {
			out[key] = []event{{"shown", now.uid, now.version}}
		} else if !there && was.version != "" {
			out[key] = []event{{"gone", was.uid, ""}}
		}
	}
	return out
}
