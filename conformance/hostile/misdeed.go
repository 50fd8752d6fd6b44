package hostile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nature determines how a server misbehaves.
type nature struct {
	Spite     float64 // probability of a wrong answer
	deaf      float64 // probability that a connection is refused
	Storms    float64 // probability that a misdeed is repeated
	liar      bool
	cbor      bool
	protobuf  bool
	streaming bool
	menu      uint64 // one bit for each possible misdeed
}

func newNature(r *rand.Rand) nature {
	n := nature{
		Spite: []float64{0.1, 0.5, 0.9, 1}[r.IntN(4)], Storms: []float64{0, 0.2, 0.5}[r.IntN(3)],
		deaf: []float64{0, 0, 0.1, 0.5}[r.IntN(4)], liar: r.IntN(2) == 0,
		cbor: r.IntN(2) == 0, protobuf: r.IntN(4) > 0, streaming: r.IntN(3) > 0, menu: r.Uint64(),
	}
	if r.IntN(3) == 0 {
		n.menu &= r.Uint64() & r.Uint64() // only a few kinds
	}
	return n
}

// misdeed is one way to answer a request wrongly.
type misdeed struct {
	name string
	on   verb
	lies bool
	do   func(*call) bool // reports whether the connection is still usable
}

var misdeeds []misdeed

func init() { // in init, because some misdeeds name the table
	misdeeds = []misdeed{
		{"a status", anything, false, (*call).anyStatus},
		{"a status", anything, false, (*call).anyStatus},
		{"a code without a Status", anything, false, (*call).bareStatus},
		{"a redirect", anything, false, (*call).redirect},
		{"a login page", anything, false, func(k *call) bool { return k.send(200, "text/html", []byte(loginPage)) }},
		{"a wrong content type", anything, false, (*call).wrongType},
		{"an empty body", anything, false, func(k *call) bool { return k.send(200, k.form.contentType(k.verb == watches), nil) }},
		{"closed", anything, false, func(*call) bool { return false }},
		{"half a header", anything, false, (*call).halfHeader},
		{"no HTTP", anything, false, func(k *call) bool { k.write(k.noise(200)); return false }},
		{"no answer", anything, false, (*call).hang},
		{"headers only", anything, false, func(k *call) bool {
			if k.verb == watches {
				k.serving(1, true)
				defer k.serving(-1, true)
			}
			return k.head(200, k.form.contentType(k.verb == watches), "", -1) && k.hang()
		}},
		{"cut off", discovers | lists | gets, false, func(k *call) bool { return k.through(cutOff) }},
		{"a trickle", discovers | lists | gets, false, func(k *call) bool { return k.through(trickle) }},
		{"a bad chunk", anything, false, func(k *call) bool {
			return k.head(200, k.form.contentType(false), "", -1) && k.write([]byte("zz\r\nxx")) && false
		}},
		{"large headers", anything, false, func(k *call) bool {
			return k.head(200, "application/json", "X-Large: "+string(bytes.Repeat([]byte("x"), 2<<20))+"\r\n", 0)
		}},
		{"a wrong encoding", anything, false, func(k *call) bool {
			return k.head(200, k.form.contentType(false), "Content-Encoding: gzip\r\n", 4) && k.write([]byte("nope"))
		}},
		{"informational", anything, false, func(k *call) bool {
			for range 1 + k.random.IntN(12) {
				if !k.write([]byte("HTTP/1.1 103 X\r\n\r\n")) {
					return false
				}
			}
			return k.anyStatus()
		}},
		{"flipped bytes", lists | watches, true, func(k *call) bool {
			if k.verb == watches {
				return k.watch(k.meddler())
			}
			return k.through(flipped)
		}},
		{"an odd page", lists, false, (*call).oddPage},
		{"odd items", lists, true, (*call).oddItems},
		{"a token that loops", lists, false, (*call).looping},
		{"an expired token", lists, false, (*call).expired},
		{"an old list", lists, false, (*call).oldList},
		{"a list with false data", lists, true, (*call).falseList},
		{"a watch with faults", watches, false, func(k *call) bool { return k.watch(k.meddler()) }},
		{"a watch with faults", watches, false, func(k *call) bool { return k.watch(k.meddler()) }},
		{"a watch with faults", watches, false, func(k *call) bool { return k.watch(k.meddler()) }},
		{"a watch with false data", watches, true, func(k *call) bool { return k.watch(k.meddler()) }},
		{"a watch with false data", watches, true, func(k *call) bool { return k.watch(k.meddler()) }},
		{"broken discovery", discovers, false, (*call).oddDiscovery},
		{"broken discovery", discovers, false, (*call).oddDiscovery},
	}
}

const loginPage = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><form action=/login></form></body></html>"

// chooseLocked chooses the misdeed for a request; nil means a correct answer.
func (s *Server) chooseLocked(k *call) *misdeed {
	if s.behaves {
		return nil
	}
	if s.lasting != nil {
		if s.lasting.of&k.means() != 0 {
			return s.lasting.deed
		}
		return nil
	}
	if s.left > 0 && s.storm.on&k.verb != 0 {
		s.left--
		return s.storm
	}
	if k.random.Float64() >= s.nature.Spite {
		return nil
	}
	for range 20 {
		i := k.random.IntN(len(misdeeds))
		d := &misdeeds[i]
		if d.on&k.verb == 0 || d.lies && !s.nature.liar || s.nature.menu>>i&1 == 0 {
			continue
		}
		if k.random.Float64() < s.nature.Storms {
			s.storm, s.left, s.again = d, one(k, 5, 40, 2000), nil
		}
		return d
	}
	return nil
}

// noise returns up to n random bytes.
func (k *call) noise(n int) []byte {
	b := make([]byte, 1+k.random.IntN(n))
	for i := range b {
		b[i] = byte(k.random.Uint32())
	}
	return b
}

// one returns a random element.
func one[T any](k *call, of ...T) T { return of[k.random.IntN(len(of))] }

// retryAfter returns a header with a wait for the client, or an invalid one.
func (k *call) retryAfter() string {
	v := one(k, "", "", "0", "1", "30", "3600", "2147483647", "99999999999999999999", "-1", "soon", time.Now().Add(time.Hour).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"), "Thu, 01 Jan 1970 00:00:00 GMT")
	if v == "" {
		return ""
	}
	return "Retry-After: " + v + "\r\n"
}

// anyCode returns a random HTTP status code.
func (k *call) anyCode() int {
	return one(k, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429, 429, 500, 500, 502, 503, 504, 201, 206, 418, 599, 999)
}

// anyError returns a random Status.
func (k *call) anyError() metav1.Status {
	code := int32(k.anyCode())
	st := metav1.Status{Code: one(k, code, code, code, 0, -1), Message: one(k, "", "no", "the \x1b[31m message", "Too large resource version: 5, current: 4")}
	st.Reason = one(k, "", metav1.StatusReasonUnauthorized, metav1.StatusReasonForbidden, metav1.StatusReasonNotFound, metav1.StatusReasonExpired, metav1.StatusReasonGone, metav1.StatusReasonTimeout, metav1.StatusReasonTooManyRequests, metav1.StatusReasonInternalError, "Nonsense")
	if k.random.IntN(3) == 0 {
		st.Details = &metav1.StatusDetails{RetryAfterSeconds: one[int32](k, 0, 1, 20, 3600, 1<<31-1, -1)}
	}
	if k.random.IntN(6) == 0 {
		st.Continue, st.ResourceVersion = "x:y", "nonsense"
	}
	return st
}

// anyStatus answers with a Status, in any encoding.
func (k *call) anyStatus() bool {
	f := form{encoding: one(k, k.form.encoding, k.form.encoding, asJSON, asProtobuf, asCBOR)}
	st := k.anyError()
	code := k.anyCode()
	if k.random.IntN(3) > 0 && st.Code > 0 {
		code = int(st.Code)
	}
	b := f.status(st)
	return k.head(code, f.contentType(false), k.retryAfter(), len(b)) && k.write(b)
}

// bareStatus answers with a status code and the text of a proxy.
func (k *call) bareStatus() bool {
	body := one(k, "", loginPage, "upstream connect error", `{"kind":"Pod"}`, `{"kind":"Status","code":"5"}`, `[]`, string(k.noise(500)))
	return k.head(k.anyCode(), one(k, "text/html", "text/plain", "application/json", ""), k.retryAfter(), len(body)) && k.write([]byte(body))
}

// redirect redirects the client to another address, or in a loop.
func (k *call) redirect() bool {
	to := one(k, "", "Location: "+k.path+"\r\n", "Location: /login\r\n", "Location: http://elsewhere/\r\n", "Location: ::\r\n")
	return k.head(one(k, 301, 302, 303, 307, 308, 304), "text/html", to, 0)
}

// wrongType sends the correct objects with a wrong content type.
func (k *call) wrongType() bool {
	contentType := one(k, "", "text/plain", "application/xml", "application/json;charset=utf-16", "application/vnd.kubernetes.protobuf", "application/cbor", "/;;", "application/yaml")
	if k.verb != lists {
		return k.send(200, contentType, k.noise(100))
	}
	p, _ := k.list()
	f := k.form
	if f.encoding = one(k, asJSON, asCBOR, asProtobuf); f.encoding == asProtobuf && f.t == Widgets {
		f.encoding = asJSON
	}
	return k.send(200, contentType, f.encodePage(p))
}

func (k *call) halfHeader() bool {
	k.write([]byte(one(k, "HTTP/1.1 200 OK\r\nConte", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", "HTTP/1.1 20", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n")))
	if k.random.IntN(2) == 0 {
		return k.hang()
	}
	return false
}

// through sends the correct answer in a wrong way.
func (k *call) through(how func(*call, []byte) bool) bool {
	body := []byte(`{"kind":"APIVersions","versions":["v1"]}`)
	if k.verb == lists {
		p, _ := k.list()
		body = k.form.encodePage(p)
	}
	return how(k, body)
}

// cutOff ends in the middle of the body, in one of several ways.
func cutOff(k *call, body []byte) bool {
	part := body[:k.random.IntN(len(body))]
	switch k.random.IntN(4) {
	case 0: // normally, like a proxy that considers the body complete
		return k.send(200, k.form.contentType(false), part)
	case 1:
		return k.head(200, k.form.contentType(false), "", len(body)) && k.write(part) && false
	case 2:
		return k.head(200, k.form.contentType(false), "", -1) && k.chunk(part) && false
	}
	return k.head(200, k.form.contentType(false), "", -1) && k.chunk(part) && k.hang()
}

// trickle sends a few bytes at a time.
func trickle(k *call, body []byte) bool {
	if !k.head(200, k.form.contentType(false), "", -1) {
		return false
	}
	step, pause := 1+k.random.IntN(40), time.Duration(k.random.Int64N(int64(40*time.Second)))
	for len(body) > 0 {
		n := min(step, len(body))
		if !k.chunk(body[:n]) || !k.pause(pause) {
			return false
		}
		body = body[n:]
	}
	return k.end()
}

// flipped changes a few bytes.
func flipped(k *call, body []byte) bool { return k.send(200, k.form.contentType(false), k.flip(body)) }

func (k *call) flip(body []byte) []byte {
	body = bytes.Clone(body)
	for range 1 + k.random.IntN(3) {
		i := k.random.IntN(len(body))
		switch k.random.IntN(4) {
		case 0:
			body[i] ^= 1 << k.random.IntN(8)
		case 1:
			body = append(body[:i], append(k.noise(8), body[i:]...)...)
		case 2:
			body = append(body[:i:i], body[min(len(body), i+k.random.IntN(20)):]...)
		default:
			body = append(body[:i:i], body[min(i, k.random.IntN(len(body))):]...)
		}
		if len(body) == 0 {
			return []byte("x")
		}
	}
	return body
}

// oddPage sends a page that no client can use.
func (k *call) oddPage() bool {
	p, ok := k.list()
	if !ok {
		return k.anyStatus()
	}
	minus := int64(-5)
	switch k.random.IntN(4) {
	case 0:
		p.kind = one(k, "SecretList", "Pod", "Status", "x")
	case 1:
		p.version = one(k, "", "0", "abc", "-5", "1e3", "99999999999999999999", "007", "1 ")
	case 2:
		p.remaining = &minus
		p.version = ""
	default:
		body := one(k, `null`, `[]`, `{}`, `{"items":5}`, `{"kind":"PodList","items":[]}`, `{"kind":"PodList","metadata":[],"items":[]}`, `"x"`, `{"items":[null],"metadata":{}}`)
		return k.send(200, "application/json", []byte(body))
	}
	return k.send(200, k.form.contentType(false), k.form.encodePage(p))
}

// oddItems sends a page with objects that are false, exceed limits, or both.
func (k *call) oddItems() bool {
	p, ok := k.list()
	if !ok {
		return k.anyStatus()
	}
	for range 1 + k.random.IntN(3) {
		p.items = append(p.items, k.oddObject())
	}
	k.random.Shuffle(len(p.items), func(i, j int) { p.items[i], p.items[j] = p.items[j], p.items[i] })
	return k.send(200, k.form.contentType(false), k.form.encodePage(p))
}

// oddObject returns a false object: another state of an existing object, or an object that does not
// exist.
func (k *call) oddObject() sent {
	k.mu.Lock()
	s := sent{Object: Object{Namespace: one(k, Namespaces...), Name: fmt.Sprint("o-", k.random.IntN(10)), UID: "ghost", Payload: "lie"}}
	s.Version = k.version + uint64(k.random.IntN(maxAhead))
	if o, there := k.tables[k.form.t].objects[s.Key()]; there && k.random.IntN(2) == 0 {
		s.UID = o.UID
	}
	k.mu.Unlock()
	if k.random.IntN(10) == 0 {
		s.Version = far + uint64(k.random.IntN(maxAhead))
	}
	switch k.random.IntN(10) {
	case 0:
		s.Name = ""
	case 1:
		s.UID = ""
	case 2:
		s.version = one(k, "-", "0", "abc", "-5", "1e3", "99999999999999999999", "007")
	case 3:
		s.kind = one(k, "Secret", "x")
	case 4:
		s.Namespace = one(k, "", "elsewhere", "../a", "\x1b[31m")
	case 5:
		s.Name = one(k, "a/b", "..", string(bytes.Repeat([]byte("n"), 70000)), "\xff", " ")
	default:
		s.odd = oddity(k.random.IntN(int(oddities)))
	}
	return s
}

// looping sends a continue token of an earlier page.
func (k *call) looping() bool {
	p, ok := k.list()
	if !ok {
		return k.anyStatus()
	}
	p.token = fmt.Sprintf("%d:%d", p.list, k.random.IntN(2))
	return k.send(200, k.form.contentType(false), k.form.encodePage(p))
}

// expired answers that a list cannot be continued.
func (k *call) expired() bool {
	st := metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired, Message: "The provided continue parameter is too old"}
	st.Continue = one(k, "", "1:1", "nonsense")
	return k.send(410, k.form.contentType(false), k.form.status(st))
}

// oldList sends an outdated list.
func (k *call) oldList() bool {
	p, ok := k.list()
	k.mu.Lock()
	for _, s := range k.lists {
		if k.query.Get("continue") == "" && k.random.IntN(3) == 0 && s.t == k.form.t && s.space == k.space {
			p = page{version: strconv.FormatUint(s.version, 10)}
			for _, o := range s.objects {
				p.items = append(p.items, sent{Object: o})
			}
			break
		}
	}
	k.mu.Unlock()
	if !ok {
		return k.anyStatus()
	}
	return k.send(200, k.form.contentType(false), k.form.encodePage(p))
}

// falseList omits objects, or has another version.
func (k *call) falseList() bool {
	p, ok := k.list()
	if !ok {
		return k.anyStatus()
	}
	v, _ := strconv.ParseUint(p.version, 10, 64)
	switch k.random.IntN(4) {
	case 0:
		p.items = p.items[:k.random.IntN(len(p.items)+1)]
	case 1:
		p.version = strconv.FormatUint(v+uint64(k.random.IntN(maxAhead)), 10)
	case 2:
		p.version = strconv.FormatUint(far+uint64(k.random.IntN(maxAhead)), 10)
	default:
		p.token = ""
	}
	return k.send(200, k.form.contentType(false), k.form.encodePage(p))
}

// oddDiscovery reports types other than the real ones.
func (k *call) oddDiscovery() bool {
	return k.discovery(func(v any) {
		switch v := v.(type) {
		case *metav1.APIVersions:
			v.Versions = one(k, nil, []string{""}, []string{"v1", "v2"}, []string{"../x"})
		case *metav1.APIGroupList:
			bad := metav1.GroupVersionForDiscovery{GroupVersion: one(k, "broken.example.com/v1", "a/b/c", "", "/"), Version: one(k, "v1", "")}
			g := metav1.APIGroup{Name: one(k, "broken.example.com", "", "example.com"), Versions: []metav1.GroupVersionForDiscovery{bad}, PreferredVersion: bad}
			v.Groups = one(k, nil, append([]metav1.APIGroup{g}, v.Groups...), []metav1.APIGroup{g})
		case *metav1.APIResourceList:
			switch k.random.IntN(5) {
			case 0:
				v.APIResources = nil
			case 1:
				v.APIResources[0].Name = "others"
			case 2:
				v.APIResources[0].Verbs = one(k, nil, []string{"get"}, []string{"list"})
			case 3:
				v.APIResources[0].Namespaced = false
			default:
				v.GroupVersion = one(k, "a/b/c", "other/v1", "")
			}
		}
	})
}
