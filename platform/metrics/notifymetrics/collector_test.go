package notifymetrics_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/vedette-io/vedette/platform/metrics/notifymetrics"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// source has a broken channel, and a channel that is only in the database.
func source(err error) notifymetrics.Source {
	s := notify.SendStats{Sent: 4, Temporary: 3, Throttled: 2, Permanent: 1, Disabled: 6, Composing: 5, Dead: 7, Rescued: 8, Lost: 9, Active: 10}
	s.Latency.Buckets[1], s.Latency.Sum = 3, 24*time.Millisecond
	s.Lag.Buckets[len(notify.LatencyBounds)] = 1
	s.Channel = delivery.Channel{Failures: 6, Cause: delivery.Broken, PausedUntil: time.Now().Add(time.Hour), DisabledAt: time.Now()}
	return notifymetrics.Source{
		Stats: func() map[string]notify.SendStats { return map[string]notify.SendStats{"chat": s} },
		Counts: func(context.Context) ([]delivery.Count, error) {
			return []delivery.Count{
				{Channel: "chat", State: delivery.Waiting, N: 12, Oldest: time.Now().Add(-time.Minute)},
				{Channel: "chat", State: delivery.Dead, N: 13, Oldest: time.Now().Add(-time.Hour)},
				{Channel: "gone", State: delivery.Behind, N: 14, Oldest: time.Now()},
			}, err
		},
	}
}

func TestCollector(t *testing.T) {
	c := notifymetrics.New(source(nil))
	if problems, err := testutil.CollectAndLint(c); err != nil || len(problems) > 0 {
		t.Errorf("got problems %v and error %v, want neither", problems, err)
	}
	want := `
# HELP vedette_notify_deliveries Deliveries in the database that are not sent, by state: held, behind, waiting, sending, dead.
# TYPE vedette_notify_deliveries gauge
vedette_notify_deliveries{channel="chat",state="behind"} 0
vedette_notify_deliveries{channel="chat",state="dead"} 13
vedette_notify_deliveries{channel="chat",state="held"} 0
vedette_notify_deliveries{channel="chat",state="sending"} 0
vedette_notify_deliveries{channel="chat",state="waiting"} 12
vedette_notify_deliveries{channel="gone",state="behind"} 14
vedette_notify_deliveries{channel="gone",state="dead"} 0
vedette_notify_deliveries{channel="gone",state="held"} 0
vedette_notify_deliveries{channel="gone",state="sending"} 0
vedette_notify_deliveries{channel="gone",state="waiting"} 0
# HELP vedette_notify_tries_total Tries of this process, by result: sent, temporary, throttled, permanent, disabled, composing.
# TYPE vedette_notify_tries_total counter
vedette_notify_tries_total{channel="chat",result="composing"} 5
vedette_notify_tries_total{channel="chat",result="disabled"} 6
vedette_notify_tries_total{channel="chat",result="permanent"} 1
vedette_notify_tries_total{channel="chat",result="sent"} 4
vedette_notify_tries_total{channel="chat",result="temporary"} 3
vedette_notify_tries_total{channel="chat",result="throttled"} 2
# HELP vedette_notify_disabled 1 if the endpoint reported that it no longer exists; otherwise 0.
# TYPE vedette_notify_disabled gauge
vedette_notify_disabled{channel="chat"} 1
# HELP vedette_notify_failures Failures of the channel since its last success, in all processes.
# TYPE vedette_notify_failures gauge
vedette_notify_failures{channel="chat"} 6
# HELP vedette_notify_database_up 1 if the database answered this collection; otherwise 0.
# TYPE vedette_notify_database_up gauge
vedette_notify_database_up 1
`
	names := []string{"vedette_notify_deliveries", "vedette_notify_tries_total", "vedette_notify_disabled", "vedette_notify_failures", "vedette_notify_database_up"}
	if err := testutil.CollectAndCompare(c, strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}
	for name, n := range map[string]int{"oldest_seconds": 2, "paused_seconds": 2, "latency_seconds": 1, "lag_seconds": 1, "dead_total": 1, "rescued_total": 1, "lost_total": 1, "active": 1} {
		if got := testutil.CollectAndCount(c, "vedette_notify_"+name); got != n {
			t.Errorf("%s: %d series, want %d", name, got, n)
		}
	}
}

func TestCollectorWithoutDatabase(t *testing.T) {
	c := notifymetrics.New(source(errors.New("away")))
	if n := testutil.CollectAndCount(c, "vedette_notify_deliveries", "vedette_notify_oldest_seconds"); n != 0 {
		t.Errorf("%d series without a database", n)
	}
	if err := testutil.CollectAndCompare(c, strings.NewReader("# HELP vedette_notify_database_up 1 if the database answered this collection; otherwise 0.\n# TYPE vedette_notify_database_up gauge\nvedette_notify_database_up 0\n"), "vedette_notify_database_up"); err != nil {
		t.Error(err)
	}
}
