package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/wire"
)

// lineBetween is a line of a history that is no transition. It comes before the transition
// with a version, and all later ones.
type lineBetween struct {
	listing.Item
	before wire.Version
}

// linesBetween returns the gaps, the reshown revisions and the reasons within a state of an
// object, in order.
func linesBetween(ctx context.Context, h *source.History, obj history.Object, now time.Time) (lines []lineBetween, err error) {
	gaps, err := gapsOf(ctx, h, obj)
	if err != nil {
		return nil, err
	}
	for _, g := range gaps {
		lines = append(lines, lineBetween{gapLine(obj, g, now), g.From + 1})
	}
	var revisions []history.Revision
	for r, err := range h.RevisionsOf(ctx, obj.ID) {
		if err != nil {
			return nil, err
		}
		revisions = append(revisions, r)
	}
	slices.Reverse(revisions)
	for _, r := range revisions {
		if r.Source == history.Reshown {
			lines = append(lines, lineBetween{reshownLine(obj, r), r.Version})
		}
	}
	reasons, err := reasonsWithin(ctx, h, obj, revisions)
	lines = append(lines, reasons...)
	slices.SortStableFunc(lines, func(a, b lineBetween) int { return cmp.Compare(a.before, b.before) })
	return lines, err
}

// contentChanged says what a reshown revision is.
const contentChanged = "content changed without a new version (schema or server changed)"

// reshownLine returns the line of such a revision in the history of its object.
func reshownLine(obj history.Object, r history.Revision) listing.Item {
	return listing.Item{
		Cells: []string{units.Local(r.Seen), "(content)", "", "", contentChanged, r.Version.String(), r.Source.String(), units.Local(r.Seen)},
		Name:  source.NameOf(obj),
		Doc: transitionDoc{
			Kind: "content", Cluster: obj.Cluster, Type: obj.Type.String(), Namespace: obj.Namespace, Name: obj.Name, UID: obj.UID, Version: r.Version.String(),
			Message: contentChanged, HappenedAt: units.Timestamp(r.Seen), SeenAt: units.Timestamp(r.Seen), Source: r.Source.String(),
		},
	}
}

// gapsOf returns the open gaps during the life of an object, the oldest first.
func gapsOf(ctx context.Context, h *source.History, obj history.Object) (gaps []history.Gap, err error) {
	f := history.GapFilter{Cluster: obj.ClusterUID, Types: []history.Type{obj.Type}, Namespace: obj.Namespace, Open: true, Since: obj.Created, Until: obj.Gone}
	for g, err := range history.All(ctx, history.Paging{Order: history.OldestFirst}, func(ctx context.Context, p history.Paging) (history.Page[history.Gap], error) {
		return h.ListGaps(ctx, f, p)
	}) {
		if err != nil {
			return nil, err
		}
		gaps = append(gaps, g)
	}
	return gaps, nil
}

func gapLine(obj history.Object, g history.Gap, now time.Time) listing.Item {
	why := "something may be missing: " + causeText(g.Cause)
	return listing.Item{
		Cells: []string{units.Local(g.Began), "(gap)", lastingGap(g, now), g.Cause, strings.TrimSpace(why + " " + printable.OneLine(g.Detail)), versions(g), "", units.Local(g.Ended)},
		Name:  source.NameOf(obj),
		Doc: transitionDoc{
			Kind: "gap", Cluster: obj.Cluster, Type: obj.Type.String(), Namespace: obj.Namespace, Name: obj.Name, UID: obj.UID, Version: g.To.String(), Reason: g.Cause, Message: g.Detail,
			HappenedAt: units.Timestamp(g.Began), SeenAt: units.Timestamp(g.Ended), EndedAt: units.Timestamp(g.Ended), Seconds: gapLength(g, now).Seconds(), Current: g.Ended.IsZero(), Source: "coverage",
		},
	}
}

// maxReasons is the maximum number of revisions whose bodies are read for their reasons, the newest
// ones.
const maxReasons = 100

// reasonsWithin returns a line for each revision of an object that has the state of the one before
// and another reason, such as ImagePullBackOff after ErrImagePull. The history has no transition
// for it; it has one if the type's own word for the state changed, with the reason. A revision
// whose body is not recorded, or whose state is by a rule of a file, has no line. The revisions must
// be in order.
func reasonsWithin(ctx context.Context, h *source.History, obj history.Object, revisions []history.Revision) (lines []lineBetween, err error) {
	revisions = revisions[max(0, len(revisions)-maxReasons):]
	var last job.Status
	var before history.Revision // the revision of last
	for i, r := range revisions {
		if r.Deleted || r.State == "" {
			continue
		}
		transition := r.State != before.State || r.Raw != before.Raw
		before = r
		s, err := statusAt(ctx, h, obj, r)
		if err != nil {
			return nil, err
		}
		if i > 0 && !transition && s.State != "" && s.State == last.State && s.Reason != "" && s.Reason != last.Reason {
			lines = append(lines, lineBetween{reasonLine(obj, r, s), r.Version})
		}
		last = s
	}
	return lines, nil
}

// statusAt returns the status that the body of a revision shows, or the zero Status.
func statusAt(ctx context.Context, h *source.History, obj history.Object, r history.Revision) (job.Status, error) {
	body, _, err := h.Body(ctx, obj.ID, r.Version)
	if errors.Is(err, history.ErrNoBody) || errors.Is(err, history.ErrUnknown) {
		return job.Status{}, nil
	}
	if err != nil {
		return job.Status{}, err
	}
	o := job.ParseObject(body)
	if o == nil {
		return job.Status{}, nil
	}
	o["kind"] = obj.Type.Kind // items of lists may lack both
	if o["apiVersion"] = "v1"; obj.Type.Group != "" {
		o["apiVersion"] = obj.Type.Group + "/v1"
	}
	s := job.ReadStatus(o)
	if string(s.State) != r.State {
		return job.Status{}, nil
	}
	return s, nil
}

// reasonLine returns the line of a reason within a state.
func reasonLine(obj history.Object, r history.Revision, s job.Status) listing.Item {
	return listing.Item{
		Cells: []string{units.Local(r.Seen), "(reason)", "", s.Reason, printable.OneLine(s.Message), r.Version.String(), r.Source.String(), units.Local(r.Seen)},
		Name:  source.NameOf(obj),
		Doc: transitionDoc{
			Kind: "reason", Cluster: obj.Cluster, Type: obj.Type.String(), Namespace: obj.Namespace, Name: obj.Name, UID: obj.UID, Version: r.Version.String(),
			From: r.State, To: r.State, FromRaw: r.Raw, ToRaw: r.Raw, Reason: s.Reason, Message: s.Message, HappenedAt: units.Timestamp(r.Seen), SeenAt: units.Timestamp(r.Seen), Source: r.Source.String(),
		},
	}
}
