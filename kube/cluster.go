package kube

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/internal/userlog"
)

// Cluster is the connection to one API server. Create it with Connect.
type Cluster struct {
	rest       *rest.Config // as Connect has read it
	base       *url.URL
	namespace  string
	http       *http.Client
	limiter    flowcontrol.RateLimiter // nil unless the configuration has one
	timeout    time.Duration           // of a request for one object; 0 means no limit
	recovery   recovery
	orders     orderCache
	identity   identity
	configured []Resource // Config.Types
	discovery  *discoveryCache
	warnings   warnings
}

func newCluster(rc *rest.Config, namespace string) (*Cluster, error) {
	original := rest.CopyConfig(rc)
	limiter := rc.RateLimiter
	if limiter == nil && rc.QPS > 0 {
		limiter = flowcontrol.NewTokenBucketRateLimiter(rc.QPS, cmp.Or(max(rc.Burst, 0), rest.DefaultBurst))
	}
	timeout := rc.Timeout
	rc.Timeout = 0 // as the timeout of the HTTP client, it would end watches
	rc.QPS, rc.RateLimiter = -1, nil
	rc.Dial = dialer(rc.Dial)
	rc.GroupVersion = &schema.GroupVersion{}
	base, _, err := rest.DefaultServerUrlFor(rc)
	if err != nil {
		return nil, &errcode.Error{Code: errcode.Misconfigured, Problem: "the server address is not valid", Err: err, Remedy: "check the cluster of the kubeconfig"}
	}
	client, err := rest.HTTPClientFor(rc)
	if err != nil {
		return nil, &errcode.Error{Code: errcode.Misconfigured, Problem: "the credentials or certificates cannot be used", Err: err, Remedy: "check the user and cluster of the kubeconfig"}
	}
	client.Transport = guardedTransport{&reauthTransport{below: client.Transport}}
	return &Cluster{
		rest: original, base: base, namespace: namespace, http: client, limiter: limiter, timeout: timeout,
		identity:  identity{lock: make(chan struct{}, 1)},
		discovery: &discoveryCache{lock: make(chan struct{}, 1)},
		warnings:  warnings{logger: func() *slog.Logger { return userlog.Of(nil) }},
	}, nil
}

// Host returns the address of the API server.
func (c *Cluster) Host() string { return c.base.Host }

// Namespace returns the namespace that the configuration names, or "default".
func (c *Cluster) Namespace() string { return c.namespace }

// RESTConfig returns a copy of the configuration that Connect has read, for a clientset or
// another client beside this package. It contains the credentials.
func (c *Cluster) RESTConfig() *rest.Config { return rest.CopyConfig(c.rest) }

// Close closes idle connections. Open streams stay open.
func (c *Cluster) Close() { c.http.CloseIdleConnections() }
