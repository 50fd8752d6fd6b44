package batch

import (
	"context"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// indexTransitions writes the index entries for the transitions of a batch.
func indexTransitions(ctx context.Context, tx *sqldb.Tx, s model.Scope, objects []*lockedObject) error {
	var firsts, entries []model.IndexEntry
	for _, obj := range objects {
		if obj.reindex {
			hours, err := model.TransitionHours(ctx, tx, obj.ID)
			if err != nil {
				return err
			}
			for _, h := range hours {
				obj.addHour(h)
			}
		} else if len(obj.hours) == 1 && obj.before.Version > 0 && obj.hours[0] == model.HourOf(obj.before.Since) {
			continue // the common case: the last transition before the batch has the same entries
		}
		if len(obj.hours) == 0 {
			continue
		}
		terms, err := termsOf(ctx, tx, s, obj)
		if err != nil {
			return err
		}
		into := &entries
		if obj.fresh {
			into = &firsts
		}
		for _, t := range terms {
			for _, h := range obj.hours {
				*into = append(*into, model.IndexEntry{Term: t, Hour: h, Object: obj.ID})
			}
		}
	}
	if err := model.InsertFirstIndexEntries(ctx, tx, firsts); err != nil {
		return err
	}
	return model.InsertIndexEntries(ctx, tx, entries)
}

// termsOf returns the terms of an object at its last revision.
func termsOf(ctx context.Context, tx *sqldb.Tx, s model.Scope, obj *lockedObject) ([]model.Term, error) {
	if obj.body != nil {
		return obj.body.Terms(s), nil
	}
	return model.StoredTerms(ctx, tx, obj.ID)
}
