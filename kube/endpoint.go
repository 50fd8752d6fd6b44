package kube

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/wire"
)

// endpoint is the part of a client that does not depend on its type. It finds the
// resource and sends requests for it.
type endpoint struct {
	cluster *Cluster
	cfg     ClientConfig
	target  Target
	// encoding is JSONOnly for a type without protobuf. noProtobuf is set if the server
	// does not accept protobuf. lacksFields is set once the server has sent fields in
	// protobuf that the Go type lacks.
	encoding    Encoding
	noProtobuf  atomic.Bool
	lacksFields atomic.Bool

	resolved atomic.Pointer[Resource] // nil until the type is found
}

// call is one request for a resource.
type call struct {
	verb, method string
	key          wire.Key // without a name for collections and creations
	sub          string   // subresource
	query        url.Values
	body         []byte
	contentType  string
	accept       string
}

// response is the answer of a server to a call.
type response struct {
	resource Resource
	encoding wire.Encoding
	body     []byte // protobuf without its envelope
}

// resource is lookup for a verb that the server must offer.
func (e *endpoint) resource(ctx context.Context, verb string) (Resource, error) {
	r, err := e.lookup(ctx, verb)
	if err == nil && !r.Can(verb) {
		gr := schema.GroupResource{Group: r.Group, Resource: r.Name}
		err = e.requestError(verb, r, wire.Key{}, apierrors.NewMethodNotSupported(gr, verb))
	}
	return r, err
}

// lookup returns the type, and runs discovery if the type is unknown. The verb is for errors.
func (e *endpoint) lookup(ctx context.Context, verb string) (Resource, error) {
	if e == nil || e.cluster == nil {
		return Resource{}, &errcode.Error{Code: errcode.Invalid, Problem: "the client is nil or has no cluster", Remedy: "use the result of kube.For"}
	}
	if ctx == nil {
		return Resource{}, e.requestError(verb, Resource{}, wire.Key{}, &errcode.Error{Code: errcode.Invalid, Problem: "the context is nil"})
	}
	r := e.resolved.Load()
	if r == nil {
		found, err := e.cluster.awaitType(ctx, e.target)
		if err != nil {
			return Resource{}, e.requestError(verb, Resource{}, wire.Key{}, err)
		}
		r = &found
		e.resolved.Store(r)
	}
	return *r, nil
}

// checkScope returns an error if a key has a namespace and the type is cluster-scoped, or
// the reverse.
func (e *endpoint) checkScope(r Resource, key wire.Key) error {
	switch {
	case r.Scope == ClusterScoped && key.Namespace != "":
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%s are cluster-scoped, but the key has the namespace %q", r, key.Namespace), Remedy: "leave the namespace empty"}
	case r.Scope == Namespaced && key.Namespace == "":
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%s are namespaced, but the key has no namespace", r), Remedy: "set the namespace"}
	case r.Scope == Namespaced:
		return CheckNamespace(key.Namespace)
	}
	return nil
}

// send sends a call, repeats it while the server is busy (429), and returns the answer.
func (e *endpoint) send(ctx context.Context, r Resource, c call) (response, error) {
	path := r.path(c.key.Namespace)
	for _, step := range []string{c.key.Name, c.sub} {
		if step != "" {
			path = append(path, step)
		}
	}
	a := response{resource: r}
	u, err := e.cluster.address(path...)
	if err != nil {
		return a, e.requestError(describeVerb(c), r, c.key, err)
	}
	u.RawQuery = c.query.Encode()
	err = e.cluster.retryBusy(ctx, func() error {
		ctx, cancel := e.cluster.withTimeout(ctx)
		defer cancel()
		resp, err := e.cluster.roundTrip(ctx, c.method, u, c.body, c.contentType, c.accept)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode/100 != 2 {
			return statusError(resp, c.verb, r)
		}
		return a.readFrom(resp)
	})
	if err == nil {
		return a, nil
	}
	if apierrors.IsNotFound(err) && !concernsObject(err) {
		e.resolved.Store(nil) // the type may come back as another version
		e.cluster.discovery.forget(r)
	}
	return a, e.requestError(describeVerb(c), r, c.key, err)
}

// withTimeout returns a context that ends after the timeout of the configuration, if
// it has one.
func (c *Cluster) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, c.timeout)
}

// describeVerb returns the name of the operation for messages.
func describeVerb(c call) string {
	if c.sub == "" {
		return c.verb
	}
	return c.verb + " " + c.sub + " of"
}

// concernsObject reports whether a Status is about one object, and not about a path that
// does not exist.
func concernsObject(err error) bool {
	var refused apierrors.APIStatus
	if !errors.As(err, &refused) {
		return false
	}
	d := refused.Status().Details
	return d != nil && d.Name != ""
}

// roundTrip sends one request. The caller must close the body of the answer.
func (c *Cluster) roundTrip(ctx context.Context, method string, u *url.URL, body []byte, contentType, accept string) (*http.Response, error) {
	if err := c.throttle(ctx); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		req.Body, req.GetBody = nil, nil
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	resp, err := c.http.Do(req)
	if failed, ok := err.(*url.Error); ok {
		err = failed.Err
	}
	if err == nil {
		c.warnings.report(ctx, c.Host(), resp.Header)
	}
	return resp, err
}

// readFrom reads the body of an answer.
func (a *response) readFrom(resp *http.Response) (err error) {
	a.encoding, err = wire.EncodingOf(resp.Header.Get("Content-Type"))
	if err != nil {
		return &notServerError{err}
	}
	a.body, err = io.ReadAll(io.LimitReader(resp.Body, wire.DefaultMaxRecord+1))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if len(a.body) > wire.DefaultMaxRecord {
		return &wire.TooLargeError{Limit: wire.DefaultMaxRecord}
	}
	if a.encoding == wire.Protobuf {
		a.body, err = openEnvelope(a.body)
	}
	return err
}
