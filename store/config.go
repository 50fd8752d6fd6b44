package store

import "github.com/vedette-io/vedette/wire"

// DefaultBacklog is the default of Config.Backlog.
const DefaultBacklog = 16384

// BodyPolicy selects which bodies a store keeps next to decoded objects.
type BodyPolicy uint8

const (
	// KeepBodies keeps the body of each record.
	KeepBodies BodyPolicy = iota
	// ObjectsOnly keeps no bodies if Config.Decode is set: Entry.Record has no body, and
	// Snapshot.WriteFile returns an error. It is for readers that use only objects. An
	// object holds as much data as its body, so keeping both would double the memory.
	ObjectsOnly
)

// Config is the configuration of a Store. The zero value works.
type Config struct {
	// Backlog is the maximum number of pending changes of a subscriber; default 16,384.
	// Beyond it, the store folds changes for EveryChange, Latest compares two snapshots,
	// and Apply waits for a subscriber of Lossless. A larger backlog bridges longer
	// pauses, and costs the old states of that many objects.
	Backlog int
	// Group is the group whose views show this store and other stores at one instant.
	// Default: a new group.
	Group *Group
	// Transform converts a record to the form that is stored, before indexes see it. It
	// may change Body and Encoding; the store restores all other fields. The goroutine
	// that calls Apply calls it. If it returns an error or panics, the store does not
	// keep the record and counts it in Stats.Refused: the last known state of the
	// object stays, both for a watch and for a list. Default: records are stored
	// unchanged.
	Transform func(wire.Record) (wire.Record, error)
	// Decode makes the store keep a decoded object next to each record, for
	// Entry.Object: all readers share it. The goroutine that calls Apply calls Decode.
	// If it returns an error or panics, Entry.Object returns the error, and the store counts
	// it in Stats.Undecoded. Default: objects are decoded on demand.
	Decode func(wire.Record) (any, error)
	// Bodies selects which bodies the store keeps next to the objects of Decode. Default:
	// KeepBodies.
	Bodies BodyPolicy
	// KeepObject decides for each record whether the store keeps the object of Decode
	// instead of the body. If it is set, no record has both, and Snapshot.WriteFile
	// returns an error. The store keeps the body of a record that cannot be decoded, or for
	// which KeepObject panics; Stats.Undecoded counts both. The goroutine that calls Apply
	// calls KeepObject. Default: the store keeps all objects of Decode.
	KeepObject func(Candidate) bool
	// Panics determines what the store does after Transform, Decode, KeepObject or an index
	// function panics. Default: SkipOnPanic.
	Panics PanicPolicy
	// Report receives the errors that Stats.Refused, Undecoded and Unindexed count. The goroutine that runs the function calls Report, which must
	// be quick and must not use the store. Default: only Stats has these errors.
	Report func(error)
}

// Candidate is a record whose form Config.KeepObject decides.
type Candidate struct {
	// Size is the size of the body in bytes.
	Size int
	// Packs is the store's estimate of whether bodies of this size compress.
	Packs bool
	// Decoded reports that the store keeps the object of the last state.
	Decoded bool
	// StoreBytes is the size of all bodies in the store, or in the list that is arriving if
	// that is larger.
	StoreBytes int64
}

// dropsBodies reports whether the store keeps objects without bodies.
func (c *Config) dropsBodies() bool {
	return c.Decode != nil && (c.Bodies == ObjectsOnly || c.KeepObject != nil)
}

// Stats has the counters of a store since it was created, and its current size.
type Stats struct {
	// Stale counts deltas that were dropped because they were not newer than the store.
	Stale uint64
	// Unchanged counts objects that arrived again without a change.
	Unchanged uint64
	// Refused counts records for which Config.Transform returned an error or panicked.
	// LastRefused is the last of those errors; it is a *PanicError after a panic.
	Refused     uint64
	LastRefused error
	// Undecoded counts records for which Config.Decode returned an error or panicked, or
	// Config.KeepObject panicked. LastUndecoded is the last of those errors. The store has the
	// object, and its readers get the error or decode the body themselves.
	Undecoded     uint64
	LastUndecoded error
	// Unindexed counts the panics of index functions. LastUnindexed is the last of
	// those panics, a *PanicError. The store keeps the object, and that index has no
	// value for it.
	Unindexed     uint64
	LastUnindexed error
	// FellBehind counts how often subscribers of EveryChange fell behind. Folded counts
	// the changes that arrived during those episodes. Unreported counts the objects that
	// came and went during them without a report; see Lag.
	FellBehind, Folded, Unreported uint64
	// Objects is the number of objects, RawBytes the size of their unpacked bodies, and
	// HeldBytes the size of the memory of the packed records, without the bodies that
	// siblings are packed after. Decoded is the number of objects that are kept decoded;
	// HeldBytes does not include them.
	Objects   int
	RawBytes  int64
	HeldBytes int64
	Decoded   int
	// Dictionaries counts the dictionaries that were built.
	Dictionaries int
}

// Extract appends to dst the index values of an object. object is the result of
// Config.Decode for the record, or nil if Decode is not set. The goroutine that writes
// to the store calls Extract, which must not keep its arguments. If it panics, the
// object has no value in the index; see Stats.Unindexed.
type Extract func(dst []string, rec *wire.Record, object any) []string
