package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// compressFrom is the minimum size of a compressed answer, in bytes.
const compressFrom = 1400

var compressors = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// Fail answers a request with the problem of an error. It logs faults with their instance.
func Fail(w http.ResponseWriter, r *http.Request, err error) {
	p := ProblemOf(withRequest(r.Context(), r), err)
	body, err := json.Marshal(p)
	if err != nil { // texts and numbers have no such error
		body = []byte(`{}`)
	}
	h := w.Header()
	h.Del("ETag")
	h.Set("Cache-Control", "no-store")
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	Write(w, r, p.Status, api.ProblemType, body)
}

// Write answers a request with a body. It compresses a large body if the client accepts gzip.
func Write(w http.ResponseWriter, r *http.Request, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Add("Vary", "Accept-Encoding")
	if len(body) >= compressFrom && AcceptsGzip(r) {
		body = compress(body)
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client has disconnected
	}
}

func compress(body []byte) []byte {
	var out bytes.Buffer
	z := compressors.Get().(*gzip.Writer)
	defer compressors.Put(z)
	z.Reset(&out)
	_, _ = z.Write(body) // a buffer accepts every write
	_ = z.Close()
	return out.Bytes()
}

// AcceptsGzip reports whether a client accepts answers compressed with gzip.
func AcceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(coding, "gzip") {
			q, isWeight := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
			return !isWeight || strings.Trim(q, "0.") != ""
		}
	}
	return false
}

// tagger lets a handler state the ETag of its answer.
type tagger struct{ parts []byte }

// Tag sets the parts of the ETag of an answer: everything that the answer depends on, such as the
// position of the feed and the key of the person's sight. Without a call, the ETag is the hash of
// the body. A handler whose body contains the current time must call Tag, because the hash of such
// a body always differs.
//
// Errors: a problem with the status 304 if the client has this answer. The handler must return it.
func Tag(ctx context.Context, parts ...any) error {
	t, _ := ctx.Value(keyTagger).(*tagger)
	r := Request(ctx)
	if t == nil || r == nil {
		return nil
	}
	b, err := json.Marshal([]any{r.URL.RequestURI(), LanguageOf(ctx), parts})
	if err != nil {
		return err
	}
	t.parts = b
	if matches(r, etag(b)) {
		return &api.Problem{Status: http.StatusNotModified}
	}
	return nil
}

// answer writes the answer of a handler as JSON.
func answer(w http.ResponseWriter, r *http.Request, status int, v any, t *tagger) {
	body, err := json.Marshal(v)
	if err != nil {
		Fail(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		tag := etag(body)
		if t.parts != nil {
			tag = etag(t.parts)
		}
		h.Set("ETag", tag)
		if matches(r, tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	Write(w, r, status, "application/json", body)
}

// etag returns a weak validator: the bytes differ with the compression.
func etag(of []byte) string {
	sum := sha256.Sum256(of)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
}

// matches reports whether the client already has the answer with a tag.
func matches(r *http.Request, tag string) bool {
	for part := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if part = strings.TrimSpace(part); part == "*" || strings.TrimPrefix(part, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
