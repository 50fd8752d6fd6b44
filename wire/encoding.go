package wire

import (
	"fmt"
	"io"
	"mime"
)

// Encoding is the format of objects on the wire.
type Encoding uint8

const (
	// JSON is application/json, which every API server supports.
	JSON Encoding = iota + 1
	// Protobuf is application/vnd.kubernetes.protobuf. API servers support it for
	// built-in types and for metadata-only requests, but not for custom resources.
	Protobuf
	// CBOR is application/cbor. API servers support it for all types if the feature gate
	// CBORServingAndStorage is on (KEP-4222). A watch is a sequence of items,
	// application/cbor-seq.
	CBOR
)

// Media types of the encodings in Accept and Content-Type headers. A watch in protobuf
// adds ";stream=watch". A watch in CBOR is requested as MediaTypeCBOR and answered as
// MediaTypeCBORSequence.
const (
	MediaTypeJSON         = "application/json"
	MediaTypeProtobuf     = "application/vnd.kubernetes.protobuf"
	MediaTypeCBOR         = "application/cbor"
	MediaTypeCBORSequence = "application/cbor-seq"
)

// String returns the name of the encoding.
func (e Encoding) String() string {
	switch e {
	case JSON:
		return "json"
	case Protobuf:
		return "protobuf"
	case CBOR:
		return "cbor"
	}
	return fmt.Sprintf("encoding(%d)", uint8(e))
}

// EncodingOf returns the encoding of a response from its Content-Type header. For any
// type other than JSON, protobuf and CBOR it returns an error with the header.
func EncodingOf(contentType string) (Encoding, error) {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return 0, fmt.Errorf("content type %.80q: %w", contentType, err)
	}
	switch media {
	case MediaTypeJSON:
		return JSON, nil
	case MediaTypeProtobuf:
		return Protobuf, nil
	case MediaTypeCBOR, MediaTypeCBORSequence:
		return CBOR, nil
	}
	return 0, fmt.Errorf("content type %.80q is not one of %s, %s and %s", contentType, MediaTypeJSON, MediaTypeProtobuf, MediaTypeCBOR)
}

// Stream is the open body of a list or a watch. The receiver must close Body, which ends
// the request.
type Stream struct {
	Body     io.ReadCloser
	Encoding Encoding
	// APIVersion and Kind are the expected apiVersion and kind of the objects; see
	// Options. They are empty if unknown.
	APIVersion string
	Kind       string
	// UIDs is the range of objects that was requested. A server without KEP-5866 sends
	// others too; see Options.
	UIDs UIDRange
}
