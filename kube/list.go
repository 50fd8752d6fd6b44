package kube

import (
	"context"
	"errors"
	"io"
	"iter"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// Where selects objects of a type. The zero value selects all objects.
type Where struct {
	// Namespace limits the list or watch to one namespace; default all. It must be
	// empty for cluster-scoped types. An invalid namespace name is an error.
	Namespace string
	// LabelSelector and FieldSelector select objects, in the syntax of kubectl.
	LabelSelector, FieldSelector string
}

// List returns the current objects in the order of the server, one page at a time. It
// requests a page when the loop reaches it, reads the page to its end, and then decodes
// object by object, so it holds neither the whole list nor an open connection while the
// loop body runs. All pages show the instant of the first page; ClientConfig.OnExpired
// determines what happens if the server no longer has that instant.
//
// Errors: one error, with no object, ends the sequence: a *RequestError, for which
// apierrors.IsResourceExpired may hold. If the server repeats the token of a page, or
// sends ten pages without objects, List fails because the list would never end.
func (c *Client[T]) List(ctx context.Context, where Where) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		if _, err := c.list(ctx, where, c.endpointOrNil().onExpired(), func(obj *T) bool { return yield(obj, nil) }); err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}

// Collect returns the objects of List as a slice. Use it only for short lists. If there
// is an error, it returns the objects before the error as well.
func Collect[T any](objects iter.Seq2[*T, error]) ([]*T, error) {
	var all []*T
	for obj, err := range objects {
		if err != nil {
			return all, err
		}
		all = append(all, obj)
	}
	return all, nil
}

// maxEmptyPages is how many consecutive pages of a list may have no object.
const maxEmptyPages = 10

// errEndless is the error for a list that does not end.
var errEndless = errors.New("the list does not end: the server repeats the token of a page or sends only empty pages")

// errStopped reports that the caller has left the loop over a sequence.
var errStopped = errors.New("the caller stopped the iteration")

// list calls each for every object, until each returns false; then the error is
// errStopped. It returns the version of the list.
func (c *Client[T]) list(ctx context.Context, where Where, onExpired OnExpired, each func(*T) bool) (wire.Version, error) {
	r, coll, err := c.endpointOrNil().collection(ctx, "list", where)
	if err != nil {
		return 0, err
	}
	next := ""
	seen, empty := map[string]bool{}, 0
	for {
		records, meta, err := c.page(ctx, coll, next)
		if token := inconsistentToken(err, next); token != "" && onExpired == ContinueInconsistent {
			next = token
			continue
		}
		if err != nil {
			return 0, c.streamError("list", r, err, next)
		}
		for i, rec := range records {
			records[i] = wire.Record{} // release the encoded object
			obj, err := c.decodeRecord(rec, r)
			if err != nil {
				return 0, c.requestError("list", r, rec.Key, err)
			}
			if !each(obj) {
				return 0, errStopped
			}
		}
		if meta.Continue == "" {
			return meta.Version, nil
		}
		if empty++; len(records) > 0 {
			empty = 0
		}
		if seen[meta.Continue] || empty == maxEmptyPages {
			return 0, c.requestError("list", r, wire.Key{}, errEndless)
		}
		next, seen[meta.Continue] = meta.Continue, true
	}
}

// page reads one page.
func (e *endpoint) page(ctx context.Context, coll *Collection, next string) (records []wire.Record, meta wire.ListMeta, err error) {
	var stream wire.Stream
	err = e.cluster.retryBusy(ctx, func() (err error) {
		if err = e.cluster.throttle(ctx); err != nil {
			return err
		}
		stream, err = coll.List(ctx, metav1.ListOptions{Limit: int64(e.cfg.PageSize), Continue: next})
		return err
	})
	if err != nil {
		return nil, meta, err
	}
	defer stream.Body.Close()
	l := wire.NewListReader(stream.Body, stream.Encoding, wire.Options{
		APIVersion: stream.APIVersion, Kind: stream.Kind, ManagedFields: wire.KeepManagedFields,
	})
	for {
		rec, err := l.Next()
		if err == io.EOF {
			return records, l.Meta(), nil
		}
		if err != nil {
			return nil, meta, err
		}
		records = append(records, rec)
	}
}

// onExpired returns the OnExpired of the configuration.
func (e *endpoint) onExpired() OnExpired {
	if e == nil {
		return FailExpired
	}
	return e.cfg.OnExpired
}

// inconsistentToken returns the token with which a list whose version has expired can
// continue in the current state. It returns "" if the list cannot continue.
func inconsistentToken(err error, next string) string {
	var refused apierrors.APIStatus
	if next == "" || !expired(err) || !errors.As(err, &refused) {
		return ""
	}
	if token := refused.Status().Continue; token != next {
		return token
	}
	return ""
}

// streamError adds the operation and the remedy to an error of a list or a watch.
func (e *endpoint) streamError(verb string, r Resource, err error, next string) error {
	err = e.requestError(verb, r, wire.Key{}, err)
	failed := (*RequestError)(nil)
	if !errors.As(err, &failed) {
		return err
	}
	switch {
	case apierrors.IsNotFound(err):
		e.resolved.Store(nil) // the type may come back as another version
		e.cluster.discovery.forget(r)
		failed.Remedy = remedyFor(err, verb, r)
	case verb == "watch" && expired(err):
		failed.Remedy = "the server no longer has the changes since that version: watch again from 0"
	case next != "" && expired(err):
		failed.Remedy = "start the list again and read faster, or set ClientConfig.OnExpired to kube.ContinueInconsistent"
	}
	return err
}

// expired reports whether a server no longer has the requested version.
func expired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// collection returns the resource and the collection that where selects.
func (e *endpoint) collection(ctx context.Context, verb string, where Where) (Resource, *Collection, error) {
	r, err := e.resource(ctx, verb)
	if err != nil {
		return r, nil, err
	}
	coll, err := e.cluster.collection(r, Selection{
		Namespace: where.Namespace, LabelSelector: where.LabelSelector, FieldSelector: where.FieldSelector,
		View: e.target.view, Encoding: e.encoding,
	})
	if err != nil {
		return r, nil, e.requestError(verb, r, wire.Key{}, err)
	}
	return r, coll, nil
}
