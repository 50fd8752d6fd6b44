package apitest

import (
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// selfDescribed is the tag that begins each document of a server (RFC 8949, section 3.4.6).
const selfDescribed = "\xd9\xd9\xf7"

// cborOf returns a JSON document that this package made as CBOR. A document that cannot be converted, which garbage of a
// fault is, stays as it is.
func cborOf(document []byte) []byte {
	var tree any
	if err := utiljson.Unmarshal(document, &tree); err != nil {
		return document
	}
	data, err := direct.Marshal(tree)
	if err != nil {
		return document
	}
	return append([]byte(selfDescribed), data...)
}
