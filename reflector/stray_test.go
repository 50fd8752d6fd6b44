package reflector

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/delta"
)

// upserts is a sink that records the names of the objects that it gets.
type upserts struct{ names chan string }

func (u upserts) Put(_ context.Context, d delta.Delta) error {
	if d.Kind == delta.Upsert {
		u.names <- d.Record.Namespace + "/" + d.Record.Name
	}
	return nil
}

// TestStrayObjectsAreDropped: a server that ignores the requested namespace sends objects
// of another one in lists, relists and watches. The reflector drops and counts them, so
// none of them can outlive a relist.
func TestStrayObjectsAreDropped(t *testing.T) {
	const objects = `{"metadata":{"namespace":"ml","name":"a","uid":"1","resourceVersion":"1"}},` +
		`{"metadata":{"namespace":"other","name":"b","uid":"2","resourceVersion":"2"}}`
	const event = `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"other","name":"c","uid":"3","resourceVersion":"4"}}}`
	synctest.Test(t, func(t *testing.T) {
		server := &hostile{order: orderNone, answer: func(r asked) reply {
			if r.list {
				return reply{body: `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"3"},"items":[` + objects + `]}`}
			}
			return reply{body: event, stays: time.Minute}
		}}
		sink := upserts{make(chan string, 1000)}
		r, err := New(server, sink, Config{Streaming: PagesOnly, Scope: delta.Scope{Namespace: "ml"}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		go func() { _ = r.Run(ctx) }()
		<-ctx.Done()
		synctest.Wait()
		close(sink.names)
		lists := 0
		for name := range sink.names {
			if lists++; name != "ml/a" {
				t.Errorf("got object %s, want only objects of namespace ml", name)
			}
		}
		if lists < 2 {
			t.Errorf("got %d lists, want a relist", lists)
		}
		if h, _ := r.Health(); h.Invalid < 3 {
			t.Errorf("got %d unusable objects, want one for each list and event of another namespace", h.Invalid)
		}
	})
}
