package kube

import (
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/wire"
)

// maxSmallBody is the maximum number of bytes read from an error answer.
const maxSmallBody = 64 << 10

// maxExcerpt is the maximum number of bytes of an answer that is not a Status in an error
// text.
const maxExcerpt = 200

// statusError returns an error for an answer without success: the Status in the answer,
// or one made from the HTTP code if a proxy answered instead of the server.
func statusError(resp *http.Response, verb string, r Resource) *apierrors.StatusError {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxSmallBody))
	status, ok := decodeStatus(body, resp.Header.Get("Content-Type"))
	if !ok {
		gr := schema.GroupResource{Group: r.Group, Resource: r.Name}
		text := excerpt(body)
		err := apierrors.NewGenericServerResponse(resp.StatusCode, verb, gr, "", text, 0, true)
		status = err.ErrStatus
		// Text of the server stays unescaped until it is shown, as in a Status.
		status.Message = strings.Replace(status.Message, strconv.Quote(text), `"`+text+`"`, 1)
	}
	if status.Code == 0 {
		status.Code = int32(resp.StatusCode)
	}
	if wait := retryAfter(resp.Header.Get("Retry-After"), time.Now()); wait > 0 {
		if status.Details == nil {
			status.Details = &metav1.StatusDetails{}
		}
		if status.Details.RetryAfterSeconds <= 0 {
			status.Details.RetryAfterSeconds = wait
		}
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// decodeStatus decodes a Status in any encoding that requests accept.
func decodeStatus(body []byte, contentType string) (metav1.Status, bool) {
	var status metav1.Status
	enc, err := wire.EncodingOf(contentType)
	if err != nil {
		return status, false
	}
	if enc != wire.Protobuf {
		decoded, err := wire.Codec[metav1.Status]{}.Decode(wire.Record{Encoding: enc, Body: body})
		if err != nil || decoded.Kind != "Status" {
			return status, false
		}
		return *decoded, true
	}
	raw, enveloped := strings.CutPrefix(string(body), "k8s\x00")
	var unknown runtime.Unknown
	if !enveloped || unknown.Unmarshal([]byte(raw)) != nil || unknown.Kind != "Status" {
		return status, false
	}
	return status, status.Unmarshal(unknown.Raw) == nil
}

// excerpt returns the start of a body as one short line that is safe to print.
func excerpt(body []byte) string {
	text := printable.Line(strings.Join(strings.Fields(string(body)), " "))
	if len(text) > maxExcerpt {
		text = strings.ToValidUTF8(text[:maxExcerpt], "") + "…"
	}
	return text
}

// retryAfter parses both forms of the header (RFC 9110, 10.2.3) into whole seconds from
// now. It applies no upper bound: the caller that waits bounds the wait.
func retryAfter(header string, now time.Time) int32 {
	n, err := strconv.ParseInt(header, 10, 32)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return int32(max(n, 0)) // out of range, n is the nearest value
	}
	at, err := http.ParseTime(header)
	if err != nil || !at.After(now) {
		return 0
	}
	return int32(min(at.Sub(now).Round(time.Second)/time.Second, math.MaxInt32))
}
