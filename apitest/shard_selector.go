package apitest

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// shardRange is one term of a shard selector (KEP-5866).
var shardRange = regexp.MustCompile(`^shardRange\(object\.metadata\.uid, ?'(0x[0-9a-f]{16})', ?'(0x[0-9a-f]{16}|0x10000000000000000)'\)$`)

// shardSelector selects objects by the hash of their UID.
type shardSelector struct {
	terms []hashRange
	text  string
}

// hashRange includes start and excludes end. The end of the last range has a digit more.
type hashRange struct{ start, end string }

// hexLess compares numbers without leading zeros, or of one length.
func hexLess(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// parseShardSelector returns nil for the empty selector.
func parseShardSelector(text string) (*shardSelector, error) {
	if text == "" {
		return nil, nil
	}
	s := &shardSelector{text: text}
	for term := range strings.SplitSeq(text, " || ") {
		parts := shardRange.FindStringSubmatch(term)
		if parts == nil || !hexLess(parts[1], parts[2]) {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("unable to parse the shard selector %.200q", text))
		}
		s.terms = append(s.terms, hashRange{start: parts[1], end: parts[2]})
	}
	return s, nil
}

// matches reports whether the object with a UID is selected.
func (s *shardSelector) matches(uid string) bool {
	h := fnv.New64a()
	_, _ = h.Write([]byte(uid)) // Write never returns an error
	hash := fmt.Sprintf("0x%016x", h.Sum64())
	for _, t := range s.terms {
		if !hexLess(hash, t.start) && hexLess(hash, t.end) {
			return true
		}
	}
	return false
}
