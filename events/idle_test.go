package events_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/events"
	"github.com/vedette-io/vedette/kube"
)

// TestNotRunning: Events that wait for a publisher that does not run are logged once, and so
// is its start. Events after its Run are logged too. Stats has the reason.
func TestNotRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster, err := kube.Connect(kube.Config{REST: apitest.Start(t).RESTConfig()})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		var log bytes.Buffer // only one goroutine writes at a time
		pub, err := events.New(events.Config{Cluster: cluster, Controller: "example.com/trainjobs", Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		want := func(when, problem string, lines ...string) {
			t.Helper()
			got := strings.Split(strings.TrimSuffix(log.String(), "\n"), "\n")
			if log.Reset(); len(lines) == 0 {
				lines = []string{""}
			}
			if len(got) != len(lines) {
				t.Fatalf("%s: got log %q, want %q", when, got, lines)
			}
			for i := range lines {
				if !strings.Contains(got[i], lines[i]) {
					t.Errorf("%s: got log %q, want %q", when, got, lines)
				}
			}
			if why := pub.Stats().NotRun; problem == "" && why != nil || problem != "" && (why == nil || !strings.Contains(why.Error(), problem)) {
				t.Errorf("%s: got NotRun %v, want %q", when, why, problem)
			}
		}
		pass(time.Hour)
		want("without Events", "not running")
		for range 3 {
			pub.Normal(pod("a"), "Started", "Start", "one")
			pass(4 * time.Second)
		}
		want("before Run", "not running", "Events are not sent")
		pass(time.Hour)
		want("an hour later", "not running")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- pub.Run(ctx) }()
		pass(time.Minute)
		want("in Run", "", "running now")
		pub.Normal(pod("b"), "Started", "Start", "one")
		pass(time.Minute)
		want("an Event in Run", "")
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		pass(time.Minute)
		want("after Run", "has ended")
		pub.Normal(pod("c"), "Started", "Start", "one")
		pass(time.Minute)
		want("an Event after Run", "has ended", "Run of the publisher has ended")
	})
}
