package informer

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/guard"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// These constants spread the comparison of a snapshot file over time, because many programs
// may start at once.
const (
	checkDelay    = 2 * time.Minute // the shortest; the longest is three times as long
	checkPage     = 500
	checkInterval = time.Second // between two pages
	checkTimeout  = time.Minute // of a page
	checkRetry    = 5 * time.Minute
)

// contentCheck compares the objects of a snapshot file with those that the server shows. A
// watch that resumes at the version of the file does not report other content at the same
// version. The check reads the list in pages, and passes on the objects whose UID and version
// the store has; the store compares their content. Other differences are left to the watch.
//
// contentCheck is the sink of the reflector. A list of the reflector makes the check
// unnecessary.
type contentCheck struct {
	source reflector.Source
	scope  delta.Scope
	store  *store.Store
	wire   wire.Options
	sink   reflector.Sink
	log    *faultlog.Reporter

	mu     sync.Mutex // held while the check puts a delta, and at the begin of a list
	listed bool
}

// errListed ends the check because the reflector lists.
var errListed = errors.New("informer: the reflector lists")

// Put implements reflector.Sink.
func (c *contentCheck) Put(ctx context.Context, d delta.Delta) error {
	if d.Kind == delta.Begin {
		c.mu.Lock()
		c.listed = true
		c.mu.Unlock()
	}
	return c.sink.Put(ctx, d)
}

// run checks once, and tries again after a failure. It returns when ctx is done.
func (c *contentCheck) run(ctx context.Context, order func() delta.Order) {
	defer c.log.Stop()
	for wait := checkDelay + rand.N(2*checkDelay); pause.For(ctx, wait) == nil; wait = checkRetry {
		if order() == delta.ByArrival {
			return // each watch is followed by a list
		}
		err := guard.Call(func() error { return c.compare(ctx) })
		switch {
		case ctx.Err() != nil || errors.Is(err, errListed):
			return
		case err == nil:
			c.log.See(faultlog.State{})
			<-ctx.Done() // the log may write the end of the fault a moment later
			return
		}
		c.log.See(faultlog.State{Kind: "compare", Err: err, Remedy: kube.Remedy(err)})
	}
}

// compare reads all pages.
func (c *contentCheck) compare(ctx context.Context) error {
	for token := ""; ; {
		next, err := c.page(ctx, token)
		if err != nil || next == "" {
			return err
		}
		if token = next; pause.For(ctx, checkInterval) != nil {
			return context.Cause(ctx)
		}
	}
}

// page reads one page, and returns the token of the next one.
func (c *contentCheck) page(ctx context.Context, token string) (next string, err error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	stream, err := c.source.List(ctx, metav1.ListOptions{Limit: checkPage, Continue: token})
	if err != nil {
		return "", err
	}
	defer stream.Body.Close()
	opts := c.wire
	opts.APIVersion, opts.Kind, opts.UIDs, opts.Opaque = stream.APIVersion, stream.Kind, stream.UIDs, true
	list := wire.NewListReader(stream.Body, stream.Encoding, opts)
	for {
		rec, err := list.Next()
		var invalid *wire.InvalidError
		switch {
		case err == io.EOF:
			return list.Meta().Continue, nil
		case errors.As(err, &invalid):
			continue
		case err == nil:
			err = c.object(ctx, rec)
		}
		if err != nil {
			return "", err
		}
	}
}

// object passes on an object if the store has it with the same UID and version.
func (c *contentCheck) object(ctx context.Context, rec wire.Record) error {
	rec.Cluster = c.scope.Cluster
	e, ok := c.store.Snapshot().Get(rec.Key)
	if !ok || e.UID() != rec.UID || e.Version() != rec.Version {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.listed {
		return errListed
	}
	return c.sink.Put(ctx, delta.Delta{Kind: delta.Upsert, Scope: c.scope, Version: rec.Version, Record: rec, Seen: time.Now()})
}
