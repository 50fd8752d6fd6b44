// Package wire turns the bytes of list pages and watch frames into records,
// while they are still arriving and without decoding the objects in them.
//
// # Data flow
//
//	io.Reader (an HTTP body) -> ListReader  -> Record ... io.EOF, then ListMeta
//	io.Reader (an HTTP body) -> WatchReader -> Event  ... io.EOF
//	Record.Body -> Field    -> the values of one field, without an object
//	Record.Body -> Codec[T] -> T, when somebody's code asks for the object
//
// # Ownership
//
// A reader belongs to one goroutine. The records it returns are immutable
// values and may be handed to any goroutine; their bodies alias chunks that
// nobody writes again, unless all records in one are released ([Record.Release]),
// which saves the memory for the next. A Codec is stateless and may be used by many
// goroutines at once; so is a Field, for those who use it.
//
// # Guarantees
//
// Records come in the order of the stream, and are the same whatever the sizes
// of the reads that bring the bytes. JSON is checked in full by the grammar of
// RFC 8259; CBOR is checked to be well-formed (RFC 8949) and to have only the
// types that JSON has; of protobuf the envelope and the object's outer fields
// and metadata are checked, the rest when it is decoded. A [Field] gives the same
// values in every encoding of an object, those of a map in the order of the
// wire; in a damaged body it ends where the damage is. A decoded object equals what the
// decoders of the Kubernetes API make of the body, and shares nothing with another
// that can be written.
//
// # Limits
//
// A record may have [DefaultMaxRecord] bytes (32 MiB) unless Options.MaxRecord
// says otherwise. A reader passes over an object that has more, without keeping
// it, and reports it as unusable; an object of more than eight times as much, and
// any other value that exceeds MaxRecord, is damage. A reader never holds more
// than twice the bytes of the value that is arriving, plus one chunk of 64 KiB:
// a length that the sender only claims allocates nothing.
//
// An object may nest as deep as its size allows: it is kept as bytes. Its decoder
// may refuse it: JSON and CBOR decode up to 10,000 levels, protobuf up to 1,000.
// A path may have 64 steps. Strings that decoded objects share are kept
// in tables of a fixed size, 2.5 MB at most.
//
// # Errors
//
// [SyntaxError] (with the offset) means that the stream is damaged and cannot
// be read on; [TooLargeError] that a value is too large to be passed over.
// [InvalidError] means that one object of a sound stream cannot be used: it is too
// large, it has no name or version, it is of another kind, or its bytes are damaged
// in a way that leaves no doubt where it ends. In JSON that is any mistake
// but one in a string's quotes or in the brackets; in CBOR a value that JSON does
// not have; in protobuf everything, as the length of an object stands before it.
// The next call reads on behind it. An error of the reader is returned as it is, and
// io.ErrUnexpectedEOF means that the bytes ended within a value. A path that is
// wrong is a [PathError], with the column.
package wire
