package retention

import (
	"context"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// step removes some revisions in one transaction. It locks like a writer: objects, in the
// order of their UIDs. Retention therefore never removes a row that a writer is about to
// refer to.
type step struct {
	tx       *sqldb.Tx
	keepLast int
	labels   bool // the rule needs the labels of objects
	rule     rule
	preview  bool
	// liveSince is the time since which a live cursor of the feed must have been used.
	// Prune expires the others before the first step; Preview ignores them.
	liveSince int64
	objects   map[int64]*object
	done      Result
}

// run decides about revisions, and applies the decisions.
func (s *step) run(ctx context.Context, some []model.Candidate) error {
	if err := s.load(ctx, some); err != nil {
		return err
	}
	p := newPlan(some, s.objects, s.rule, s.preview)
	s.done.Bytes = p.bytes
	if s.preview {
		s.done.Objects, s.done.Revisions, s.done.Stripped = len(p.objects), len(p.remove), len(p.strip)
		return s.countTransitions(ctx, p)
	}
	if p.empty() {
		return nil
	}
	if err := s.removeRevisions(ctx, p); err != nil {
		return err
	}
	if err := s.removeKeyframes(ctx, p); err != nil {
		return err
	}
	if err := s.removeTransitions(ctx, p.upTo); err != nil {
		return err
	}
	if err := s.removeObjects(ctx, model.SortedIDs(p.objects)); err != nil {
		return err
	}
	s.done.Bytes += sqldb.RevisionBytes*int64(s.done.Revisions) + sqldb.TransitionBytes*int64(s.done.Transitions) + sqldb.ObjectBytes*int64(s.done.Objects)
	return nil
}

// load locks the objects of revisions, and reads the properties that decisions depend on.
func (s *step) load(ctx context.Context, some []model.Candidate) error {
	ids := map[int64]bool{}
	for i := range some {
		ids[some[i].Object] = true
	}
	s.objects = map[int64]*object{}
	deleted := map[int64]bool{}
	err := model.EachRetained(ctx, s.tx, model.SortedIDs(ids), !s.preview, func(r model.RetainedObject) {
		o := &object{last: r.Version, base: r.Base, floor: r.Version, deleted: r.Presence == model.Deleted, state: job.State(r.State), namespace: r.Namespace}
		if s.objects[r.ID] = o; o.deleted {
			deleted[r.ID] = true
		}
	})
	if err != nil {
		return err
	}
	err = model.LastTransitions(ctx, s.tx, model.SortedIDs(s.objects), func(id int64, version wire.Version) { s.objects[id].lastTransition = version })
	if err != nil {
		return err
	}
	err = model.StatesBeforeDeletion(ctx, s.tx, model.SortedIDs(deleted), func(id int64, before string) { s.objects[id].state = job.State(before) })
	if err != nil {
		return err
	}
	if s.labels {
		all, err := model.LabelsOf(ctx, s.tx, model.SortedIDs(s.objects))
		if err != nil {
			return err
		}
		for id, o := range s.objects {
			o.labels = all[id]
		}
	}
	if err := s.loadUnread(ctx); err != nil {
		return err
	}
	return s.loadFloors(ctx)
}

// loadUnread finds the transitions that live cursors have not read. The objects are locked,
// so no transition is added meanwhile. It reads the outbox before the feed: an entry that
// leaves the outbox in between is then found in the feed.
func (s *step) loadUnread(ctx context.Context) error {
	after, found, err := model.FirstLiveCursor(ctx, s.tx, s.liveSince)
	if err != nil || !found {
		return err
	}
	note := func(id model.RevisionID) {
		if o := s.objects[id.Object]; o.unread == 0 || id.Version < o.unread {
			o.unread = id.Version
		}
	}
	ids := model.SortedIDs(s.objects)
	if err := model.FirstWaiting(ctx, s.tx, ids, note); err != nil {
		return err
	}
	return model.FirstUnread(ctx, s.tx, after, ids, note)
}

// loadFloors finds, for each object, the first revision that stays regardless of age. For
// an inferred deletion that is the previous revision, which has the body.
func (s *step) loadFloors(ctx context.Context) error {
	for id, o := range s.objects {
		if s.keepLast < 2 && !o.deleted {
			continue // the last revision
		}
		floor, found, err := model.OldestOfNewest(ctx, s.tx, id, s.keepLast)
		if err != nil {
			return err
		}
		if found {
			o.floor = min(o.floor, floor)
		}
	}
	return nil
}

// countTransitions counts the transitions that a preview removes. A transition is removed
// with the first stored revision at its version or later that is not needed.
func (s *step) countTransitions(ctx context.Context, p *plan) error {
	return model.TransitionsWithRevisions(ctx, s.tx, model.SortedIDs(p.upTo), func(id int64, version, with wire.Version) {
		if p.due[model.RevisionID{Object: id, Version: with}] && (p.objects[id] || version < s.objects[id].lastTransition) {
			s.done.Transitions++
		}
	})
}

// removeRevisions deletes and strips differences.
func (s *step) removeRevisions(ctx context.Context, p *plan) error {
	n, err := model.DeleteRevisions(ctx, s.tx, p.remove)
	if s.done.Revisions += int(n); err != nil {
		return err
	}
	n, err = model.StripRevisions(ctx, s.tx, p.strip)
	s.done.Stripped += int(n)
	return err
}

// removeKeyframes decides about keyframes after differences were removed. It includes
// keyframes that stayed so far because of these differences.
func (s *step) removeKeyframes(ctx context.Context, p *plan) error {
	bases := make([]model.RevisionID, 0, len(p.bases))
	for id := range p.bases {
		bases = append(bases, id)
	}
	found, err := model.CandidatesAt(ctx, s.tx, bases)
	if err != nil {
		return err
	}
	all := p.keyframes
	for _, c := range found {
		if !slices.ContainsFunc(all, func(k model.Candidate) bool { return k.ID == c.ID }) {
			all = append(all, c)
		}
	}
	for i := range all {
		c := &all[i]
		what := s.rule.decide(c, s.objects[c.Object])
		if err := s.removeKeyframe(ctx, c, what); err != nil {
			return err
		}
		if what == remove {
			p.upTo[c.Object] = max(p.upTo[c.Object], c.Version)
		}
	}
	return nil
}

// removeKeyframe deletes or strips a keyframe, unless a difference refers to it. Only the
// first difference after the keyframe must be checked: revisions are appended in the order
// of their versions, each as a difference from the last keyframe. Late revisions are
// keyframes without differences.
func (s *step) removeKeyframe(ctx context.Context, c *model.Candidate, what decision) error {
	if what == keep {
		return nil
	}
	base, err := model.FirstBaseAfter(ctx, s.tx, c.Object, c.Version)
	if err != nil || base == c.Version {
		return err
	}
	s.done.Bytes += c.Bytes
	if what == remove {
		s.done.Revisions++
		_, err = model.DeleteRevisions(ctx, s.tx, []int64{c.ID})
		return err
	}
	s.done.Stripped++
	_, err = model.StripRevisions(ctx, s.tx, []int64{c.ID})
	return err
}

// removeTransitions deletes the transitions up to the last removed revision, except the
// transition to the current state of the object.
func (s *step) removeTransitions(ctx context.Context, upTo map[int64]wire.Version) error {
	highest := wire.Version(0)
	for _, version := range upTo {
		highest = max(highest, version)
	}
	var rows []int64
	hours := map[int64][]int64{} // hours of the transitions, by object
	err := model.TransitionsUpTo(ctx, s.tx, highest, model.SortedIDs(upTo), func(row, id int64, version wire.Version, happenedAt int64) {
		if version <= upTo[id] && version < s.objects[id].lastTransition {
			rows = append(rows, row)
			hours[id] = append(hours[id], model.HourOf(happenedAt))
		}
	})
	if err != nil {
		return err
	}
	n, err := model.DeleteTransitions(ctx, s.tx, rows)
	s.done.Transitions += int(n)
	for _, id := range model.SortedIDs(hours) {
		if err != nil {
			return err
		}
		err = model.UnindexHours(ctx, s.tx, id, hours[id])
	}
	return err
}

// removeObjects deletes objects with all their remaining rows.
func (s *step) removeObjects(ctx context.Context, ids []int64) error {
	if err := s.removeLogs(ctx, ids); err != nil {
		return err
	}
	r, err := model.RemoveObjects(ctx, s.tx, ids)
	s.done.Objects, s.done.Revisions, s.done.Transitions = s.done.Objects+int(r.Objects), s.done.Revisions+int(r.Revisions), s.done.Transitions+int(r.Transitions)
	s.done.Bytes += r.Bytes
	return err
}

// removeLogs deletes the kept logs of objects: of pods, and of owners of pods.
func (s *step) removeLogs(ctx context.Context, ids []int64) error {
	all, err := model.UIDs(ctx, s.tx, ids)
	for _, cluster := range slices.Sorted(maps.Keys(all)) {
		if err != nil {
			break
		}
		var r joblog.Removed
		r, err = joblog.RemoveOf(ctx, s.tx, joblog.Selection{ClusterUID: cluster, UIDs: all[cluster]})
		s.done.Logs.Logs, s.done.Logs.Bytes = s.done.Logs.Logs+r.Logs, s.done.Logs.Bytes+r.Bytes
	}
	return err
}
