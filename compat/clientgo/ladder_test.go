package clientgo_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/apitest"
)

// TestListsInTheEnd: client-go's informer lists after each of these faults, and the drop-in
// does too.
func TestListsInTheEnd(t *testing.T) {
	streaming := func(r apitest.Request) bool { return r.Streaming() }
	for name, action := range map[string]apitest.Action{
		"regular end": apitest.Cut(apitest.CutClean), "ERROR 500": apitest.InStreamError(apitest.Failure(500, 0)), "500": apitest.Respond(apitest.Failure(500, 0)),
	} {
		t.Run("watch, "+name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *world) {
				w.create("a/one")
				inf := w.pods(quiet)
				defer run(t, inf)()
				<-time.After(90 * time.Second)
				synctest.Wait()
				inject(t, w, apitest.Fault{Times: apitest.Always, Action: action, Match: apitest.Match{
					Verb: apitest.VerbWatch, Resource: "pods", Where: func(r apitest.Request) bool { return !r.Streaming() && r.Options.ResourceVersion == "2" },
				}})
				inject(t, w, apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch, Where: streaming}, Action: apitest.Cut(apitest.CutReset)})
				w.create("a/two")
				<-time.After(time.Minute)
				synctest.Wait()
				if n := len(inf.GetStore().ListKeys()); n != 2 {
					t.Errorf("got %d of 2 pods after a minute", n)
				}
			})
		})
	}
	for name, action := range map[string]apitest.Action{
		"403": apitest.Respond(apitest.Failure(403, 0)), "404": apitest.Respond(apitest.Failure(404, 0)), "502": apitest.Respond(apitest.Failure(502, 0)),
	} {
		t.Run("streaming list, "+name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *world) {
				w.create("a/one")
				inject(t, w, apitest.Fault{Times: apitest.Always, Action: action, Match: apitest.Match{Verb: apitest.VerbWatch, Resource: "pods", Where: streaming}})
				inf := w.pods(quiet)
				defer run(t, inf)()
				<-time.After(time.Minute)
				synctest.Wait()
				if !inf.HasSynced() {
					t.Error("not synced after a minute")
				}
			})
		})
	}
}
