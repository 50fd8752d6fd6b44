package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/vedette-io/vedette/wire"
)

// Clock returns the current time of the server, in whole seconds, and the duration of the
// request. The server read its clock at some instant within that duration. Clock needs no
// permissions.
//
// Errors: *RequestError; an error if the answer has no valid Date header.
func (c *Cluster) Clock(ctx context.Context) (at time.Time, took time.Duration, err error) {
	began := time.Now()
	resp, err := c.do(ctx, Request{Path: "/version"})
	if err != nil {
		return at, 0, err
	}
	defer resp.Body.Close()
	took = time.Since(began)
	if at, err = http.ParseTime(resp.Header.Get("Date")); err != nil {
		return at, took, fmt.Errorf("the server at %s returned no valid Date header: %w", c.Host(), err)
	}
	return at, took, nil
}

// Allowed asks the server whether the caller may use a verb on objects of a type: in one
// namespace, or in all namespaces if namespace is empty. name selects one object; ""
// means all. The name of the type may end with a subresource, as in "pods/log". why is
// the reason that the server gives for its decision; it may be empty.
//
// Errors: *RequestError.
func (c *Cluster) Allowed(ctx context.Context, verb string, r Resource, namespace, name string) (yes bool, why string, err error) {
	resource, sub, _ := strings.Cut(r.Name, "/")
	review := authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: verb, Group: r.Group, Resource: resource, Subresource: sub, Namespace: namespace, Name: name},
	}}
	review.APIVersion, review.Kind = "authorization.k8s.io/v1", "SelfSubjectAccessReview"
	if err := c.review(ctx, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "rights", &review); err != nil {
		return false, "", err
	}
	return review.Status.Allowed, review.Status.Reason, nil
}

// User returns the user name to which the server maps the credentials of this cluster. It
// needs no permissions, but Kubernetes 1.28 or later.
//
// Errors: *RequestError; an error if the answer has no user name.
func (c *Cluster) User(ctx context.Context) (string, error) {
	review := authenticationv1.SelfSubjectReview{}
	review.APIVersion, review.Kind = "authentication.k8s.io/v1", "SelfSubjectReview"
	if err := c.review(ctx, "/apis/authentication.k8s.io/v1/selfsubjectreviews", "the user", &review); err != nil {
		return "", err
	}
	name := review.Status.UserInfo.Username
	if name == "" {
		return "", fmt.Errorf("the server at %s returned no user name for these credentials", c.Host())
	}
	return name, nil
}

// review sends a review, which the server evaluates and does not store, and replaces it
// with the answer. of is the subject of the review, for error messages.
func (c *Cluster) review(ctx context.Context, path, of string, review any) error {
	body, err := json.Marshal(review)
	if err != nil {
		return err
	}
	answer, err := c.Do(ctx, Request{Method: http.MethodPost, Path: path, Body: body, Accept: wire.MediaTypeJSON})
	if err != nil {
		return err
	}
	defer answer.Close()
	if err := json.NewDecoder(io.LimitReader(answer, maxSmallBody)).Decode(review); err != nil {
		return fmt.Errorf("the server at %s sent an invalid review of %s: %w", c.Host(), of, err)
	}
	return nil
}
