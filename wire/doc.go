// Package wire converts the bytes of list pages and watch frames into records while
// they are still arriving, without decoding the objects in them.
//
// # Data flow
//
//	io.Reader (an HTTP body) -> ListReader  -> Record ... io.EOF, then ListMeta
//	io.Reader (an HTTP body) -> WatchReader -> Event  ... io.EOF
//	Record.Body -> Field    -> the values of one field, without decoding the object
//	Record.Body -> Codec[T] -> T, when a reader needs the object
//
// # Ownership
//
// A reader belongs to one goroutine. The records that it returns are immutable values,
// and any goroutine may use them. Their bodies alias chunks that are never overwritten,
// unless all records in a chunk are released ([Record.Release]); then the memory is
// reused. A Codec is stateless and a Field is immutable: any number of goroutines may
// use them at once.
//
// # Guarantees
//
// Records come in the order of the stream, and do not depend on the sizes of the reads.
// JSON is fully checked against the grammar of RFC 8259. CBOR is checked to be
// well-formed (RFC 8949) and to contain only the types that JSON has. In protobuf the
// envelope and the object's outer fields and metadata are checked; the rest is checked
// when the object is decoded. A [Field] yields the same values in every encoding of an
// object, and the values of a map in the order of the wire; in a damaged body it stops
// at the damage. A decoded object equals what the decoders of the Kubernetes API
// produce from the body, and shares no writable memory with another object.
//
// # Limits
//
// A record may have [DefaultMaxRecord] bytes (32 MiB) unless Options.MaxRecord sets
// another limit. A reader skips a larger object without keeping it, and reports it as
// unusable. An object of more than eight times the limit, and any other value that
// exceeds MaxRecord, counts as damage. A reader never holds more than twice the bytes
// of the value that is arriving, plus one chunk of 64 KiB: a length that the sender
// only claims allocates nothing.
//
// An object may nest as deep as its size allows, because it is kept as bytes. Its
// decoder may reject it: JSON and CBOR decode up to 10,000 levels, protobuf up to
// 1,000. A path may have 64 steps. The tables for shared strings have a fixed size, 2.5
// MB at most.
//
// # Errors
//
// [SyntaxError] (with the offset) means that the stream is damaged and cannot be read
// further; [TooLargeError] means that a value is too large to be skipped.
// [InvalidError] means that one object of an intact stream is unusable: it is too
// large, it has no name or version, it is of another kind, or its bytes are damaged but
// its end is certain. In JSON the last case is any mistake except one in a string's
// quotes or in the brackets; in CBOR it is a value that JSON does not have; in protobuf
// it is any damage, because the length of an object precedes it. The next call
// continues after the object. An error of the underlying reader is returned unchanged,
// and io.ErrUnexpectedEOF means that the bytes ended within a value. An invalid path is
// a [PathError], with the column.
package wire
