package differential_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/testinput"
)

// lastingFaults are faults of which each is the answer to every request of one kind, for good.
func lastingFaults() map[string]apitest.Action {
	return map[string]apitest.Action{
		"400": apitest.Respond(apitest.Failure(400, 0)), "403": apitest.Respond(apitest.Failure(403, 0)), "404": apitest.Respond(apitest.Failure(404, 0)),
		"406": apitest.Respond(apitest.Failure(406, 0)), "410": apitest.Respond(apitest.Failure(410, 0)), "429": apitest.Respond(apitest.Failure(429, time.Second)),
		"500": apitest.Respond(apitest.Failure(500, 0)), "503": apitest.Respond(apitest.Failure(503, 0)), "504": apitest.Respond(apitest.Failure(504, 0)),
		"regular end": apitest.Cut(apitest.CutClean), "reset": apitest.Cut(apitest.CutReset), "mid frame": apitest.Cut(apitest.CutMidFrame),
		"garbage": apitest.Garbage(apitest.GarbageFraming), "silence": apitest.Stall(), "no answer": apitest.Hang(),
		"ERROR 410": apitest.InStreamError(apitest.Failure(410, 0)), "ERROR 500": apitest.InStreamError(apitest.Failure(500, 0)),
	}
}

// requestKinds are the kinds of requests that a lasting fault hits.
var requestKinds = map[string]func(apitest.Request) bool{
	"watches":     func(r apitest.Request) bool { return r.Verb == apitest.VerbWatch && !r.Streaming() },
	"streams":     func(r apitest.Request) bool { return r.Streaming() },
	"all watches": func(r apitest.Request) bool { return r.Verb == apitest.VerbWatch },
}

// slack is how much later than client-go's ours may show a change: both list after waits that
// are drawn from up to a minute.
const slack = time.Minute

// usualFaults is the number of lasting faults without VEDETTE_SIZE.
const usualFaults = 24

// TestLastingFaults: a fault that hits every request of one kind lasts for an hour, from the
// start of both informers or after they have synced. Ours shows each change no later than
// client-go's, and within ten minutes where client-go's never does.
func TestLastingFaults(t *testing.T) {
	type lasting struct {
		name  string
		hits  func(apitest.Request) bool
		kind  string
		later bool
	}
	var all []lasting
	for kind, hits := range requestKinds {
		for name := range lastingFaults() {
			if kind != "watches" && strings.HasSuffix(name, "410") {
				continue // client-go 0.37.2 requests such a stream again at once, without end
			}
			all = append(all, lasting{name, hits, kind, false}, lasting{name, hits, kind, true})
		}
	}
	slices.SortFunc(all, func(a, b lasting) int {
		return cmp.Or(strings.Compare(a.kind, b.kind), strings.Compare(a.name, b.name), cmp.Compare(fmt.Sprint(a.later), fmt.Sprint(b.later)))
	})
	testinput.Rand(t).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, f := range all[:testinput.Size(t, usualFaults, len(all))] {
		when := "from the start"
		if f.later {
			when = "later"
		}
		t.Run(f.kind+"/"+f.name+"/"+when, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { lastingFault(t, f.hits, lastingFaults()[f.name], f.later) })
		})
	}
}

func lastingFault(t *testing.T, hits func(apitest.Request) bool, action apitest.Action, later bool) {
	s := newScript(t)
	s.gvr = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	defer s.srv.Close()
	s.write()
	inject := func() {
		if _, err := s.srv.Inject(apitest.Fault{Times: apitest.Always, Action: action, Match: apitest.Match{Resource: s.gvr.Resource, Where: hits}}); err != nil {
			t.Fatal(err)
		}
	}
	if !later {
		inject()
	}
	s.both = map[string]follower{theirUser: s.theirs(), ourUser: s.ours()}
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	for _, f := range s.both {
		work.Go(func() { f.run(ctx) })
	}
	if later {
		<-time.After(90 * time.Second)
		inject()
		if _, err := s.srv.Inject(apitest.Fault{Times: 2, Action: apitest.Cut(apitest.CutReset), Match: apitest.Match{Verb: apitest.VerbWatch}}); err != nil {
			t.Fatal(err)
		}
	}
	const never = time.Duration(math.MaxInt64)
	for n := range 2 {
		<-time.After(time.Minute)
		obj := s.make("default", "late-"+string(rune('a'+n)))
		if _, err := s.srv.Create(obj); err != nil {
			t.Fatal(err)
		}
		seen := map[string]time.Duration{theirUser: never, ourUser: never}
		key := obj.GetNamespace() + "/" + obj.GetName()
		for d := time.Duration(0); d < 11*time.Minute; d += 5 * time.Second {
			<-time.After(5 * time.Second)
			synctest.Wait()
			for user, f := range s.both {
				if _, has := f.objects()[key]; has && seen[user] == never {
					seen[user] = d
				}
			}
		}
		if theirs, ours := seen[theirUser], seen[ourUser]; ours > 10*time.Minute || theirs != never && ours > theirs+slack {
			t.Errorf("change %d: ours shows it after %v, client-go's after %v", n, ours, theirs)
		}
	}
}
