package kube

import "github.com/vedette-io/vedette/wire"

// Encoding determines which encodings a request accepts.
type Encoding uint8

const (
	// PreferProtobuf accepts protobuf, and JSON for types that the server has no protobuf
	// for, such as custom resources.
	PreferProtobuf Encoding = iota
	// PreferCBOR accepts CBOR, and JSON if the server has no CBOR. It is for types that
	// have no protobuf decoder here. A server has CBOR if its feature gate
	// CBORServingAndStorage is on (KEP-4222).
	PreferCBOR
	// JSONOnly accepts JSON only.
	JSONOnly
)

// asksFor reports whether an answer in the given encoding is acceptable. The store
// would keep objects in any other encoding but could not decode them.
func (e Encoding) asksFor(answer wire.Encoding) bool {
	switch answer {
	case wire.JSON:
		return true
	case wire.Protobuf:
		return e == PreferProtobuf
	case wire.CBOR:
		return e == PreferCBOR
	}
	return false
}
