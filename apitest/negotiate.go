package apitest

import (
	"mime"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Media types of the two formats.
const (
	mediaJSON     = "application/json"
	mediaProtobuf = "application/vnd.kubernetes.protobuf"
	mediaCBOR     = "application/cbor"
)

// format is an encoding of objects.
type format int

const (
	formatJSON format = iota
	formatProtobuf
	formatCBOR
)

// part is the part of an object that is sent.
type part int

const (
	wholeObject part = iota
	metadataOnly
	printed // a table
)

// encoding is the encoding that a client requested through Accept.
type encoding struct {
	format  format
	part    part
	printer printer // of a table
}

func (e encoding) mediaType() string {
	switch e.format {
	case formatProtobuf:
		return mediaProtobuf
	case formatCBOR:
		return mediaCBOR
	case formatJSON:
	}
	return mediaJSON
}

// offer describes the encodings that the resource and the kind of response allow.
type offer struct {
	protobuf bool   // whether the whole object exists as protobuf
	partial  string // kind that a client may request instead of the object; "" means none
	tables   bool   // whether a client may request a table instead
	cbor     bool   // whether the object, or its metadata, exists as CBOR
}

// offerOf returns the offer for the responses to a verb.
func offerOf(res *resource, verb Verb, cbor CBOR) offer {
	o := offer{protobuf: res.builtin(), partial: "PartialObjectMetadata", cbor: cbor == CBORServed && !res.builtin()}
	if verb == VerbList || verb == VerbDeleteCollection {
		o.partial = "PartialObjectMetadataList"
	}
	o.tables = verb == VerbGet || verb == VerbList || verb == VerbWatch
	return o
}

// accept returns the first clause of an Accept header that can be served, by weight; ok is false if none can be served.
// Parameters that do not select another kind are ignored, as by servers.
func (o offer) accept(header string) (enc encoding, ok bool) {
	if strings.TrimSpace(header) == "" {
		return encoding{}, true
	}
	for _, clause := range clauses(header) {
		if enc, ok := o.serve(clause); ok {
			return enc, true
		}
	}
	return encoding{}, false
}

type clause struct {
	media  string
	params map[string]string
	weight float64
}

func clauses(header string) []clause {
	var out []clause
	for text := range strings.SplitSeq(header, ",") {
		media, params, err := mime.ParseMediaType(text)
		if err != nil {
			continue
		}
		c := clause{media: media, params: params, weight: 1}
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			c.weight = q
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b clause) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return 0
	})
	return out
}

func (o offer) serve(c clause) (encoding, bool) {
	var enc encoding
	switch kind := c.params["as"]; {
	case kind == "":
	case kind == o.partial && c.params["g"] == metav1.GroupName && c.params["v"] == "v1":
		enc.part = metadataOnly
	case kind == tableKind.kind && o.tables && c.params["g"] == metav1.GroupName && c.params["v"] == "v1":
		enc.part = printed
	default:
		return enc, false
	}
	switch c.media {
	case mediaJSON, "application/*", "*/*":
		return enc, true
	case mediaCBOR:
		enc.format = formatCBOR
		return enc, o.cbor && enc.part != printed
	case mediaProtobuf:
		enc.format = formatProtobuf
		return enc, enc.part != printed && (o.protobuf || enc.part == metadataOnly)
	}
	return enc, false
}

// printer makes the rows of a table.
type printer struct {
	now     func() time.Time
	include metav1.IncludeObjectPolicy
}
