package delivery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Create inserts deliveries, except those whose key exists in the database, and those about
// erased objects. It returns the number of inserted deliveries. Each needs Key, Kind, Channel
// and Event. State 0 means Waiting; it may be Held, with the end of the window in NextAt;
// HoldBack creates Silenced ones. A zero CreatedAt means
// now. The ID and the results of sending are ignored.
//
// The order of a lane is the order of the calls. Only one transaction at a time may create
// deliveries of a lane; the cursor of the feed guarantees that. Call Create late in the
// transaction: if a lane has a backlog, workers of its channel wait until the transaction
// ends.
//
// Errors: a delivery without Key or Channel, or with a channel name of more than 63 bytes;
// those of the database.
func Create(ctx context.Context, tx *sqldb.Tx, all []Delivery) (created int, err error) {
	n, err := newBatch(all, tx.Now())
	if err != nil {
		return 0, err
	}
	if err := n.leaveOutRepeats(ctx, tx); err != nil || len(n.all) == 0 {
		return 0, err
	}
	if err := n.leaveOutErased(ctx, tx); err != nil || len(n.all) == 0 {
		return 0, err
	}
	if err := ensureChannels(ctx, tx, n.channels(nil)); err != nil {
		return 0, err
	}
	if err := n.order(ctx, tx); err != nil {
		return 0, err
	}
	rows := make([][]any, len(n.all))
	for i := range n.all {
		rows[i] = insertRow(&n.all[i], n.hashes[i])
	}
	return len(rows), tx.InsertNew(ctx, "deliveries", insertColumns, rows, "key_hash")
}

// maxChannel is the maximum number of bytes of a channel name.
const maxChannel = 63

// batch has the deliveries of one call of Create with the hashes of their keys.
type batch struct {
	all    []Delivery
	hashes [][]byte
}

// newBatch checks and completes deliveries, and drops repeats among them.
func newBatch(all []Delivery, now time.Time) (*batch, error) {
	n := &batch{}
	seen := map[string]bool{}
	for _, d := range all {
		switch {
		case d.Key == "" || d.Channel == "":
			return nil, errors.New("a delivery needs a key and a channel")
		case len(d.Channel) > maxChannel:
			return nil, fmt.Errorf("the name of channel %.20s… has %d bytes; %d are allowed", d.Channel, len(d.Channel), maxChannel)
		case d.State == 0:
			d.State = Waiting
		case d.State != Held && d.State != Waiting && d.State != Silenced:
			return nil, fmt.Errorf("delivery %s cannot be created in state %s", d.Key, d.State)
		}
		d.Receiver = cut(d.Receiver, maxKey)
		if d.CreatedAt.IsZero() {
			d.CreatedAt = now
		}
		if d.NextAt.IsZero() {
			d.NextAt = d.CreatedAt
		}
		if d.Lane == 0 {
			d.Lane = LaneOf(d.Object, d.Channel, d.Receiver)
		}
		hash := digestOf("key", d.Key)
		if !seen[string(hash)] {
			seen[string(hash)] = true
			n.all, n.hashes = append(n.all, d), append(n.hashes, hash)
		}
	}
	return n, nil
}

// leaveOutRepeats removes the deliveries whose key exists in the database.
func (n *batch) leaveOutRepeats(ctx context.Context, tx *sqldb.Tx) error {
	known := map[string]bool{}
	for some := range slices.Chunk(n.hashes, chunk) {
		args := make([]any, len(some))
		for i := range some {
			args[i] = some[i]
		}
		err := tx.Query(ctx, "SELECT key_hash FROM deliveries WHERE key_hash IN "+sqldb.Placeholders(len(args)), args, func(rows *sql.Rows) error {
			var hash []byte
			err := rows.Scan(&hash)
			known[string(hash)] = true
			return err
		})
		if err != nil {
			return err
		}
	}
	all, hashes := n.all, n.hashes
	n.all, n.hashes = nil, nil
	for i := range all {
		if !known[string(hashes[i])] {
			n.all, n.hashes = append(n.all, all[i]), append(n.hashes, hashes[i])
		}
	}
	return nil
}

// leaveOutErased removes the deliveries about objects that were erased.
func (n *batch) leaveOutErased(ctx context.Context, tx *sqldb.Tx) error {
	ids := make([]int64, len(n.all))
	for i := range n.all {
		ids[i] = n.all[i].Object
	}
	erased, err := erasedAmong(ctx, tx, ids)
	all, hashes := n.all, n.hashes
	n.all, n.hashes = nil, nil
	for i := range all {
		if !erased[all[i].Object] {
			n.all, n.hashes = append(n.all, all[i]), append(n.hashes, hashes[i])
		}
	}
	return err
}

// erasedAmong returns those of some objects that were erased. No other object is stored as
// erased until the transaction ends.
func erasedAmong(ctx context.Context, tx *sqldb.Tx, ids []int64) (map[int64]bool, error) {
	if some, err := model.FenceErasing(ctx, tx); err != nil || !some {
		return nil, err
	}
	return model.ErasedObjects(ctx, tx, ids)
}

// order marks the deliveries that are behind others of their lane. The unsent deliveries
// of a lane can end at any time, so it locks their channel first.
func (n *batch) order(ctx context.Context, tx *sqldb.Tx) error {
	lanes := map[int64]bool{}
	for i := range n.all {
		if n.all[i].State == Waiting {
			lanes[n.all[i].Lane] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(lanes))
	busy, err := busyLanes(ctx, tx, sorted)
	if err != nil {
		return err
	}
	if len(busy) > 0 {
		if _, err := lockChannels(ctx, tx, n.channels(busy)...); err != nil {
			return err
		}
		if busy, err = busyLanes(ctx, tx, sorted); err != nil {
			return err
		}
	}
	for i := range n.all {
		if d := &n.all[i]; d.State == Waiting {
			if busy[d.Lane] {
				d.State = Behind
			}
			busy[d.Lane] = true
		}
	}
	return nil
}

// channels returns the names of the channels; if lanes is not nil, only of those with
// deliveries in the lanes.
func (n *batch) channels(lanes map[int64]bool) []string {
	names := map[string]bool{}
	for i := range n.all {
		if lanes == nil || lanes[n.all[i].Lane] {
			names[n.all[i].Channel] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
