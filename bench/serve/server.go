package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/bench/workload"
)

// Mode is how the server serves lists.
type Mode string

const (
	// Streaming serves streaming lists: a watch with sendInitialEvents.
	Streaming Mode = "stream"
	// Paged serves paged lists if the client requests pages, and refuses streaming lists.
	Paged Mode = "pages"
	// Plain serves all objects in one list, even if the client requests pages.
	Plain Mode = "plain"
	// Trickle is Plain, one byte at a time.
	Trickle Mode = "trickle"
)

// Spec is the content of a server.
type Spec struct {
	Sets []SetSpec
	Mode Mode
	// Page is the maximum number of objects of a page, if the client requests pages; zero
	// means the client's limit.
	Page int
	Seed uint64
}

// State is the counters of a server since its reset, for all sets together.
type State struct {
	// Lists and Watches count requests; a streaming list is both.
	Lists, Watches int64
	// Sent counts the events of churns that were written.
	Sent int64
}

// Server serves encoded objects. Create it with New.
type Server struct {
	spec   Spec
	sets   map[string]*set // by path
	closed chan struct{}
}

// New encodes all objects. The caller must close the server.
//
// Errors: unknown kinds, forms and churns; files that cannot be written.
func New(spec Spec) (*Server, error) {
	if spec.Mode == "" {
		spec.Mode = Streaming
	}
	s := &Server{spec: spec, sets: map[string]*set{}, closed: make(chan struct{})}
	for _, one := range spec.Sets {
		set, err := newSet(one, spec.Seed)
		if err != nil {
			return nil, err
		}
		s.sets[set.kind.Path()] = set
	}
	return s, nil
}

// Close ends all watches. No other request may be active.
func (s *Server) Close() { close(s.closed) }

// Free unmaps the files. Call it after all requests have ended.
func (s *Server) Free() {
	for _, set := range s.sets {
		set.close()
	}
}

// Sizes describes the length of an object in each form.
func (s *Server) Sizes() string {
	var parts []string
	for _, one := range s.spec.Sets {
		kind, err := workload.Of(one.Kind)
		if err != nil {
			continue
		}
		for _, f := range one.Forms {
			parts = append(parts, fmt.Sprintf("%d B in %s", s.sets[kind.Path()].bodies[f].mean(), f))
		}
		break // all sets are alike
	}
	return strings.Join(parts, ", ")
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if what, ok := strings.CutPrefix(r.URL.Path, "/bench/"); ok {
		s.control(w, what)
		return
	}
	set := s.sets[r.URL.Path]
	if set == nil {
		if !s.cluster(w, r.URL.Path) {
			http.NotFound(w, r)
		}
		return
	}
	f, ok := set.framer(r.Header.Get("Accept"))
	if !ok {
		http.Error(w, "none of these encodings is available: "+r.Header.Get("Accept"), http.StatusNotAcceptable)
		return
	}
	// An error means that the client has disconnected, which is allowed.
	query := r.URL.Query()
	switch {
	case query.Get("watch") != "true" && query.Get("watch") != "1":
		_ = s.list(w, set, f, query.Get("limit"), query.Get("continue"))
	case query.Get("sendInitialEvents") == "true" && s.spec.Mode != Streaming:
		refuse(w)
	default:
		ctx, cancel := withClosed(r.Context(), s.closed)
		defer cancel()
		out := newWriter(w, f, true)
		if query.Get("sendInitialEvents") == "true" {
			if set.initial(out, f) != nil {
				return
			}
		}
		_ = set.watch(ctx, out, f)
	}
}

// control handles the commands of the bench.
func (s *Server) control(w http.ResponseWriter, what string) {
	var state State
	for _, set := range s.sets {
		switch what {
		case "start":
			set.start()
		case "reset":
			set.reset()
		}
		state.Lists += set.lists.Load()
		state.Watches += set.watches.Load()
		state.Sent += set.position.Load()
	}
	_ = json.NewEncoder(w).Encode(state)
}

// framer returns the client's first encoding that is available.
func (s *set) framer(accept string) (framer, bool) {
	for part := range strings.SplitSeq(accept, ",") {
		form := workload.Form{Encoding: workload.JSON}
		switch {
		case strings.Contains(part, "protobuf"):
			form.Encoding = workload.Protobuf
		case strings.Contains(part, "cbor"):
			form.Encoding = workload.CBOR
		}
		if strings.Contains(part, "as=PartialObjectMetadata") {
			form.Part = workload.Metadata
		}
		if s.bodies[form] != nil {
			return newFramer(s.kind, form), true
		}
	}
	return framer{}, false
}

// refuse answers that there are no streaming lists, like a server without support for
// them.
func refuse(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnprocessableEntity)
	_ = json.NewEncoder(w).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Message: "sendInitialEvents is forbidden for watch", Reason: metav1.StatusReasonInvalid, Code: http.StatusUnprocessableEntity,
	})
}

// list serves a list, or a page of it.
func (s *Server) list(w http.ResponseWriter, set *set, f framer, limit, from string) error {
	first, _ := strconv.Atoi(from)
	last := set.spec.N
	if n, err := strconv.Atoi(limit); err == nil && n > 0 && s.spec.Mode != Plain && s.spec.Mode != Trickle {
		if s.spec.Page > 0 {
			n = min(n, s.spec.Page)
		}
		last = min(last, first+n)
	}
	if first < 0 || first > last {
		http.Error(w, "no such page", http.StatusBadRequest)
		return nil
	}
	if first == 0 {
		set.lists.Add(1)
	}
	l := list{framer: f, version: set.version()}
	if last < set.spec.N {
		l.next, l.remaining = token(last), int64(set.spec.N-last)
	}
	size := 0
	if f.form.Encoding == workload.Protobuf {
		for i := first; i < last; i++ {
			size += sizeOfField(set.sizeOf(f.form, i))
		}
	}
	out := newWriter(w, f, false)
	send := out.full
	if s.spec.Mode == Trickle {
		send = out.trickle
	}
	var item []byte
	out.buf = l.head(out.buf, last-first, size)
	for i := first; i < last; i++ {
		item = set.listed(item[:0], f.form, i)
		out.buf = l.item(out.buf, i-first, item)
		if err := send(); err != nil {
			return err
		}
	}
	out.buf = l.tail(out.buf)
	if s.spec.Mode == Trickle {
		return out.trickle()
	}
	return out.send()
}
