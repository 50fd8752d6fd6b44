package main

import (
	"context"
	"errors"

	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// maxReasons is the maximum number of revisions whose bodies are read for their reasons, the newest
// ones.
const maxReasons = 100

// reasonsWithin returns a line for each revision of an object that has the state of the one before
// and another reason, such as ImagePullBackOff after ErrImagePull. The history has no transition
// for it. A revision whose body is not recorded, or whose state is by a rule of a file, has no
// line. The revisions must be in order.
func reasonsWithin(ctx context.Context, h *source.History, obj history.Object, revisions []history.Revision) (lines []lineBetween, err error) {
	revisions = revisions[max(0, len(revisions)-maxReasons):]
	var last job.Status
	for i, r := range revisions {
		if r.Deleted || r.State == "" {
			continue
		}
		s, err := statusAt(ctx, h, obj, r)
		if err != nil {
			return nil, err
		}
		if i > 0 && s.State != "" && s.State == last.State && s.Reason != "" && s.Reason != last.Reason {
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
