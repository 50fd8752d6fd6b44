// Package pack compresses bodies that have much in common: against a dictionary of
// typical bodies, after the body of a sibling, or as the difference from an earlier body of
// the same object.
//
// All are one format; a sibling adds to it. It is meant for bodies of a few KiB that are read one at a
// time: packing and unpacking allocate nothing and keep no state between bodies.
//
// # Data flow
//
//	bodies -> Train -> Dictionary
//	body -> Dictionary.Pack   -> packed -> Dictionary.Unpack -> body
//	body -> Dictionary.PackAfter (a sibling) -> packed -> Dictionary.UnpackAfter -> body
//	PackLike, PackAfter <- the packed form of an earlier body: where to look first
//	body -> Diff (of a base)  -> packed -> Patch (of the same base) -> body
//
// # Format
//
// A packed body is a sequence of steps. Each step copies literal bytes, and then a run of
// earlier bytes. The dictionary, the prefix and the body itself form one text for this
// purpose, but a run never crosses from one of these parts into the next. The distance of
// a run is stored as the difference from the distance of the previous step. An object
// follows its sibling from field to field, so after a value of the same length the
// distance takes one byte.
//
//	step  = token [literals - 7: uvarint] literal… [match - 15: uvarint] [distance: zigzag]
//	token = min(literals, 7) | min(match, 15) << 3
//
// The format is stored in databases and snapshot files, so it never changes.
//
// # Limits
//
// A packed body is at most len(body)/64 + 16 bytes larger than the body.
package pack
