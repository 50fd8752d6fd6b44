package store

import "github.com/vedette-io/vedette/wire"

// DefaultBacklog is the default of Config.Backlog.
const DefaultBacklog = 16384

// Config is the configuration of a Store. The zero value works.
type Config struct {
	// Backlog is how many changes may wait for a subscriber; default 16,384. Beyond
	// it, those of EveryChange are folded, those of Latest are worked out from two
	// snapshots, and Apply waits for a subscriber of Lossless. A larger backlog
	// bridges longer pauses, and costs the old states of that many objects.
	Backlog int
	// Group is whose views show this store together with others at one
	// instant; default one of its own.
	Group *Group
	// Transform makes of a record what is to be stored, before indexes see it.
	// It may change Body and Encoding; the rest is put back. It is called by the
	// goroutine that calls Apply. A record for which it returns an error, or panics,
	// is not stored, but counted in Stats.Refused: what is known of the object stays
	// as it was, by a watch and by a list. Default: as it came.
	Transform func(wire.Record) (wire.Record, error)
	// Decode makes the store keep a decoded object beside each record, for
	// Entry.Object: all readers share it. It is called by the goroutine that
	// calls Apply. A panic is an error of Entry.Object. Default: objects are decoded
	// when somebody asks.
	Decode func(wire.Record) (any, error)
}

// Stats counts what the store did since it was made, and what it holds.
type Stats struct {
	// Stale counts deltas that were dropped as not newer than the store.
	Stale uint64
	// Unchanged counts objects of later lists that the store had already.
	Unchanged uint64
	// Refused counts records that Config.Transform returned an error for, and
	// LastRefused is the last of those errors; a *PanicError where it panicked.
	Refused     uint64
	LastRefused error
	// Unindexed counts how often the function of an index panicked, and
	// LastUnindexed is the last of those panics, a *PanicError. The object is stored;
	// that index has no value of it.
	Unindexed     uint64
	LastUnindexed error
	// FellBehind counts how often subscribers of EveryChange fell behind, Folded the
	// changes that came meanwhile, and Unreported the objects that came and went
	// meanwhile and were not told of; see Lag.
	FellBehind, Folded, Unreported uint64
	// Objects is how many there are, RawBytes the size of their bodies, and
	// HeldBytes that of the memory that holds them packed.
	Objects   int
	RawBytes  int64
	HeldBytes int64
	// Dictionaries counts those that were made.
	Dictionaries int
}
