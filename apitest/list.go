package apitest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/tidwall/btree"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// page is the response to a list.
type page struct {
	revs []*revision
	meta listMeta
}

// continuation is the content of a continue token, which is opaque for clients.
type continuation struct {
	Version int64  `json:"rv"` // negative: the current state, because the version of the first page has expired
	From    string `json:"start"`
}

func (c continuation) token() string {
	data, err := json.Marshal(c)
	if err != nil {
		return "" // two plain fields cannot fail
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

func parseContinuation(token string) (c continuation, err error) {
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil || c.Version == 0 {
		return c, apierrors.NewBadRequest(fmt.Sprintf("continue key is not valid: %q", token))
	}
	return c, nil
}

// listing is a list that has been resolved to rows and a version.
type listing struct {
	rows    *btree.Map[string, *revision]
	version uint64
	from    string
	limit   int64
}

// resolve determines the rows and the version of a list. It takes Server.mu.
func (s *Server) resolve(t *table, o *internalversion.ListOptions) (listing, error) {
	asked, err := parseVersion(o.ResourceVersion)
	if err != nil {
		return listing{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := listing{version: s.version, limit: o.Limit}
	if o.Continue != "" {
		return s.resumeLocked(t, o, l)
	}
	// Servers ignore the limit if any version is acceptable, because they serve the list from memory.
	if o.ResourceVersion == "0" {
		l.limit = 0
	}
	if asked > s.version {
		return l, tooLarge(asked, s.version)
	}
	// For compatibility, a version with a limit and without resourceVersionMatch means exactly that version.
	exact := o.ResourceVersionMatch == metav1.ResourceVersionMatchExact ||
		o.ResourceVersionMatch == "" && asked > 0 && o.Limit > 0
	if !exact {
		l.rows = t.rows.Copy()
		return l, nil
	}
	rows, ok := t.snapshot(asked)
	if !ok {
		return l, apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	l.rows, l.version = rows, asked
	return l, nil
}

// resumeLocked continues a list at the version of its first page.
func (s *Server) resumeLocked(t *table, o *internalversion.ListOptions, l listing) (listing, error) {
	if o.ResourceVersion != "" && o.ResourceVersion != "0" {
		return l, apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	c, err := parseContinuation(o.Continue)
	if err != nil {
		return l, err
	}
	l.from = c.From
	if c.Version < 0 {
		l.rows = t.rows.Copy()
		return l, nil
	}
	rows, ok := t.snapshot(uint64(c.Version))
	if !ok {
		expired := apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent " +
			"list result. Start a new list, or take the continue token of this answer to list the rest as it is now.")
		expired.ErrStatus.Continue = continuation{Version: -1, From: c.From}.token()
		return l, expired
	}
	l.rows, l.version = rows, uint64(c.Version)
	return l, nil
}

// list returns a page of a list.
func (s *Server) list(t *table, sel selection, o *internalversion.ListOptions) (page, error) {
	l, err := s.resolve(t, o)
	if err != nil {
		return page{}, err
	}
	p := page{meta: listMetaOf(l.version)}
	if sel.shard != nil {
		p.meta.Shard = &shardInfo{sel.shard.text}
	}
	var remaining int64
	visitFrom(l.rows, sel.namespace, l.from, func(rev *revision) bool {
		switch full := l.limit > 0 && int64(len(p.revs)) == l.limit; {
		case full && sel.filters():
			p.meta.Continue = continuation{Version: int64(l.version), From: rev.key()}.token()
			return false
		case full:
			if remaining == 0 {
				p.meta.Continue = continuation{Version: int64(l.version), From: rev.key()}.token()
			}
			remaining++
		case sel.matches(rev):
			p.revs = append(p.revs, rev)
		}
		return true
	})
	if remaining > 0 {
		p.meta.RemainingItemCount = &remaining
	}
	return p, nil
}

// serveList answers a list over HTTP, or applies a fault to it.
func (s *Server) serveList(w http.ResponseWriter, c *call) {
	p, err := s.list(c.table, c.choice, c.list)
	if err != nil {
		s.fail(w, c, err)
		return
	}
	s.sendList(w, c, p)
}

// sendList writes a list in pieces, so that it never exists as one slice of bytes.
func (s *Server) sendList(w http.ResponseWriter, c *call, p page) {
	if c.enc.part == printed {
		data, err := c.enc.printer.table(c.table.res, p.revs, p.meta)
		if err != nil {
			s.fail(w, c, err)
			return
		}
		s.sendPayload(w, http.StatusOK, c.enc, payload{kind: tableKind, data: data})
		return
	}
	items := make([][]byte, len(p.revs))
	for i, rev := range p.revs {
		data, err := rev.bytes(c.enc)
		if err != nil {
			s.fail(w, c, err)
			return
		}
		items[i] = data
	}
	if c.enc.format == formatCBOR {
		s.sendListAsCBOR(w, c, p.meta, items)
		return
	}
	out := &listWriter{server: s, call: c, w: w, items: items}
	out.send(p.meta)
}

// sendListAsCBOR answers with a list. Faults within a list do not strike it.
func (s *Server) sendListAsCBOR(w http.ResponseWriter, c *call, m listMeta, items [][]byte) {
	asJSON := c.enc
	asJSON.format = formatJSON
	parts, err := newListParts(c.table.res, asJSON, m, items)
	if err != nil {
		s.fail(w, c, err)
		return
	}
	body := parts.head
	for i, item := range items {
		body = parts.appendItem(body, i, item)
	}
	w.Header().Set("Content-Type", mediaCBOR)
	_, _ = w.Write(cborOf(append(body, parts.tail...))) // the client may have disconnected
}
