package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/serve"
	"github.com/vedette-io/vedette/bench/workload"
	"github.com/vedette-io/vedette/internal/patience"
)

func TestMain(m *testing.M) {
	for _, gate := range []string{"ClientsAllowCBOR", "ClientsPreferCBOR"} { // client-go requests CBOR only with these
		if err := os.Setenv("KUBE_FEATURE_"+gate, "true"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// start serves in this process.
func start(t *testing.T, spec serve.Spec) string {
	t.Helper()
	s, err := serve.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		server.Close()
		s.Free()
	})
	return server.URL
}

// names collects the names that a handler gets.
type names struct {
	told chan string
	seen map[string]int
}

func (n *names) until(t *testing.T, ctx context.Context, enough func() bool) {
	t.Helper()
	for !enough() {
		select {
		case name := <-n.told:
			n.seen[name]++
		case <-ctx.Done():
			t.Fatalf("got %d names: %v", len(n.seen), ctx.Err())
		}
	}
}

// TestModes checks that both informers read 100 objects in every mode and encoding, and
// the event that ends a churn.
func TestModes(t *testing.T) {
	const n = 100
	for _, mode := range []serve.Mode{serve.Streaming, serve.Paged, serve.Plain, serve.Trickle} {
		for _, enc := range []workload.Encoding{workload.Protobuf, workload.JSON, workload.CBOR} {
			for _, name := range []string{"vedette", "client-go", "client-go-dynamic"} {
				t.Run(fmt.Sprintf("%s/%s/%s", mode, enc, name), func(t *testing.T) {
					kind := "pods"
					if mode == serve.Trickle {
						kind = "sparse"
					}
					check(t, name, kind, n, enc, mode)
				})
			}
		}
	}
}

func check(t *testing.T, name, kindName string, n int, enc workload.Encoding, mode serve.Mode) {
	t.Helper()
	c, err := contest.Of(name)
	if err != nil {
		t.Fatal(err)
	}
	kind, err := workload.Of(kindName)
	if err != nil {
		t.Fatal(err)
	}
	form := c.Form(enc)
	url := start(t, serve.Spec{Mode: mode, Page: 30, Sets: []serve.SetSpec{{
		Kind: kindName, N: n, Forms: []workload.Form{form},
		Churn: workload.Churn{Sort: workload.Heartbeats, Events: n},
	}}})
	ctx := patience.Context(t, "all events")
	got := names{told: make(chan string, 10*n), seen: map[string]int{}}
	cache, err := c.Open(contest.Env{
		URL: url, Kinds: []workload.Kind{kind}, Objects: c.Objects, Encoding: form.Encoding, Mode: mode,
		Handlers: []contest.Handler{{Told: func(name string, _ int64) { got.told <- name }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	running, stop := context.WithCancel(ctx)
	go func() { done <- cache.Run(running) }()
	got.until(t, ctx, func() bool { return len(got.seen) == n })
	for i := range n {
		if want := kind.New(0, i).GetName(); got.seen[want] != 1 {
			t.Fatalf("%s: got %d events", want, got.seen[want])
		}
	}
	<-cache.Synced()
	if cache.Len() != n {
		t.Errorf("it has %d objects, want %d", cache.Len(), n)
	}
	resp, err := http.Post(url+"/bench/start", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	got.until(t, ctx, func() bool { return got.seen[workload.EndName] > 0 })
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	for _, spec := range []serve.SetSpec{
		{Kind: "unheard-of"},
		{Kind: "pods", N: 10, Churn: workload.Churn{Sort: workload.Deletion, Events: 11}},
		{Kind: "widgets", N: 1, Forms: []workload.Form{{Encoding: workload.Protobuf}}},
		{Kind: "pods", N: 1, Forms: []workload.Form{{Encoding: "smoke"}}},
	} {
		if _, err := serve.New(serve.Spec{Sets: []serve.SetSpec{spec}}); err == nil {
			t.Errorf("%+v was not refused", spec)
		}
	}
	url := start(t, serve.Spec{Mode: serve.Paged, Sets: []serve.SetSpec{{Kind: "pods", N: 3, Forms: []workload.Form{{Encoding: workload.JSON}}}}})
	for path, want := range map[string]int{
		"/api/v1/nodes": 404,
		"/api/v1/pods":  200,
		"/api/v1/pods?watch=true&sendInitialEvents=true": 422,
		"/api/v1/pods?limit=2&continue=7":                400,
	} {
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, resp.StatusCode, want)
		}
	}
}
