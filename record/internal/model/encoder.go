package model

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Encoder encodes the bodies of one type for the database. It remembers keyframes and
// dictionaries of batches that were committed. It belongs to one goroutine.
type Encoder struct {
	resource  int64
	newest    *Dictionary // nil: there is none yet
	known     map[int64]*Dictionary
	keyframes *keyframeCache
	recent    [][]byte // the last bodies that were stored as keyframes
	stored    int      // how many keyframes were stored
	check     int      // at this number a better dictionary is looked for
}

// NewEncoder returns an encoder for the type with a row number. It caches keyframes of up
// to cacheBytes in total.
func NewEncoder(resource int64, cacheBytes int) *Encoder {
	return &Encoder{resource: resource, known: map[int64]*Dictionary{}, keyframes: newKeyframeCache(cacheBytes), check: firstCheck}
}

// Cached returns of how many objects a keyframe is cached, and how many bytes that takes.
func (e *Encoder) Cached() (objects, bytes int) { return len(e.keyframes.byObject), e.keyframes.size }

// dictionary returns a dictionary by its number; nil for 0.
func (e *Encoder) dictionary(ctx context.Context, q sqldb.Querier, id int64) (*Dictionary, error) {
	if id == 0 {
		return nil, nil
	}
	if d := e.known[id]; d != nil {
		return d, nil
	}
	d, err := ReadDictionary(ctx, q, id)
	if err == nil {
		e.known[id] = d
	}
	return d, err
}

// EncoderBatch encodes the bodies of one transaction.
type EncoderBatch struct {
	e         *Encoder
	tx        *sqldb.Tx
	dict      *Dictionary // nil: keyframes are not compressed
	checked   bool        // a better dictionary was looked for
	keyframes map[int64]Keyframe
	plain     map[int64][]byte // decoded keyframes, by object
	samples   [][]byte         // bodies that became keyframes
	deleted   []int64          // objects
}

// Begin returns an encoder for a transaction, after it has read what the bodies of the
// batch need: a dictionary and the keyframes of the objects. bodies are those that will
// be encoded; objects are locked, and not deleted.
func (e *Encoder) Begin(ctx context.Context, tx *sqldb.Tx, bodies iter.Seq[[]byte], objects iter.Seq[*Object]) (*EncoderBatch, error) {
	b := &EncoderBatch{e: e, tx: tx, keyframes: map[int64]Keyframe{}, plain: map[int64][]byte{}}
	if err := b.train(ctx, bodies); err != nil {
		return nil, fmt.Errorf("table dictionaries: %w", err)
	}
	if err := b.readKeyframes(ctx, objects); err != nil {
		return nil, fmt.Errorf("keyframes in table revisions: %w", err)
	}
	return b, nil
}

// Commit takes over what a batch has learned. Call it after the transaction is committed.
func (e *Encoder) Commit(b *EncoderBatch) {
	if b.dict != nil {
		e.newest, e.known[b.dict.ID] = b.dict, b.dict
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
	for _, body := range b.samples {
		if len(body) <= dictBytes/4 {
			e.recent = append(e.recent, body)
		}
	}
	e.recent = append(e.recent[:0], e.recent[max(0, len(e.recent)-maxSamples):]...)
	e.stored += len(b.samples)
}

// train chooses the dictionary of the batch, and makes one when there are enough bodies.
func (b *EncoderBatch) train(ctx context.Context, bodies iter.Seq[[]byte]) error {
	e := b.e
	if b.dict = e.newest; b.dict != nil && e.stored < e.check {
		return nil
	}
	samples := e.recent
	if b.dict == nil {
		id, found, err := newestDictionary(ctx, b.tx, e.resource)
		if err == nil && found { // another recorder has made one
			b.dict, err = e.dictionary(ctx, b.tx, id)
		}
		if err != nil || b.dict != nil {
			return err
		}
		if samples = enoughSamples(samples, bodies); samples == nil {
			return nil
		}
	}
	half := len(samples) / 2
	candidate := wire.Train(nil, samples[:half], dictBytes)
	if b.dict != nil {
		b.checked = true
		if !saves(candidate, b.dict.Dictionary, samples[half:]) {
			return nil
		}
	}
	if candidate = wire.Train(nil, samples, dictBytes); len(candidate.Text()) == 0 {
		return nil
	}
	dict, err := insertDictionary(ctx, b.tx, e.resource, candidate)
	b.dict = dict
	return err
}

// readKeyframes reads the keyframes that the next revisions of objects are compared with,
// as far as they are not cached.
func (b *EncoderBatch) readKeyframes(ctx context.Context, objects iter.Seq[*Object]) error {
	var missing []RevisionID
	for o := range objects {
		if o.Presence != Deleted && o.Base > 0 && o.Depth < maxDeltas && b.e.keyframes.byObject[o.ID].Version != o.Base {
			missing = append(missing, RevisionID{o.ID, o.Base})
		}
	}
	slices.SortFunc(missing, func(x, y RevisionID) int { return cmp.Compare(x.Object, y.Object) })
	var dictionaries []int64
	err := readKeyframes(ctx, b.tx, missing, func(k Keyframe) {
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
// and updates Base and Depth of the object. A nil body stays without data.
func (b *EncoderBatch) Encode(o *Object, version wire.Version, body []byte) StoredBody {
	if body == nil {
		return StoredBody{}
	}
	h := hashOf(body)
	if o.Base > 0 && o.Depth < maxDeltas {
		if keyframe := b.keyframe(o); keyframe != nil {
			if stored, ok := newDelta(body, keyframe, h, o.Base); ok {
				o.Depth++
				return stored
			}
		}
	}
	stored := newKeyframe(body, h, b.dict)
	o.Base, o.Depth = version, 0
	b.keyframes[o.ID], b.plain[o.ID] = Keyframe{o.ID, version, stored}, body
	b.samples = append(b.samples, body)
	return stored
}

// EncodeAlone encodes the body of a late revision as a keyframe that no other revision is
// compared with.
func (b *EncoderBatch) EncodeAlone(body []byte) StoredBody {
	return newKeyframe(body, hashOf(body), b.dict)
}

// Drop says that an object is deleted. No revision will be compared with its keyframe.
func (b *EncoderBatch) Drop(object int64) { b.deleted = append(b.deleted, object) }

// keyframe returns the decoded keyframe that the next revision of an object is compared
// with; nil if it is not known.
func (b *EncoderBatch) keyframe(o *Object) []byte {
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
	body, err := k.decode(nil, b.e.known[k.Dictionary])
	if err != nil {
		return nil // the next revision becomes a keyframe
	}
	b.plain[o.ID] = body
	return body
}
