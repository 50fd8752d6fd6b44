package wire

import (
	"fmt"
	"io"
	"mime"
)

// Encoding is the way objects are written on the wire.
type Encoding uint8

const (
	// JSON is application/json, which every API server speaks.
	JSON Encoding = iota + 1
	// Protobuf is application/vnd.kubernetes.protobuf, which API servers
	// speak for built-in types and for metadata-only views, not for custom
	// resources.
	Protobuf
	// CBOR is application/cbor, which API servers speak for all types where
	// the feature gate CBORServingAndStorage is on (KEP-4222). A watch is a
	// sequence of items, application/cbor-seq.
	CBOR
)

// Media types of the encodings, as they stand in Accept and Content-Type
// headers. A watch in protobuf adds ";stream=watch"; one in CBOR is asked for as
// MediaTypeCBOR and answered as MediaTypeCBORSequence.
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

// EncodingOf returns the encoding of a response by its Content-Type header.
// It returns an error that names the header for anything that is neither JSON,
// protobuf nor CBOR.
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
	return 0, fmt.Errorf("content type %.80q is none of %s, %s and %s", contentType, MediaTypeJSON, MediaTypeProtobuf, MediaTypeCBOR)
}

// Stream is the open body of a list or a watch. Who receives it closes Body,
// which ends the request.
type Stream struct {
	Body     io.ReadCloser
	Encoding Encoding
	// APIVersion and Kind are what objects of this stream must say they are;
	// see Options. Empty where nothing is known.
	APIVersion string
	Kind       string
}
