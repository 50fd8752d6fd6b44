package bodies

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/vedette-io/vedette/internal/pack"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Encoder encodes the bodies of one type for the database. It caches the keyframes and
// dictionaries of committed batches. It belongs to one goroutine, except for Prepare.
type Encoder struct {
	resource  int64
	newest    atomic.Pointer[dictionary] // nil: the type has no dictionary yet
	known     map[int64]*dictionary
	keyframes *keyframeCache
	recent    []sample // the most recent bodies that were stored as keyframes
	stored    int      // number of keyframes that were stored
	check     int      // value of stored at which the dictionary is compared with a candidate
}

// NewEncoder returns an encoder for the type with a row ID. It caches keyframes of up to
// cacheBytes in total.
func NewEncoder(resource int64, cacheBytes int) *Encoder {
	return &Encoder{resource: resource, known: map[int64]*dictionary{}, keyframes: newKeyframeCache(cacheBytes), check: firstCheck}
}

// Cached returns the number of objects with a cached keyframe, and the size of the cache in
// bytes.
func (e *Encoder) Cached() (objects, bytes int) { return len(e.keyframes.byObject), e.keyframes.size }

// Prepare encodes a body before its transaction begins: its hash and, for a body that is
// probably a keyframe, its data. Batch.Encode takes the result. One goroutine may call
// Prepare while another one uses the encoder.
func (e *Encoder) Prepare(body []byte, keyframe bool) model.StoredBody {
	h := HashOf(body)
	if keyframe {
		return newKeyframe(body, h, e.newest.Load())
	}
	return model.StoredBody{Hash: h, Size: len(body)}
}

// dictionary returns the dictionary with an ID, or nil for 0.
func (e *Encoder) dictionary(ctx context.Context, q sqldb.Querier, id int64) (*dictionary, error) {
	if id == 0 {
		return nil, nil
	}
	if d := e.known[id]; d != nil {
		return d, nil
	}
	stored, err := model.ReadDictionary(ctx, q, id)
	if err != nil {
		return nil, err
	}
	d := newDictionary(stored)
	e.known[id] = d
	return d, nil
}

// Batch encodes the bodies of one transaction.
type Batch struct {
	e         *Encoder
	tx        *sqldb.Tx
	dict      *dictionary // nil: keyframes are not compressed
	checked   bool        // the dictionary was compared with a candidate
	keyframes map[int64]model.Keyframe
	plain     map[int64][]byte // decoded keyframes, by object
	samples   []sample         // bodies that became keyframes
	deleted   []int64          // objects
}

// Begin reads the dictionary of the type and the keyframes of some objects, and returns the
// encoder of a transaction. all yields the bodies to encode. The caller must hold the locks
// of the objects.
func (e *Encoder) Begin(ctx context.Context, tx *sqldb.Tx, all iter.Seq[[]byte], objects iter.Seq[*model.Object]) (*Batch, error) {
	b := &Batch{e: e, tx: tx, keyframes: map[int64]model.Keyframe{}, plain: map[int64][]byte{}}
	if err := b.train(ctx, all); err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	if err := b.readKeyframes(ctx, objects); err != nil {
		return nil, fmt.Errorf("keyframes: %w", err)
	}
	return b, nil
}

// Commit adopts the keyframes and the dictionary of a batch. Call it after the transaction
// is committed.
func (e *Encoder) Commit(b *Batch) {
	if b.dict != nil {
		e.known[b.dict.id] = b.dict
		e.newest.Store(b.dict)
	}
	if b.checked {
		e.check *= 4
	}
	for _, k := range b.keyframes {
		e.keyframes.put(k)
	}
	for _, object := range b.deleted {
		e.keyframes.drop(object)
	}
	for _, s := range b.samples {
		if len(s.body) <= dictBytes/4 {
			e.recent = append(e.recent, s)
		}
	}
	e.recent = append(e.recent[:0], e.recent[max(0, len(e.recent)-maxSamples):]...)
	e.stored += len(b.samples)
}

// train selects the dictionary of the batch, and trains a dictionary if there are enough
// bodies.
func (b *Batch) train(ctx context.Context, all iter.Seq[[]byte]) error {
	e := b.e
	if err := b.choose(ctx); err != nil || b.dict != nil && e.stored < e.check {
		return err
	}
	if b.dict == nil && enoughSamples(bodiesOf(e.recent), all) == nil {
		return nil
	}
	samples, err := b.unerased(ctx)
	if err != nil {
		return err
	}
	if b.dict == nil {
		if samples = enoughSamples(samples, all); samples == nil {
			return nil
		}
	} else {
		b.checked = true
		half := len(samples) / 2
		if !saves(pack.Train(nil, samples[:half], dictBytes), b.dict.Dictionary, samples[half:]) {
			return nil
		}
	}
	candidate := pack.Train(nil, samples, dictBytes)
	if len(candidate.Text()) == 0 {
		return nil
	}
	stored, err := model.InsertDictionary(ctx, b.tx, e.resource, candidate.Text())
	if err != nil {
		return err
	}
	return b.hold(ctx, newDictionary(stored))
}

// choose selects the dictionary of earlier batches, or the newest one of the database. A
// dictionary may have been retired since the last batch.
func (b *Batch) choose(ctx context.Context) error {
	e := b.e
	if d := e.newest.Load(); d != nil {
		if err := b.hold(ctx, d); err != nil || b.dict != nil {
			return err
		}
		e.newest.CompareAndSwap(d, nil)
	}
	id, found, err := model.NewestDictionary(ctx, b.tx, e.resource)
	if err != nil || !found {
		return err
	}
	d, err := e.dictionary(ctx, b.tx, id) // another recorder has stored it
	if err != nil {
		return err
	}
	return b.hold(ctx, d)
}

// hold makes a dictionary that of the batch, unless it was retired.
func (b *Batch) hold(ctx context.Context, d *dictionary) error {
	held, err := model.HoldDictionary(ctx, b.tx, d.id)
	if held {
		b.dict = d
	}
	return err
}

// unerased returns the recent bodies without those of erased objects. No object is stored as
// erased until the transaction ends.
func (b *Batch) unerased(ctx context.Context) ([][]byte, error) {
	e := b.e
	if some, err := model.FenceErasing(ctx, b.tx); err != nil || !some {
		return bodiesOf(e.recent), err
	}
	uids := make([]string, len(e.recent))
	for i := range e.recent {
		uids[i] = e.recent[i].uid
	}
	erased, err := model.ErasedAmong(ctx, b.tx, "", uids)
	e.recent = slices.DeleteFunc(e.recent, func(s sample) bool { return erased[s.uid] })
	return bodiesOf(e.recent), err
}

// readKeyframes reads the keyframes that the next revisions of objects differ from, unless
// they are cached.
func (b *Batch) readKeyframes(ctx context.Context, objects iter.Seq[*model.Object]) error {
	var missing []model.RevisionID
	for o := range objects {
		if o.Presence != model.Deleted && o.Base > 0 && o.Depth < maxDifferences && b.e.keyframes.byObject[o.ID].Version != o.Base {
			missing = append(missing, model.RevisionID{Object: o.ID, Version: o.Base})
		}
	}
	slices.SortFunc(missing, func(x, y model.RevisionID) int { return cmp.Compare(x.Object, y.Object) })
	var dictionaries []int64
	err := model.ReadKeyframes(ctx, b.tx, missing, func(k model.Keyframe) {
		b.keyframes[k.Object], dictionaries = k, append(dictionaries, k.Dictionary)
	})
	if err != nil {
		return err
	}
	for _, id := range dictionaries {
		if _, err := b.e.dictionary(ctx, b.tx, id); err != nil {
			return err
		}
	}
	return nil
}

// Encode encodes the body of a revision that follows all stored revisions of its object,
// and updates Base and Depth of the object. A nil body is stored without data. prepared is
// the result of Prepare for the body, or zero.
func (b *Batch) Encode(o *model.Object, version wire.Version, body []byte, prepared model.StoredBody) model.StoredBody {
	if body == nil {
		return model.StoredBody{}
	}
	if prepared.Size == 0 {
		prepared = model.StoredBody{Hash: HashOf(body), Size: len(body)}
	}
	if o.Base > 0 && o.Depth < maxDifferences {
		if keyframe := b.keyframe(o); keyframe != nil {
			if stored, ok := newDifference(body, keyframe, prepared.Hash, o.Base); ok {
				o.Depth++
				return stored
			}
		}
	}
	stored := prepared
	if !b.usable(&prepared) {
		stored = newKeyframe(body, prepared.Hash, b.dict)
	}
	o.Base, o.Depth = version, 0
	b.keyframes[o.ID], b.plain[o.ID] = model.Keyframe{Object: o.ID, Version: version, StoredBody: stored}, body
	b.samples = append(b.samples, sample{o.UID, body})
	return stored
}

// usable reports whether a prepared body is a keyframe with the dictionary of the batch. The
// dictionary may have changed since the body was prepared.
func (b *Batch) usable(prepared *model.StoredBody) bool {
	return len(prepared.Data) > 0 && b.dict != nil && prepared.Dictionary == b.dict.id
}

// EncodeAlone encodes the body of a late revision as a keyframe without differences.
func (b *Batch) EncodeAlone(body []byte) model.StoredBody {
	return newKeyframe(body, HashOf(body), b.dict)
}

// Drop marks an object as deleted. Its keyframe leaves the cache at Commit.
func (b *Batch) Drop(object int64) { b.deleted = append(b.deleted, object) }

// keyframe returns the decoded keyframe that the next revision of an object differs from,
// or nil if the keyframe is unavailable.
func (b *Batch) keyframe(o *model.Object) []byte {
	if body := b.plain[o.ID]; body != nil {
		return body
	}
	k, found := b.keyframes[o.ID]
	if !found {
		k = b.e.keyframes.byObject[o.ID]
	}
	if k.Version != o.Base {
		return nil
	}
	body, err := decode(&k.StoredBody, nil, b.e.known[k.Dictionary])
	if err != nil {
		return nil // the next revision becomes a keyframe
	}
	b.plain[o.ID] = body
	return body
}
