package differential_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/testinput"
)

// usualScripts is the number of scripts without VEDETTE_CASES.
const usualScripts = 400

// phases is the number of phases of a script. Each changes objects and injects faults,
// and then compares the informers.
const phases = 4

// settle is the fake time in which both informers must recover from every fault: client-go needs
// 10 minutes for a streaming list that does not end, and its longest backoff is a minute.
const settle = 15 * time.Minute

// TestAgainstClientGo runs random scripts on one server that client-go's SharedIndexInformer and
// ours follow over HTTP. After each phase the stores, the indexes and the events of each object
// must be the same.
func TestAgainstClientGo(t *testing.T) {
	whole, gaps, ran := 0, 0, 0
	for n := range testinput.Cases(t, usualScripts) {
		t.Run(fmt.Sprint("script ", n), func(t *testing.T) {
			ran++
			synctest.Test(t, func(t *testing.T) {
				s := newScript(t)
				s.run()
				whole, gaps = whole+s.whole, gaps+s.gaps
			})
			if t.Failed() {
				t.Logf("replay with: GOWORK=off go test -C conformance ./differential -run 'TestAgainstClientGo/script_%d$'", n)
			}
		})
	}
	t.Logf("%d phases without a list, with equal events; %d with a list", whole, gaps)
	if ran > 100 && (whole < ran/4 || gaps < ran/4) {
		t.Error("the scripts have too many faults, or too few")
	}
}

// The users of the server. Faults distinguish the informers by them.
const (
	theirUser = "theirs"
	ourUser   = "ours"
)

var (
	podType    = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	widgetType = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
	widgets    = apitest.Type{Group: "example.com", Version: "v1", Kind: "Widget", Resource: "widgets", Namespaced: true}
)

// follower is an informer under test.
type follower interface {
	// run follows the server until ctx is done.
	run(ctx context.Context)
	synced() bool
	// objects returns the objects of the store, by key.
	objects() map[string]object
	// index returns the keys of the objects in an index, by value: "namespace", "node" or "label".
	index(name string) map[string][]string
	// take returns the events since the last call, by object.
	take() map[string][]event
}

// object is the common form of an object of both informers.
type object struct {
	uid, version string
	content      any // decoded
}

// event is one step of an object.
type event struct {
	kind         string // "add", "update", "delete"
	uid, version string
}

// script is one test run.
type script struct {
	t       *testing.T
	random  *rand.Rand
	srv     *apitest.Server
	gvr     schema.GroupVersionResource
	both    map[string]follower // by user
	lists   map[string]int      // number of lists until the last phase
	faults  []*apitest.Injection
	log     []string
	whole   int
	gaps    int
	serials int
	before  map[string]object
}

func newScript(t *testing.T) *script {
	s := &script{t: t, random: testinput.Rand(t), lists: map[string]int{}, before: map[string]object{}}
	cfg := apitest.Config{
		Types:      []apitest.Type{widgets},
		Tokens:     map[string]string{theirUser: theirUser, ourUser: ourUser},
		RequestLog: 100_000,
	}
	if s.random.IntN(3) == 0 {
		cfg.StreamingLists = apitest.StreamingRefused
	}
	if s.random.IntN(3) == 0 {
		cfg.Window = 20 // a watch that misses a burst gets 410
	}
	if s.random.IntN(4) == 0 {
		cfg.Version = 990 // versions gain a digit
	}
	srv, err := apitest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.srv = srv
	s.gvr = []schema.GroupVersionResource{podType, podType, widgetType}[s.random.IntN(3)]
	return s
}

func (s *script) config(user string) *rest.Config {
	cfg := s.srv.RESTConfig()
	cfg.BearerToken = user
	return cfg
}

func (s *script) run() {
	defer s.srv.Close()
	for range s.random.IntN(20) {
		s.write()
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	var work sync.WaitGroup
	for range s.random.IntN(3) {
		s.fault()
	}
	s.both = map[string]follower{theirUser: s.theirs(), ourUser: s.ours()}
	for _, f := range s.both {
		work.Go(func() { f.run(ctx) })
	}
	for phase := range phases {
		s.happen(phase)
		s.heal()
		if !s.compare(phase) {
			break
		}
	}
	cancel()
	work.Wait()
	if s.t.Failed() {
		s.t.Logf("script for %s:\n%s", s.gvr.Resource, strings.Join(s.log, "\n"))
	}
}

func (s *script) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// happen changes objects and injects faults.
func (s *script) happen(phase int) {
	for range 20 + s.random.IntN(40) {
		switch n := s.random.IntN(20); {
		case n < 10:
			s.write()
		case n < 11: // a burst
			for range 10 + s.random.IntN(40) {
				s.write()
			}
		case n < 13 && phase%2 == 1:
			s.fault()
		case n < 14 && phase == 3:
			s.note("compact")
			s.srv.Compact()
		case n < 15 && phase >= 2:
			s.note("away")
			s.srv.Unavailable()
			<-time.After(time.Duration(s.random.Int64N(int64(20 * time.Second))))
			if err := s.srv.Available(); err != nil {
				s.t.Fatal(err)
			}
		default:
			<-time.After(time.Duration(s.random.Int64N(int64(5 * time.Second))))
		}
	}
}

// heal ends all faults, and waits until both informers have recovered.
func (s *script) heal() {
	<-time.After(time.Minute)
	for _, i := range s.faults {
		i.Release()
	}
	s.faults = nil
	<-time.After(settle)
	synctest.Wait()
}

// make returns an object of the type under test.
func (s *script) make(namespace, name string) apitest.Object {
	s.serials++
	labels := map[string]string{"app": fmt.Sprint("app-", s.random.IntN(3)), "serial": strconv.Itoa(s.serials)}
	if s.random.IntN(4) == 0 {
		delete(labels, "app")
	}
	node := ""
	if n := s.random.IntN(4); n > 0 {
		node = fmt.Sprint("node-", n)
	}
	if s.gvr == podType {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}}
		p.Spec.Containers = []corev1.Container{{Name: "c", Image: fmt.Sprint("image:", s.serials)}}
		p.Spec.NodeName = node
		return p
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"spec": map[string]any{"nodeName": node, "count": int64(s.serials), "ratio": 0.5, "list": []any{"a", nil, true}},
	}}
	u.SetNamespace(namespace)
	u.SetName(name)
	u.SetLabels(labels)
	return u
}

// write creates, updates, deletes or replaces an object.
func (s *script) write() {
	obj := s.make(fmt.Sprint("ns-", s.random.IntN(3)), fmt.Sprint("o-", s.random.IntN(8)))
	old, err := s.srv.Get(obj)
	there := err == nil
	if there {
		obj.SetResourceVersion(old.GetResourceVersion())
	}
	switch n := s.random.IntN(10); {
	case !there:
		_, err = s.srv.Create(obj)
	case n < 6:
		_, err = s.srv.Update(obj)
	case n < 9:
		err = s.srv.Delete(obj)
	default: // deleted, and recreated under the same name
		if err = s.srv.Delete(obj); err == nil {
			obj.SetResourceVersion("")
			_, err = s.srv.Create(obj)
		}
	}
	if err != nil {
		s.t.Fatalf("write of %s/%s: %v", obj.GetNamespace(), obj.GetName(), err)
	}
}

// fault injects the same fault for both informers, at the same point of their requests.
func (s *script) fault() {
	watch := []apitest.Action{
		apitest.Cut(apitest.CutClean), apitest.Cut(apitest.CutReset), apitest.Cut(apitest.CutMidFrame),
		apitest.Delay(time.Duration(s.random.Int64N(int64(10 * time.Second)))),
		apitest.InStreamError(apitest.Failure(410, 0)), apitest.InStreamError(apitest.Failure(500, 0)),
		apitest.NoEndBookmark(),
	}
	list := []apitest.Action{
		apitest.Respond(apitest.Failure(410, 0)), apitest.Cut(apitest.CutReset), apitest.Cut(apitest.CutMidFrame),
		apitest.Delay(time.Duration(s.random.Int64N(int64(10 * time.Second)))),
	}
	request := []apitest.Action{
		apitest.Respond(apitest.Failure(429, time.Second)), apitest.Respond(apitest.Failure(500, 0)),
		apitest.Respond(apitest.Failure(503, 0)), apitest.Respond(apitest.Failure(410, 0)),
	}
	f := apitest.Fault{Times: 1 + s.random.IntN(2), After: s.random.IntN(4)}
	f.Match.Resource = s.gvr.Resource
	switch s.random.IntN(3) {
	case 0:
		f.Match.Verb, f.Action = apitest.VerbWatch, watch[s.random.IntN(len(watch))]
	case 1:
		f.Match.Verb, f.Action = apitest.VerbList, list[s.random.IntN(len(list))]
	default:
		f.Action, f.After = request[s.random.IntN(len(request))], 0
	}
	s.note("fault %+v", f)
	for _, user := range []string{theirUser, ourUser} {
		f.Match.Where = func(r apitest.Request) bool { return r.User == user }
		i, err := s.srv.Inject(f)
		if err != nil {
			s.t.Fatal(err)
		}
		s.faults = append(s.faults, i)
	}
}

// listed returns the users whose informer has listed since the last call.
func (s *script) listed() []string {
	n := map[string]int{}
	for _, r := range s.srv.Requests() {
		if r.Resource == s.gvr && (r.Verb == apitest.VerbList || r.Streaming()) {
			n[r.User]++
		}
	}
	var users []string
	for user, n := range n {
		if n > s.lists[user] {
			users = append(users, user)
		}
	}
	s.lists = n
	return users
}

var quiet = slog.New(slog.DiscardHandler)
