package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/version"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/wire"
)

// Request is an HTTP request for everything that a Client does not support: the log of a
// pod, an eviction, a token, a subresource of a custom type.
type Request struct {
	// Method is the HTTP method; default GET.
	Method string
	// Path begins with "/", as in "/api/v1/namespaces/ml/pods/train-0/log". It is sent
	// unchanged: escape untrusted names in it with url.PathEscape. A path with the
	// segment "." or ".." is rejected.
	Path string
	// Query has the URL parameters.
	Query url.Values
	// Body is the body of the request, and ContentType its media type; default JSON.
	Body        []byte
	ContentType string
	// Accept lists the acceptable media types; default any.
	Accept string
}

// Do sends a request once, with the credentials of the cluster, and returns the body of
// the answer, which the caller must close. The context also governs the reading of the
// body.
//
// Errors: *RequestError; it wraps the Status of an answer whose code is not 200 to 299.
func (c *Cluster) Do(ctx context.Context, r Request) (io.ReadCloser, error) {
	resp, err := c.do(ctx, r)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

func (c *Cluster) do(ctx context.Context, r Request) (*http.Response, error) {
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	failed := func(err error) error {
		return &RequestError{Host: c.Host(), Verb: strings.ToLower(r.Method), Resource: r.Path, Err: err}
	}
	if ctx == nil {
		return nil, failed(&errcode.Error{Code: errcode.Invalid, Problem: "the context is nil"})
	}
	if !validPath(r.Path) {
		return nil, failed(&errcode.Error{Code: errcode.Invalid, Problem: "the path is not valid", Remedy: "begin it with /, leave out . and .., and put parameters into Query"})
	}
	if r.ContentType == "" && len(r.Body) > 0 {
		r.ContentType = wire.MediaTypeJSON
	}
	u := c.base.JoinPath(r.Path)
	u.RawQuery = r.Query.Encode()
	resp, err := c.roundTrip(ctx, r.Method, u, r.Body, r.ContentType, r.Accept)
	if err != nil {
		return nil, failed(err)
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		return nil, failed(statusError(resp, strings.ToLower(r.Method), Resource{}))
	}
	return resp, nil
}

// validPath reports whether a path, as written, stays below the address of the server.
func validPath(path string) bool {
	plain, err := url.PathUnescape(path)
	if err != nil || !strings.HasPrefix(path, "/") || strings.Contains(path, "?") {
		return false
	}
	for segment := range strings.SplitSeq(plain, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// ServerVersion returns the Kubernetes version of the server.
//
// Errors: *RequestError; an answer that is not a version.
func (c *Cluster) ServerVersion(ctx context.Context) (*version.Info, error) {
	body, err := c.Do(ctx, Request{Path: "/version", Accept: wire.MediaTypeJSON})
	if err != nil {
		return nil, err
	}
	defer body.Close()
	var info version.Info
	if err := json.NewDecoder(io.LimitReader(body, maxSmallBody)).Decode(&info); err != nil {
		return nil, fmt.Errorf("the server at %s sent no valid version: %w", c.Host(), err)
	}
	return &info, nil
}
