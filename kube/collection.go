package kube

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion/queryparams"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/wire"
)

// View determines how much of each object is fetched.
type View uint8

const (
	// Full fetches whole objects.
	Full View = iota
	// Metadata fetches metadata only: metav1.PartialObjectMetadata.
	Metadata
)

// Selection selects the objects of a type and the part of each object to fetch. The zero
// value selects all objects with all fields.
type Selection struct {
	// Namespace limits the selection to one namespace; default all. It must be empty
	// for cluster-scoped types. An invalid namespace name is an error.
	Namespace string
	// LabelSelector and FieldSelector select objects, in the syntax of kubectl.
	LabelSelector, FieldSelector string
	// UIDs selects one of several equal parts of the objects, by a hash of their UIDs. The
	// request has the selector of KEP-5866. A server without it sends all objects, and the
	// readers of the stream skip the others; see wire.Options.
	UIDs     wire.UIDRange
	View     View
	Encoding Encoding
}

// Collection is the objects of one type that a selection selects. It can be listed and
// watched.
type Collection struct {
	cluster   *Cluster
	resource  Resource
	selection Selection
}

// Collection returns a collection. It sends nothing to the server.
//
// Errors: errcode.Invalid for an invalid name or selector, for a namespace with a
// cluster-scoped type; *UnwatchableError for a type that cannot be listed and watched.
func (c *Cluster) Collection(r Resource, s Selection) (*Collection, error) {
	coll, err := c.collection(r, s)
	if err != nil {
		return nil, err
	}
	if !r.Can("list") || !r.Can("watch") {
		return nil, &UnwatchableError{Host: c.Host(), Resource: r}
	}
	return coll, nil
}

// collection is Collection without the check of the verbs.
func (c *Cluster) collection(r Resource, s Selection) (*Collection, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	if r.Scope == ClusterScoped && s.Namespace != "" {
		return nil, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%s are cluster-scoped, but the selection names the namespace %q", r, s.Namespace), Remedy: "leave the namespace empty"}
	}
	return &Collection{cluster: c, resource: r, selection: s}, nil
}

// Resource returns the type of the collection.
func (c *Collection) Resource() Resource { return c.resource }

// List opens a list, or the page of it that opts selects. The selectors of the collection
// replace those in opts. The caller must close the stream.
//
// Errors: as in the package documentation.
func (c *Collection) List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	opts.Watch = false
	return c.open(ctx, "list", opts)
}

// Watch opens a watch, or a streaming list if opts request one. The selectors of the
// collection replace those in opts. The caller must close the stream.
//
// Errors: as in the package documentation.
func (c *Collection) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	opts.Watch = true
	return c.open(ctx, "watch", opts)
}

func (c *Collection) open(ctx context.Context, verb string, opts metav1.ListOptions) (wire.Stream, error) {
	req, err := c.request(ctx, verb, opts)
	if err != nil {
		return wire.Stream{}, c.wrap(verb, err)
	}
	resp, err := c.cluster.http.Do(req)
	if err != nil {
		return wire.Stream{}, c.wrap(verb, err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return wire.Stream{}, c.wrap(verb, statusError(resp, verb, c.resource))
	}
	enc, err := wire.EncodingOf(resp.Header.Get("Content-Type"))
	if err == nil && !c.selection.Encoding.asksFor(enc) {
		err = fmt.Errorf("its encoding is %s, which the request did not accept", enc)
	}
	if err != nil {
		resp.Body.Close()
		return wire.Stream{}, c.wrap(verb, &notServerError{err})
	}
	stream := wire.Stream{Body: resp.Body, Encoding: enc, APIVersion: c.resource.APIVersion(), Kind: c.resource.Kind, UIDs: c.selection.UIDs}
	if c.selection.View == Metadata {
		stream.APIVersion, stream.Kind = "meta.k8s.io/v1", "PartialObjectMetadata"
	}
	return stream, nil
}

func (c *Collection) request(ctx context.Context, verb string, opts metav1.ListOptions) (*http.Request, error) {
	query, err := c.query(opts)
	if err != nil {
		return nil, err
	}
	u, err := c.cluster.address(c.resource.path(c.selection.Namespace)...)
	if err != nil {
		return nil, err
	}
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", c.accept(verb))
	return req, nil
}

// query returns opts, with the selectors of the collection, as URL parameters.
func (c *Collection) query(opts metav1.ListOptions) (url.Values, error) {
	opts.LabelSelector, opts.FieldSelector = c.selection.LabelSelector, c.selection.FieldSelector
	query, err := queryparams.Convert(&opts)
	if err == nil && !c.selection.UIDs.IsAll() {
		query.Set("shardSelector", c.selection.UIDs.Selector())
	}
	return query, err
}

// accept returns the Accept header: the encodings that we can decode, best first. It
// needs no knowledge of the type, because a server that has no protobuf for a type
// answers in JSON.
func (c *Collection) accept(verb string) string {
	as := ""
	if c.selection.View == Metadata {
		as = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
		if verb == "watch" {
			as = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
		}
	}
	json := wire.MediaTypeJSON + as
	switch c.selection.Encoding {
	case JSONOnly:
		return json
	case PreferCBOR:
		return wire.MediaTypeCBOR + as + "," + json
	}
	return wire.MediaTypeProtobuf + as + "," + json
}

// wrap adds the operation to an error. It leaves out the address, because errors of
// net/http already contain it with all parameters.
func (c *Collection) wrap(verb string, err error) error {
	if u, ok := err.(*url.Error); ok {
		err = u.Err
	}
	return &RequestError{Host: c.cluster.Host(), Verb: verb, Resource: c.resource.String(), Err: err}
}
