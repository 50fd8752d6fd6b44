package bodies

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/internal/pack"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// repackSpan is the number of row IDs that one step of Retire covers.
const repackSpan = 2000

// Holding returns the row IDs of the dictionaries that contain the body of one of some objects,
// and of those that an interrupted call of Retire has left. A dictionary consists of whole
// bodies, and the body of an object contains its UID.
func Holding(ctx context.Context, db *sqldb.DB, uids []string) (ids []int64, err error) {
	all, err := model.Dictionaries(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		stored, err := model.ReadDictionary(ctx, db, d.ID)
		if err != nil {
			return nil, err
		}
		if d.Retired || slices.ContainsFunc(uids, func(uid string) bool { return bytes.Contains(stored.Text, []byte(uid)) }) {
			ids = append(ids, d.ID)
		}
	}
	return ids, nil
}

// Retire removes dictionaries from the database. Recorders stop using them first. Then Retire
// compresses the bodies of other objects with another dictionary of the type. It works in small
// steps, between which others write, and calls progress with the number of bodies so far.
//
// Errors: those of the database; a body is damaged. A later call continues after an error.
func Retire(ctx context.Context, db *sqldb.DB, ids []int64, progress func(done int)) error {
	all, err := model.Dictionaries(ctx, db)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(d model.TypeDictionary) bool { return !slices.Contains(ids, d.ID) })
	for _, d := range all {
		err := db.Transact(ctx, func(tx *sqldb.Tx) error { return model.RetireDictionary(ctx, tx, d.ID, model.Micros(tx.Now())) })
		if err != nil {
			return fmt.Errorf("retire dictionary %d: %w", d.ID, err)
		}
	}
	done := 0
	for _, d := range all {
		r := &repacker{db: db, progress: func(n int) { done += n; progress(done) }}
		if err := r.run(ctx, d); err != nil {
			return fmt.Errorf("remove dictionary %d: %w", d.ID, err)
		}
	}
	return nil
}

// repacker compresses the bodies of one dictionary with another one.
type repacker struct {
	db        *sqldb.DB
	old, next *dictionary // next is nil if too few bodies are left to train one
	progress  func(n int)
}

func (r *repacker) run(ctx context.Context, d model.TypeDictionary) error {
	stored, err := model.ReadDictionary(ctx, r.db, d.ID)
	if err != nil {
		return err
	}
	r.old = newDictionary(stored)
	first, last, found, err := model.RevisionBounds(ctx, r.db)
	if err != nil {
		return err
	}
	if found {
		if err := r.replace(ctx, d.Resource, first, last); err != nil {
			return err
		}
	}
	for from := first; found && from <= last; from += repackSpan {
		if err := r.step(ctx, from); err != nil {
			return err
		}
	}
	return r.db.Transact(ctx, func(tx *sqldb.Tx) error { return model.DeleteDictionary(ctx, tx, d.ID) })
}

// replace selects the next dictionary: the newest one of the type, or a new one, trained on the
// newest bodies of the old one.
func (r *repacker) replace(ctx context.Context, resource, first, last int64) error {
	id, found, err := model.NewestDictionary(ctx, r.db, resource)
	if err != nil {
		return err
	}
	if found {
		stored, err := model.ReadDictionary(ctx, r.db, id)
		r.next = newDictionary(stored)
		return err
	}
	var samples [][]byte
	for to := last + 1; to > first && len(samples) < maxSamples; to -= repackSpan {
		some, err := r.read(ctx, to-repackSpan, to)
		if err != nil {
			return err
		}
		for i := len(some) - 1; i >= 0 && len(samples) < maxSamples; i-- {
			samples = append(samples, some[i].body)
		}
	}
	if samples = enoughSamples(samples, func(func([]byte) bool) {}); samples == nil {
		return nil
	}
	return r.db.Transact(ctx, func(tx *sqldb.Tx) error {
		stored, err := model.InsertDictionary(ctx, tx, resource, pack.Train(nil, samples, dictBytes).Text())
		r.next = newDictionary(stored)
		return err
	})
}

// packed is a keyframe with its decoded body.
type packed struct {
	model.PackedKeyframe
	body []byte
}

// read reads the keyframes of the old dictionary in a range of row IDs.
func (r *repacker) read(ctx context.Context, from, to int64) (all []packed, err error) {
	err = model.KeyframesWith(ctx, r.db, r.old.id, from, to, func(k model.PackedKeyframe) {
		k.Data = slices.Clone(k.Data)
		all = append(all, packed{PackedKeyframe: k})
	})
	for i := range all {
		if err == nil {
			all[i].body, err = decodeVerified(&all[i].StoredBody, nil, r.old)
		}
	}
	return all, err
}

// step compresses the keyframes of a range of row IDs.
func (r *repacker) step(ctx context.Context, from int64) error {
	some, err := r.read(ctx, from, from+repackSpan)
	if err != nil || len(some) == 0 {
		return err
	}
	err = r.db.Transact(ctx, func(tx *sqldb.Tx) error {
		if r.next != nil {
			if held, err := model.HoldDictionary(ctx, tx, r.next.id); err != nil {
				return err
			} else if !held {
				r.next = nil
			}
		}
		for i := range some {
			k := &some[i]
			if err := model.RepackKeyframe(ctx, tx, k.ID, r.old.id, newKeyframe(k.body, k.Hash, r.next)); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		r.progress(len(some))
	}
	return err
}
