package contest

import (
	"bytes"
	"context"
	"hash/fnv"
	"os"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// floorKeeper is the floor of recorders: it appends each revision to a file, and waits until
// a batch is on disk. No reader can find a revision in it.
type floorKeeper struct {
	*batched
	file *os.File
	text []byte // of a batch

	last            map[string][]byte // the last revisions of one in floorSample objects, by UID
	listed, changed [][2][]byte       // first and later revisions of these objects, each with a similar text
}

func newFloorKeeper(_ *sqldb.DB, dir string, cluster *kube.Cluster, r kube.Resource) (Keeper, error) {
	k := &floorKeeper{last: map[string][]byte{}}
	var err error
	if k.file, err = os.CreateTemp(dir, "floor-*"); err != nil {
		return nil, err
	}
	k.batched, err = newBatched(cluster, r, k.write)
	return k, err
}

func (k *floorKeeper) write(_ context.Context, deltas delta.Batch) error {
	k.text = k.text[:0]
	var before []byte
	for i := range deltas {
		d := &deltas[i]
		k.text = append(k.text, d.Record.Body...)
		if sampled(d.Record.UID) {
			k.note(d.Record.UID, before, d.Record.Body)
		}
		before = d.Record.Body
	}
	if _, err := k.file.Write(k.text); err != nil {
		return err
	}
	return k.file.Sync()
}

// sampled reports whether an object is one of those whose sizes are estimated.
func sampled(uid string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(uid)) // a hash returns no error
	return h.Sum32()%floorSample == 0
}

// note keeps a revision of a sampled object: the first one with the object before it, and
// the others with the revision before.
func (k *floorKeeper) note(uid string, before, body []byte) {
	body = bytes.Clone(body)
	if last, known := k.last[uid]; known {
		k.changed = append(k.changed, [2][]byte{last, body})
	} else {
		k.listed = append(k.listed, [2][]byte{bytes.Clone(before), body})
	}
	k.last[uid] = body
}

// needed estimates the bytes that a revision needs in a first list, and later.
func (k *floorKeeper) needed() (listed, changed float64, err error) {
	if listed, err = entropyOf(k.listed); err == nil {
		changed, err = entropyOf(k.changed)
	}
	return listed, changed, err
}
