package wire

import (
	"errors"
	"fmt"
	"math/bits"
)

// MaxUIDRanges is the maximum of UIDRange.Count.
const MaxUIDRanges = 256

// UIDRange is one of the equal ranges into which the objects of a type are divided, by the
// FNV-1a hash of their UIDs with 64 bits. The zero value is all objects. A server with
// KEP-5866 selects the same objects with Selector.
type UIDRange struct {
	// Index is the number of the range, from 0. Count is the number of ranges: a power of
	// two of at most MaxUIDRanges. 0 and 1 mean that the type is not divided.
	Index, Count int
}

// Check returns an error if the range does not exist.
func (r UIDRange) Check() error {
	if r.Count < 0 || r.Count > MaxUIDRanges || bits.OnesCount(uint(r.Count)) > 1 {
		return fmt.Errorf("%d UID ranges: use 1, 2, 4 or another power of two up to %d", r.Count, MaxUIDRanges)
	}
	if r.Index < 0 || r.Index > 0 && r.Index >= r.Count {
		return fmt.Errorf("UID range %d of %d does not exist", r.Index, r.Count)
	}
	return nil
}

// IsAll reports whether the range has all objects.
func (r UIDRange) IsAll() bool { return r.Count <= 1 }

// shift is the number of low bits of a hash that do not distinguish ranges.
func (r UIDRange) shift() int { return 64 - bits.TrailingZeros(uint(r.Count)) }

// Contains reports whether the object with a UID is in the range. All objects without a UID
// are in the same range.
func (r UIDRange) Contains(uid string) bool {
	return r.IsAll() || int(hashUID(uid)>>r.shift()) == r.Index
}

// Includes reports whether each object of another range is in this one.
func (r UIDRange) Includes(other UIDRange) bool {
	n, m := max(r.Count, 1), max(other.Count, 1)
	return n <= m && other.Index/(m/n) == r.Index
}

// Selector returns the shard selector that makes a server with KEP-5866 send the objects of
// the range only. It returns "" for all objects.
func (r UIDRange) Selector() string {
	if r.IsAll() {
		return ""
	}
	end := "0x10000000000000000"
	if r.Index+1 < r.Count {
		end = fmt.Sprintf("0x%016x", uint64(r.Index+1)<<r.shift())
	}
	return fmt.Sprintf("shardRange(object.metadata.uid, '0x%016x', '%s')", uint64(r.Index)<<r.shift(), end)
}

// String returns "1/4" for the first of four ranges, and "" for all objects.
func (r UIDRange) String() string {
	if r.IsAll() {
		return ""
	}
	return fmt.Sprintf("%d/%d", r.Index+1, r.Count)
}

func hashUID[T string | []byte](uid T) uint64 {
	const (
		offset = 14695981039346656037
		prime  = 1099511628211
	)
	h := uint64(offset)
	for i := range len(uid) {
		h = (h ^ uint64(uid[i])) * prime
	}
	return h
}

// lacks is the opposite of Contains, for the bytes of a UID.
func (r UIDRange) lacks(uid []byte) bool {
	return !r.IsAll() && int(hashUID(uid)>>r.shift()) != r.Index
}

// errOutside is returned by the sources of lists and watches for an object that is not in
// the range. Readers skip it.
var errOutside = errors.New("the object is not in the UID range")
