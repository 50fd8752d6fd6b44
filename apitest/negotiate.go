package apitest

import (
	"mime"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Media types of the two formats.
const (
	mediaJSON     = "application/json"
	mediaProtobuf = "application/vnd.kubernetes.protobuf"
)

// format is how an object becomes bytes.
type format int

const (
	formatJSON format = iota
	formatProtobuf
)

// part is how much of an object is sent.
type part int

const (
	wholeObject part = iota
	metadataOnly
)

// encoding is what a client asked for through Accept.
type encoding struct {
	format format
	part   part
}

func (e encoding) mediaType() string {
	if e.format == formatProtobuf {
		return mediaProtobuf
	}
	return mediaJSON
}

// offer is what the resource and the kind of answer allow.
type offer struct {
	protobuf bool   // whether the whole object exists as protobuf
	partial  string // kind a client may ask for instead of the object; "" if none
}

// offerOf returns the offer for the answers to a verb.
func offerOf(res *resource, verb Verb) offer {
	o := offer{protobuf: res.builtin(), partial: "PartialObjectMetadata"}
	if verb == VerbList || verb == VerbDeleteCollection {
		o.partial = "PartialObjectMetadataList"
	}
	return o
}

// accept chooses the first clause of an Accept header that can be served, the heaviest first; ok is false if there is
// none. Parameters other than those that ask for another kind are ignored, as servers do.
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
	default:
		return enc, false
	}
	switch c.media {
	case mediaJSON, "application/*", "*/*":
		return enc, true
	case mediaProtobuf:
		enc.format = formatProtobuf
		return enc, o.protobuf || enc.part == metadataOnly
	}
	return enc, false
}
