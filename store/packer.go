package store

import (
	"github.com/vedette-io/vedette/internal/pack"
)

// bodyFormat is how a body is stored.
type bodyFormat uint8

const (
	formatPlain bodyFormat = iota
	formatDictionary
	formatS2      // the S2 block format
	formatNone    // only the decoded object is kept
	formatSibling // with a dictionary, after the body of a reference
)

// longBodies is the state of the trials for long bodies.
type longBodies struct {
	until, trial     int // bodies until the next trial; interval between trials
	format           bodyFormat
	raw, dict, block float64 // decaying sums of the sizes in trials: raw and compressed
}

// packer packs bodies and builds the dictionaries for it. Bodies of one type are similar,
// but a dictionary can be built only after enough of them have been seen, and it becomes
// outdated as bodies change over time.
type packer struct {
	dict *pack.Dictionary // nil until one is built

	raw       int // bytes of bodies that were stored without a dictionary
	nextTrial int // the value of raw at which to try again to build a dictionary

	promised    float64          // the expected compression ratio of dict
	next        *pack.Dictionary // a candidate that has not been tested yet
	seen        struct{ bodies, raw, packed int }
	poorSamples [][]byte
	poorBodies  int

	like []byte // the earlier body of the same object, packed as the next one will be, or nil

	long     longBodies
	short    shortBodies
	siblings siblings
}

// shortBodies records whether short bodies compress.
type shortBodies struct {
	bodies, raw, packed int
	poor                bool
	skipped             int // bodies that were not tested since the last trial
}

// siblings packs bodies after references. It belongs to the writer.
type siblings struct {
	reference *reference // whose body is in body
	body      []byte
	ratio     float64 // decaying average of the packed sizes, relative to the bodies
	isNew     bool    // the reference is new
	rejected  int     // comparisons in a row in which the dictionary was as good
	skip      int     // bodies that are not tried, after those
	accepted  int     // comparisons in a row in which the reference was better
	trusted   int     // bodies that are not compared, after those
	// balance is the number of bytes that references have saved, minus the bytes that they and
	// the records of their sources take, within limits. New references need a positive one.
	balance int
}
