package recordtest

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/reflector"
)

// cluster is an API server that a recorder follows.
type cluster struct {
	*database
	srv  *apitest.Server
	conn *kube.Cluster
	h    *history.History
}

func newCluster(t *testing.T, d *database) *cluster {
	t.Helper()
	d.migrate()
	srv, err := apitest.New(apitest.Config{BookmarkInterval: 50 * time.Millisecond}) // a recorder that resumes at the end receives only bookmarks
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	conn, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	c := &cluster{d, srv, conn, history.New(d.DB)}
	c.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	return c
}

func (c *cluster) create(o apitest.Object) {
	c.t.Helper()
	if _, err := c.srv.Create(o); err != nil {
		c.t.Fatal(err)
	}
}

func pod(name, team string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ml", Name: name, Labels: map[string]string{"app": "train", "team": team}, Annotations: map[string]string{"vedette.io/user": "ann-" + team},
	}}
}

func (c *cluster) modify(name string, change func(p *corev1.Pod)) {
	c.t.Helper()
	if _, err := apitest.Modify(c.srv, pod(name, ""), change); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) phase(name string, phase corev1.PodPhase) {
	c.t.Helper()
	c.modify(name, func(p *corev1.Pod) { p.Status.Phase = phase })
}

func (c *cluster) remove(name string) {
	c.t.Helper()
	if err := c.srv.Delete(pod(name, "")); err != nil {
		c.t.Fatal(err)
	}
}

// record runs a recorder of pods until stop is called.
func (c *cluster) record(name string) (stop func()) {
	c.t.Helper()
	r, err := record.New(c.DB, record.Config{
		Cluster: c.conn, Name: name, Targets: []record.Target{{Type: "pods"}}, Logger: slog.New(slog.DiscardHandler),
		Reflector: reflector.Config{MinBackoff: time.Millisecond, MaxBackoff: 10 * time.Millisecond, SlowRetry: 20 * time.Millisecond},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(c.t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := patience.Receive(c.t, "the end of a recorder", done); err != nil {
			c.t.Error(err)
		}
	})
	c.t.Cleanup(stop)
	return stop
}

// covered waits until a recorder has coverage up to the server's version.
func (c *cluster) covered(name string) {
	c.t.Helper()
	c.until(name+" has come to the last version", func() bool {
		return c.number("SELECT COALESCE(MAX(to_version), 0) FROM coverage WHERE recorder = ?", name) >= int64(c.srv.Version())
	})
}

func (c *cluster) until(what string, holds func() bool) {
	c.t.Helper()
	for end := time.Now().Add(2 * sqldb.Timeout); !holds(); pause(c.t, 20*time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("not after %v: %s", 2*sqldb.Timeout, what)
		}
	}
}

// allPages reads all pages of a list, a few items each.
func allPages[T any](t *testing.T, order history.Order, list func(context.Context, history.Paging) (history.Page[T], error)) (items []T) {
	t.Helper()
	for item, err := range history.All(t.Context(), history.Paging{Limit: 3, Order: order}, list) {
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	return items
}

// changes returns "name from>to" for the transitions that a filter selects.
func (c *cluster) changes(f history.Filter, order history.Order) (lines []string) {
	c.t.Helper()
	for _, one := range allPages(c.t, order, func(ctx context.Context, p history.Paging) (history.Page[history.Change], error) {
		return c.h.ListTransitions(ctx, f, p)
	}) {
		lines = append(lines, fmt.Sprintf("%s %s>%s", one.Object.Name, one.From, one.To))
	}
	return lines
}

func (c *cluster) object(name string) history.Object {
	c.t.Helper()
	found := allPages(c.t, history.NewestFirst, func(ctx context.Context, p history.Paging) (history.Page[history.Object], error) {
		return c.h.Objects(ctx, history.ObjectName{Type: history.Type{Resource: "pods"}, Namespace: "ml", Name: name}, p)
	})
	if len(found) == 0 {
		c.t.Fatalf("nothing is recorded of %s", name)
	}
	return found[0]
}
