package portal_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	bench "github.com/vedette-io/vedette/bench/portal"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/world/recordworld"
)

// gateJobs is the number of jobs in the history of the gates.
const gateJobs = 20_000

// gates are limits of the allocations of requests: 10% above the values at the time of the
// last change. Times have no limits, because machines differ.
var gates = []struct {
	name                string
	path                string
	allocations, kbytes float64 // per request
	answer              float64 // KB per answer
}{
	{"list", "/jobs", 2300, 390, 55},
	{"list, filtered", "/jobs?label=team=llm&owner=user-1*", 2520, 400, 60},
	{"list, searched", "/jobs?q=llama", 2470, 395, 60},
	{"list, sorted", "/jobs?sort=-waited", 2530, 400, 62},
	{"list, as of a time", "/jobs?at=360h", 6450, 710, 51},
	{"counts", "/jobs/counts?window=7d", 220, 25, .3},
	{"timeline, 24 h", "/timeline?group=queue", 5920, 1480, 154},
	{"timeline, 7 d", "/timeline?from=7d&group=queue", 6180, 1510, 161},
	{"statistics, 7 d", "/stats?from=7d&queue=!none-%d", 200_000, 16_200, 54}, // no answer comes from a cache
}

// TestGates fails if a request allocates more than the limit, or an answer is larger.
func TestGates(t *testing.T) {
	h := portalOf(t)
	for _, g := range gates {
		t.Run(g.name, func(t *testing.T) {
			allocations, bytes, answer := cost(t, h, "/api/v1"+g.path)
			t.Logf("%.0f allocations, limit %.0f; %.1f KB, limit %.1f; an answer of %.1f KB, limit %.1f", allocations, g.allocations, bytes/1e3, g.kbytes, answer/1e3, g.answer)
			if allocations > g.allocations || bytes/1e3 > g.kbytes || answer/1e3 > g.answer {
				t.Error("a request exceeds a limit: if this is worth it, change the limit and explain why")
			}
		})
	}
}

// cost returns the allocations of a request, and the length of its answer: the minimum of a
// few requests, because the portal also follows the feed meanwhile.
func cost(t *testing.T, h http.Handler, path string) (allocations, bytes, answer float64) {
	t.Helper()
	const times, each = 5, 5
	for run := range times {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		size := 0
		for i := range each {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, request(strings.ReplaceAll(path, "%d", fmt.Sprint(run*each+i))))
			if size = w.Body.Len(); w.Code != http.StatusOK {
				t.Fatalf("%s: %d: %.300s", path, w.Code, w.Body)
			}
		}
		runtime.ReadMemStats(&after)
		a, b := float64(after.Mallocs-before.Mallocs)/each, float64(after.TotalAlloc-before.TotalAlloc)/each
		if run == 0 || a < allocations {
			allocations = a
		}
		if run == 0 || b < bytes {
			bytes = b
		}
		answer = float64(size)
	}
	return allocations, bytes, answer
}

// request returns a request from this machine, as a portal without sign-in requires.
func request(path string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:50000"
	return r
}

// portalOf returns a portal with a history. It runs until the test ends.
func portalOf(t *testing.T) http.Handler {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+t.TempDir()+"/history.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := recordworld.Fill(t.Context(), db, recordworld.Config{Seed: 1, Jobs: gateJobs, Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	p, err := portal.New(portal.Config{DB: db, Version: "bench", Identity: identity.Config{InsecureLoopback: true}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var work sync.WaitGroup
	work.Go(func() { _ = p.Run(ctx) }) // it returns only the cause of ctx
	t.Cleanup(func() { cancel(); work.Wait() })
	s := httptest.NewServer(p.Handler())
	defer s.Close()
	if err := bench.Settled(t.Context(), s.URL); err != nil {
		t.Fatal(err)
	}
	return p.Handler()
}
