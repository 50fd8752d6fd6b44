package jobtrace

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// answer is the outcome of a request to a collector.
type answer struct {
	err      error         // nil: accepted
	refused  bool          // the same request would fail again
	encoding bool          // the collector may not support gzip
	after    time.Duration // delay that the collector demands; 0: none
	rejected int64         // spans of an accepted request
	message  string        // reason why spans were rejected
}

const (
	contentType = "application/x-protobuf"
	maxAnswer   = 64 << 10 // maximum size of an answer in bytes
	maxAfter    = 10 * time.Minute
)

// answerOf reads a response of the protocol.
func answerOf(r *http.Response, now time.Time) answer {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxAnswer))
	if r.StatusCode/100 == 2 {
		a := answer{}
		if r.Header.Get("Content-Type") == contentType && err == nil {
			a.rejected, a.message = partialSuccess(body)
		}
		return a
	}
	a := answer{err: fmt.Errorf("the collector answered %d %s", r.StatusCode, http.StatusText(r.StatusCode)), after: retryAfter(r.Header.Get("Retry-After"), now)}
	switch r.StatusCode {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusInternalServerError:
		a.refused = true
	case http.StatusUnsupportedMediaType:
		a.encoding = true
	}
	return a
}

// retryAfter parses the header Retry-After: seconds or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(text, 10, 32); err == nil {
		return min(time.Duration(n)*time.Second, maxAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), maxAfter)
	}
	return 0
}

// partialSuccess decodes an ExportTraceServiceResponse. The package with the generated type
// requires gRPC, so the two fields are decoded here.
func partialSuccess(body []byte) (rejected int64, message string) {
	eachField(body, func(n protowire.Number, _ uint64, part []byte) {
		if n != 1 {
			return
		}
		eachField(part, func(n protowire.Number, value uint64, text []byte) {
			switch n {
			case 1:
				rejected = max(int64(value), 0)
			case 2:
				message = clean(string(text))
			}
		})
	})
	return rejected, message
}

// eachField calls each for the fields of a message, with their integer or their bytes. It
// stops at the first malformed field.
func eachField(b []byte, each func(n protowire.Number, value uint64, part []byte)) {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return
		}
		b = b[size:]
		var value uint64
		var part []byte
		switch kind {
		case protowire.VarintType:
			value, size = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			part, size = protowire.ConsumeBytes(b)
		default:
			size = protowire.ConsumeFieldValue(n, kind, b)
		}
		if size < 0 {
			return
		}
		each(n, value, part)
		b = b[size:]
	}
}

// unreachable returns the answer of a collector that cannot be reached. Its text has no URL
// and no local port, so that it is the same for every attempt.
func unreachable(err error) answer {
	var ofURL *url.Error
	if errors.As(err, &ofURL) {
		err = ofURL.Err
	}
	var ofNet *net.OpError
	if errors.As(err, &ofNet) {
		err = fmt.Errorf("%s: %w", ofNet.Op, ofNet.Err)
	}
	return answer{err: fmt.Errorf("the collector does not answer: %w", err)}
}
