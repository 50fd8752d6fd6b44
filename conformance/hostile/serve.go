package hostile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// verb is the verb of a request, as a bit, so that a misdeed may select several.
type verb uint8

const (
	discovers verb = 1 << iota
	gets
	lists
	watches
	anything = discovers | gets | lists | watches
)

func (v verb) String() string {
	return map[verb]string{discovers: "discovery", gets: "get", lists: "list", watches: "watch"}[v]
}

// call is one request. It belongs to the goroutine of its connection.
type call struct {
	*Server
	c      *conn
	random *rand.Rand // of this call
	verb   verb
	path   string
	query  url.Values
	accept string
	form   form
	space  string // a namespace, or "" for all
}

// maxPerSecond is the number of requests within a second that proves a hot loop. The
// server does not answer more: in a hot loop, fake time would never advance.
const maxPerSecond = 1000

// answer answers a request, and reports whether the connection is still usable.
func (s *Server) answer(c *conn, req *http.Request) bool {
	s.mu.Lock()
	k := &call{Server: s, c: c, random: rand.New(rand.NewPCG(s.random.Uint64(), 1)), path: req.URL.Path, query: req.URL.Query(), accept: req.Header.Get("Accept")}
	k.understand()
	s.count.Requests++
	second := time.Now().Truncate(time.Second)
	if !second.Equal(s.count.second) {
		s.count.second, s.count.inSecond = second, 0
	}
	s.count.inSecond++
	if s.count.inSecond > maxPerSecond {
		s.count.Overrun = true
		s.noteLocked("more than %d requests in a second", maxPerSecond)
		s.mu.Unlock()
		k.hang()
		return false
	}
	deed := s.chooseLocked(k)
	name := "ok"
	if deed != nil {
		name = deed.name
		s.lied = s.lied || deed.lies
		s.count.Faults++
		s.pathLocked(k.scope()).fault(time.Now())
	}
	s.noteLocked("%v %s?%s: %s", k.verb, k.path, brief(k.query), name)
	s.mu.Unlock()
	if deed == nil {
		return k.honest()
	}
	return deed.do(k)
}

// brief returns the relevant parameters.
func brief(q url.Values) string {
	q = maps.Clone(q)
	delete(q, "allowWatchBookmarks")
	delete(q, "timeoutSeconds")
	delete(q, "resourceVersionMatch")
	return q.Encode()
}

// understand parses the request.
func (k *call) understand() {
	parts := strings.Split(strings.Trim(k.path, "/"), "/")
	k.verb = discovers
	for _, t := range []*Type{Pods, Widgets} {
		prefix := append([]string{"apis"}, strings.Split(t.apiVersion(), "/")...)
		if t.Group == "" {
			prefix = []string{"api", "v1"}
		}
		if len(parts) <= len(prefix) || !slices.Equal(parts[:len(prefix)], prefix) {
			continue
		}
		rest := parts[len(prefix):]
		k.verb = gets
		if len(rest) == 3 && rest[0] == "namespaces" {
			k.space, rest = rest[1], rest[2:]
		}
		if len(rest) == 1 && rest[0] == t.Resource {
			k.form.t, k.verb = t, lists
			if k.query.Get("watch") == "true" || k.query.Get("watch") == "1" {
				k.verb = watches
			}
		}
	}
	for clause := range strings.SplitSeq(k.accept, ",") {
		media, _, _ := strings.Cut(clause, ";")
		e, ok := map[string]encoding{"application/json": asJSON, "application/vnd.kubernetes.protobuf": asProtobuf, "application/cbor": asCBOR}[strings.TrimSpace(media)]
		if !ok || e == asCBOR && !k.nature.cbor || e == asProtobuf && !k.nature.protobuf {
			continue
		}
		metadata := strings.Contains(clause, "PartialObjectMetadata")
		if e == asProtobuf && k.form.t == Widgets && !metadata {
			continue
		}
		k.form.encoding, k.form.metadata = e, metadata
		break
	}
}

// honest answers correctly.
func (k *call) honest() bool {
	k.good(time.Now())
	switch k.verb {
	case lists:
		return k.sendList(k.list)
	case watches:
		return k.watch(nil)
	case gets:
		return k.get()
	}
	return k.discovery(nil)
}

// get returns a namespace. Only the namespace that identifies the cluster exists.
func (k *call) get() bool {
	if k.path != "/api/v1/namespaces/kube-system" {
		return k.refuse(http.StatusNotFound, metav1.StatusReasonNotFound, "no such object")
	}
	ns := corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system", UID: types.UID(k.name), ResourceVersion: "1"}}
	ns.Kind, ns.APIVersion = "Namespace", "v1"
	return k.send(200, "application/json", must(json.Marshal(ns)))
}

// refuse answers with a Status.
func (k *call) refuse(code int, reason metav1.StatusReason, message string) bool {
	return k.send(code, k.form.contentType(false), k.form.status(metav1.Status{Code: int32(code), Reason: reason, Message: message}))
}

// discovery lists the types, in the form that the path asks for.
func (k *call) discovery(alter func(any)) bool {
	list := func(t *Type) any {
		r := metav1.APIResource{Name: t.Resource, SingularName: strings.ToLower(t.Kind), Namespaced: true, Kind: t.Kind, Verbs: []string{"get", "list", "watch"}}
		l := &metav1.APIResourceList{GroupVersion: t.apiVersion(), APIResources: []metav1.APIResource{r}}
		l.Kind, l.APIVersion = "APIResourceList", "v1"
		return l
	}
	var v any
	switch k.path {
	case "/api":
		v = &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}}
	case "/apis":
		g := metav1.GroupVersionForDiscovery{GroupVersion: "example.com/v1", Version: "v1"}
		v = &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{{Name: "example.com", Versions: []metav1.GroupVersionForDiscovery{g}, PreferredVersion: g}}}
	case "/api/v1":
		v = list(Pods)
	case "/apis/example.com/v1":
		v = list(Widgets)
	default:
		return k.send(404, "text/plain", []byte("404 page not found"))
	}
	if alter != nil {
		alter(v)
	}
	return k.send(200, "application/json", must(json.Marshal(v)))
}

// snapshot is the state behind the pages of a list.
type snapshot struct {
	id      int
	t       *Type
	space   string
	version uint64
	objects []Object
}

// list returns the requested page. If ok is false, it has already answered.
func (k *call) list() (p page, ok bool) {
	limit, _ := strconv.Atoi(k.query.Get("limit"))
	k.mu.Lock()
	defer k.mu.Unlock()
	snap, start := snapshot{t: k.form.t, space: k.space, version: k.version}, 0
	if token := k.query.Get("continue"); token != "" {
		var id int
		if _, err := fmt.Sscanf(token, "%d:%d", &id, &start); err != nil {
			return p, false
		}
		i := slices.IndexFunc(k.lists, func(s snapshot) bool { return s.id == id })
		if i < 0 || start > len(k.lists[i].objects) {
			return p, false
		}
		snap = k.lists[i]
		k.count.News++
	} else {
		for _, o := range k.tables[k.form.t].objects {
			if k.space == "" || o.Namespace == k.space {
				snap.objects = append(snap.objects, o)
			}
		}
		slices.SortFunc(snap.objects, func(a, b Object) int { return cmp.Compare(a.Key(), b.Key()) })
		k.ids++
		snap.id = k.ids
		k.lists = append(k.lists[max(0, len(k.lists)-20):], snap)
	}
	p.list, p.version = snap.id, strconv.FormatUint(snap.version, 10)
	rest := snap.objects[start:]
	if limit > 0 && len(rest) > limit {
		left := int64(len(rest) - limit)
		p.token, p.remaining = fmt.Sprintf("%d:%d", snap.id, start+limit), &left
		rest = rest[:limit]
	}
	for _, o := range rest {
		p.items = append(p.items, sent{Object: o})
	}
	return p, true
}

// sendList sends a page.
func (k *call) sendList(page func() (page, bool)) bool {
	p, ok := page()
	if !ok {
		return k.refuse(http.StatusGone, metav1.StatusReasonExpired, "the continue token is too old")
	}
	return k.send(200, k.form.contentType(false), k.form.encodePage(p))
}

// send sends a whole answer.
func (k *call) send(code int, contentType string, body []byte) bool {
	return k.head(code, contentType, "", len(body)) && k.write(body)
}

// head sends the headers; a negative length means chunks.
func (k *call) head(code int, contentType, more string, length int) bool {
	h := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: %s\r\n%s", code, contentType, more)
	if length >= 0 {
		h += fmt.Sprintf("Content-Length: %d\r\n\r\n", length)
	} else {
		h += "Transfer-Encoding: chunked\r\n\r\n"
	}
	return k.write([]byte(h))
}

func (k *call) write(b []byte) bool {
	_, err := k.c.Write(b)
	return err == nil
}

// chunk sends a part of a body.
func (k *call) chunk(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	return k.write(fmt.Appendf(nil, "%x\r\n%s\r\n", len(b), b))
}

// end ends a body normally.
func (k *call) end() bool { return k.write([]byte("0\r\n\r\n")) }

// hang blocks until the client disconnects, or for a while after the server begins to
// behave.
func (k *call) hang() bool {
	select {
	case <-k.c.gone:
		return false
	case <-k.closed:
		return false
	case <-k.healed:
	}
	if k.random.IntN(2) == 0 {
		return false
	}
	select {
	case <-k.c.gone:
	case <-k.closed:
	}
	return false
}

// pause waits, and reports whether the client is still connected and the server still
// hostile.
func (k *call) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-k.healed:
	case <-k.c.gone:
	case <-k.closed:
	}
	return false
}

// good records a correct answer.
func (k *call) good(at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.count.Good++
	k.pathLocked(k.scope()).good = at
}

// news records that a version was sent. If it is new, the client may send the next
// request at once.
func (k *call) news(version uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.pathLocked(k.scope()); version > p.newest {
		p.newest = version
		k.count.News++
	}
}

// Path records the outcome of the requests of one path.
type Path struct {
	good, firstFault, lastFault time.Time
	serving                     int
	newest                      uint64 // newest version that was sent
}

func (p *Path) fault(now time.Time) {
	if !p.firstFault.After(p.good) {
		p.firstFault = now
	}
	p.lastFault = now
}

// scope distinguishes clients that request the same path in another form.
func (k *call) scope() string {
	if k.form.metadata {
		return k.path + " metadata"
	}
	return k.path
}

func (s *Server) pathLocked(path string) *Path {
	p := s.paths[path]
	if p == nil {
		p = &Path{good: s.began}
		s.paths[path] = p
	}
	return p
}

// FaultsSince returns the time since which all requests of a path have failed. For
// clients that request only metadata, append " metadata" to the path.
func (s *Server) FaultsSince(path string) (since time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pathLocked(path)
	return p.firstFault, p.serving == 0 && p.firstFault.After(p.good)
}
