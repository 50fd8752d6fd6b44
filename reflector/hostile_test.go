package reflector

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// hostile is a server that gives the same kind of answers without end.
type hostile struct {
	asked  atomic.Int64 // number of requests
	order  ordering
	answer func(r asked) reply
}

// asked is a request.
type asked struct {
	n     int // number of earlier requests
	list  bool
	first bool // a streaming list
	token string
	from  string // version of a watch
}

// reply is a body that ends after a while, or an error.
type reply struct {
	body  string
	stays time.Duration // how long the body stays open
	end   error         // the error at its end; default io.EOF
	err   error
}

func (h *hostile) open(ctx context.Context, r asked) (wire.Stream, error) {
	<-time.After(time.Millisecond)
	r.n = int(h.asked.Add(1)) - 1
	a := h.answer(r)
	if a.err != nil {
		return wire.Stream{}, a.err
	}
	if a.end == nil {
		a.end = io.EOF
	}
	return wire.Stream{Body: &endingBody{Reader: strings.NewReader(a.body), ctx: ctx, reply: a}, Encoding: wire.JSON}, nil
}

func (h *hostile) Ordered(context.Context) (ordered, known bool) {
	return h.order == orderSure, h.order != orderUnknown
}

func (h *hostile) List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	return h.open(ctx, asked{list: true, token: opts.Continue})
}

func (h *hostile) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	return h.open(ctx, asked{first: opts.SendInitialEvents != nil, from: opts.ResourceVersion})
}

// endingBody is a body that stays open for a while, and then ends.
type endingBody struct {
	*strings.Reader
	ctx context.Context
	reply
}

func (b *endingBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != io.EOF {
		return n, err
	}
	select {
	case <-time.After(b.stays):
		return 0, b.end
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func (b *endingBody) Close() error { return nil }

func eventText(kind, name string, v int) string {
	return fmt.Sprintf(`{"type":%q,"object":{"metadata":{"name":%q,"resourceVersion":"%d"}}}`+"\n", kind, name, v)
}

func endMark(v int) string {
	return fmt.Sprintf(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", v)
}

func statusText(code int) string {
	return fmt.Sprintf(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":"Expired"}}`+"\n", code)
}

func pageText(v int, token string, names ...string) string {
	var items []string
	for _, n := range names {
		items = append(items, fmt.Sprintf(`{"metadata":{"name":%q,"resourceVersion":"5"}}`, n))
	}
	return fmt.Sprintf(`{"metadata":{"resourceVersion":"%d","continue":%q},"items":[%s]}`, v, token, strings.Join(items, ","))
}

// watches answers lists correctly, and each watch in the same way.
func watches(text string, stays time.Duration, end error) func(asked) reply {
	return func(r asked) reply {
		if r.first {
			return reply{body: endMark(5)}
		}
		return reply{body: text, stays: stays, end: end}
	}
}

// lists answers requests for pages, and rejects streaming lists.
func lists(page func(r asked) string) func(asked) reply {
	return func(r asked) reply {
		if r.first {
			return reply{err: scriptError("422", nil)}
		}
		return reply{body: page(r)}
	}
}

// relists answers lists correctly, but rejects every watch.
func relists(why string, opts map[string]string, pages bool) func(asked) reply {
	return func(r asked) reply {
		switch {
		case r.first && pages:
			return reply{err: scriptError("422", nil)}
		case r.first:
			return reply{body: endMark(5 + r.n)}
		case r.list:
			return reply{body: pageText(5+r.n, "", "x")}
		}
		return reply{err: scriptError(why, opts)}
	}
}

var hostileServers = []struct {
	name   string
	answer func(asked) reply
}{
	{"an error that is not a Status", watches(`{"type":"ERROR","object":{"kind":"Pod","metadata":{"name":"x"}}}`, 0, nil)},
	{"an error event", watches(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","code":500}}`, 0, nil)},
	{"an unusable event", watches(`{"type":"ADDED","object":{"metadata":{"resourceVersion":"7"}}}`, 0, nil)},
	{"a bookmark with the same version", watches(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}}`, 0, nil)},
	{"the end of the initial events, again", watches(endMark(5)+endMark(5), 0, nil)},
	{"an old event", watches(eventText("MODIFIED", "x", 3), 0, nil)},
	{"the last event, again", watches(eventText("MODIFIED", "x", 5), 0, nil)},
	{"nothing", watches("", 0, nil)},
	{"nothing for a second", watches("", time.Second, nil)},
	{"nothing for four seconds", watches("", 4*time.Second, nil)},
	{"an old event, and a reset", watches(eventText("MODIFIED", "x", 3), 0, io.ErrUnexpectedEOF)},
	{"a reset after a second", watches("", time.Second, io.ErrUnexpectedEOF)},
	{"an invalid frame", watches("<html>", 0, nil)},
	{"a watch that advances and ends at once", func(r asked) reply {
		if r.first {
			return reply{body: endMark(5)}
		}
		return reply{body: eventText("MODIFIED", "x", 6+r.n)}
	}},
	{"a watch that advances and is reset", func(r asked) reply {
		if r.first {
			return reply{body: endMark(5)}
		}
		return reply{body: eventText("MODIFIED", "x", 6+r.n), end: io.ErrUnexpectedEOF}
	}},
	{"list, 410", relists("410", nil, false)},
	{"pages, 410", relists("410", nil, true)},
	{"list, 410 with Retry-After", relists("410", map[string]string{"retry": "1"}, true)},
	{"list, ahead", relists("ahead", nil, true)},
	{"list, 404", relists("404", nil, true)},
	{"list, 404 with Retry-After", relists("404", map[string]string{"retry": "1"}, true)},
	{"list, 403", relists("403", nil, true)},
	{"list, an event, 410", func(r asked) reply {
		if r.first {
			return reply{body: endMark(5+r.n) + eventText("ADDED", "x", 6+r.n) + statusText(410)}
		}
		return reply{err: scriptError("410", nil)}
	}},
	{"list, 410 in the stream", func(r asked) reply { return reply{body: endMark(5+r.n) + statusText(410)} }},
	{"list, a bookmark, 410", func(r asked) reply { return reply{body: endMark(5) + endMark(5) + statusText(410)} }},
	{"403 and 503 in turn", func(r asked) reply { return reply{err: scriptError([]string{"403", "503"}[r.n%2], nil)} }},
	{"a streaming list that breaks after its first object", func(asked) reply { return reply{body: eventText("ADDED", "x", 5)} }},
	{"pages that break after their first object", lists(func(asked) string { return `{"metadata":{},"items":[{"metadata":{"name":"x","resourceVersion":"5"}},` })},
	{"an older list", func(r asked) reply {
		if r.first {
			return reply{body: endMark(1000 - r.n)}
		}
		return reply{err: scriptError("410", nil)}
	}},
	{"a list without a version", lists(func(asked) string { return `{"metadata":{},"items":[]}` })},
	{"an empty body", lists(func(asked) string { return "" })},
	{"a token that does not change", lists(func(asked) string { return pageText(5, "p", "x") })},
	{"two tokens in turn", lists(func(r asked) string { return pageText(5, fmt.Sprint("p", r.n%2), fmt.Sprint("x", r.n)) })},
	{"one page, with ever new tokens", lists(func(r asked) string { return pageText(5, fmt.Sprint("p", r.n), "x") })},
	{"empty pages", lists(func(r asked) string { return pageText(5, fmt.Sprint("p", r.n)) })},
	{"a second page that has expired", func(r asked) reply {
		if r.token != "" {
			return reply{err: scriptError("410", nil)}
		}
		return lists(func(asked) string { return pageText(5, "p", "x") })(r)
	}},
}

// TestHostileServers checks that, whatever a server answers, requests become rare as long
// as there is no progress, and the fault is shown all the time.
func TestHostileServers(t *testing.T) {
	for _, c := range hostileServers {
		for order, name := range map[ordering]string{orderSure: "ordered", orderNone: "unordered", orderUnknown: "unknown"} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { checkHostile(t, &hostile{answer: c.answer, order: order}) })
			})
		}
	}
}

// checkHostile follows a hostile server for ten minutes.
func checkHostile(t *testing.T, src *hostile) {
	const perMinute = 60
	r, err := New(src, &discard{}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = r.Run(ctx) }()
	healthy, most := 0, int64(0)
	for minute := range 10 {
		before := src.asked.Load()
		for range 600 {
			<-time.After(100 * time.Millisecond)
			synctest.Wait()
			if h, _ := r.Health(); h.Fault == NoFault && src.asked.Load() > 10 {
				healthy++
			}
		}
		n := src.asked.Load() - before
		if most = max(most, n); n > perMinute {
			t.Errorf("got %d requests in minute %d", n, minute)
		}
	}
	if healthy > 60 { // a complete list ends a fault until the watch after it is refused
		t.Errorf("got no fault in %d of 6000 checks", healthy)
	}
	t.Logf("%d requests in ten minutes, %d in the worst", src.asked.Load(), most)
}

// discard accepts and drops all deltas.
type discard struct{}

func (discard) Put(context.Context, delta.Delta) error { return nil }
