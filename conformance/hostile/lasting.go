package hostile

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Means are kinds of requests by which an informer learns of objects.
type Means uint8

// The kinds of requests.
const (
	Watches  Means = 1 << iota // watches from a version
	Streams                    // streaming lists
	Lists                      // lists, in pages or whole
	Identity                   // the namespace that identifies the cluster
)

// String returns the names, for messages.
func (m Means) String() string {
	var names []string
	for i, name := range []string{"watches", "streams", "lists", "identity"} {
		if m>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}

// lasting is a failure of some means that lasts until Behave.
type lasting struct {
	of   Means
	deed *misdeed
}

// lastingMisdeeds are the failures that Break chooses from. Each answers all requests alike.
var lastingMisdeeds []misdeed

func init() { // in init, because methods of call name the table of misdeeds
	for _, code := range []int{400, 401, 403, 404, 405, 406, 410, 422, 429, 500, 501, 502, 503, 504} {
		lastingMisdeeds = append(lastingMisdeeds, misdeed{fmt.Sprint("a status ", code), anything, false, func(k *call) bool {
			return k.refuse(code, metav1.StatusReasonUnknown, "planted")
		}})
	}
	for _, code := range []int32{400, 410, 429, 500, 504} {
		lastingMisdeeds = append(lastingMisdeeds, misdeed{fmt.Sprint("an ERROR ", code), watches, false, func(k *call) bool {
			return k.begin() && k.chunk(k.form.frame("ERROR", k.form.status(metav1.Status{Code: code}))) && k.end()
		}})
	}
	lastingMisdeeds = append(lastingMisdeeds,
		misdeed{"a redirect", anything, false, func(k *call) bool { return k.head(302, "text/html", "Location: /login\r\n", 0) }},
		misdeed{"a login page", anything, false, func(k *call) bool { return k.send(200, "text/html", []byte(loginPage)) }},
		misdeed{"no content", anything, false, func(k *call) bool { return k.head(204, k.form.contentType(false), "", -1) && k.end() }},
		misdeed{"closed", anything, false, func(*call) bool { return false }},
		misdeed{"no answer", anything, false, (*call).hang},
		misdeed{"half a frame", anything, false, func(k *call) bool { return k.begin() && k.chunk([]byte(`{"ki`)) && false }},
		misdeed{"damage", anything, false, func(k *call) bool { return k.begin() && k.chunk([]byte("\x00\xff}{\n")) && k.end() }},
		misdeed{"a regular end", watches, false, func(k *call) bool { return k.begin() && k.end() }},
		misdeed{"silence", watches, false, func(k *call) bool { return k.begin() && k.hang() }},
	)
}

// begin sends the headers of a correct answer.
func (k *call) begin() bool { return k.head(200, k.form.contentType(k.verb == watches), "", -1) }

// Break makes the server answer all requests of some means in one wrong way until Behave, and
// all other requests correctly. choice selects the way, whose name Break returns.
func (s *Server) Break(of Means, choice int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var fit []*misdeed
	for i := range lastingMisdeeds {
		if d := &lastingMisdeeds[i]; d.on == anything || of&(Lists|Identity) == 0 {
			fit = append(fit, d)
		}
	}
	deed := fit[choice%len(fit)]
	s.lasting = &lasting{of, deed}
	s.nature.deaf, s.nature.streaming = 0, true
	s.noteLocked("from here, %v of %v", deed.name, of)
	return deed.name
}

// means returns the kind of a request; 0 for another one.
func (k *call) means() Means {
	switch {
	case k.verb == watches && k.query.Get("sendInitialEvents") == "true":
		return Streams
	case k.verb == watches:
		return Watches
	case k.verb == lists:
		return Lists
	case strings.HasSuffix(k.path, "/namespaces/kube-system"):
		return Identity
	}
	return 0
}
