package kube

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// identityTimeout bounds the request that identifies a cluster.
const identityTimeout = 10 * time.Second

// identity is the last known identity of the cluster that answers.
type identity struct {
	lock  chan struct{} // holds a token while a goroutine asks
	uid   string
	err   error
	asked time.Time
}

// Identity returns a value that distinguishes the cluster from all others, including a
// cluster that replaces it at the same address: the UID of its namespace kube-system. It
// returns an answer that was requested after since, by any caller, and sends a request only if
// there is no such answer. It takes at most 10 s. The zero time accepts any answer.
//
// Errors: as in the package documentation, with 403 if the namespace may not be read
// and 404 if it does not exist; context.DeadlineExceeded if no answer came; the cause
// of ctx.
func (c *Cluster) Identity(ctx context.Context, since time.Time) (string, error) {
	id := &c.identity
	select {
	case id.lock <- struct{}{}:
		defer func() { <-id.lock }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if !id.asked.After(since) {
		now := time.Now()
		uid, err := c.fetchIdentity(ctx)
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		id.uid, id.err, id.asked = uid, err, now
	}
	return id.uid, id.err
}

func (c *Cluster) fetchIdentity(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, identityTimeout)
	defer cancel()
	namespace := Resource{Version: "v1", Name: "namespaces", Kind: "Namespace"}
	address, err := c.address("api", "v1", "namespaces", "kube-system")
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Accept", wire.MediaTypeJSON+";as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"+wire.MediaTypeJSON)
	resp, err := c.http.Do(req)
	if err != nil {
		if u, ok := err.(*url.Error); ok {
			err = u.Err
		}
		return "", c.identityError(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", c.identityError(statusError(resp, "get", namespace))
	}
	var system metav1.PartialObjectMetadata
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxSmallBody)).Decode(&system); err != nil {
		return "", c.identityError(err)
	}
	if system.UID == "" {
		return "", c.identityError(errors.New("the answer has no UID"))
	}
	return string(system.UID), nil
}

func (c *Cluster) identityError(err error) error {
	e := &RequestError{Host: c.Host(), Verb: "get", Resource: "namespaces", Key: wire.Key{Name: "kube-system"}, Err: err}
	if apierrors.IsForbidden(err) {
		e.Remedy = "the UID of this namespace identifies the cluster: grant the right to get it"
	}
	return e
}

// Identity calls Cluster.Identity for the cluster of the source.
//
// Errors: those of Cluster.Identity.
func (s *Source) Identity(ctx context.Context, since time.Time) (string, error) {
	return s.cluster.Identity(ctx, since)
}
