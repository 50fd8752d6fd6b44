package batch

import (
	"context"
	"slices"

	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// place returns an observation with the version at which it is stored, and whether it follows
// all stored revisions of its object. Only reshown revisions are moved. place returns nil if
// the database has the content of such a revision: another recorder was faster, or has seen
// newer content since.
//
// The content that the server shows for a version is the revision with that version, and the
// reshown ones after it, in the order in which the server had reached their versions. So
// recorders agree, whoever writes first.
func (a *appender) place(ctx context.Context, tx *sqldb.Tx, obj *lockedObject, o *observe.Observation) (placed *observe.Observation, last bool, err error) {
	last = o.Version > obj.Version
	switch {
	case o.Source != model.Reshown:
		return o, last, nil
	case last: // the database has lost the revision
		again := *o
		again.Source = model.Relisted
		return &again, true, nil
	case obj.Presence == model.Deleted:
		return nil, false, nil
	}
	known, err := model.ReadContent(ctx, tx, obj.ID, o.Version)
	if err != nil {
		return nil, false, err
	}
	for i := range a.revisions { // these are not in the database yet
		if r := &a.revisions[i]; r.ObjectID == obj.ID && r.Version >= o.Version {
			known.Add(o.Version, r.Version, r.Source, r.Body.Hash)
		}
	}
	hash := bodies.HashOf(o.Body)
	last = known.Next == 0 && o.AsOf > known.Last
	switch {
	case known.Last == 0: // retention has removed the version
	case last && hash == known.Hashes[len(known.Hashes)-1]:
	case !last && (slices.Contains(known.Hashes, hash) || o.AsOf <= o.Version || known.Next > 0 && o.AsOf >= known.Next):
	default:
		moved := *o
		moved.Version = o.AsOf
		return &moved, last, nil
	}
	return nil, false, nil
}
