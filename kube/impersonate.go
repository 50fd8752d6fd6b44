package kube

import (
	"net/http"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// Impersonation identifies a person in whose name requests are sent.
type Impersonation struct {
	// User is the name and Groups are the groups of the person, as the server identifies
	// them.
	User   string
	Groups []string
	// Extra are further attributes of the person.
	Extra map[string][]string
}

// As returns a cluster whose requests are sent in the name of a person. The credentials
// of c must have the permission to impersonate that person; the server then applies the
// permissions of the person. The result shares connections, discovery and the rate limit
// with c. It must not be closed, and it cannot be used after c is closed.
func (c *Cluster) As(who Impersonation) *Cluster {
	person := transport.ImpersonationConfig{UserName: who.User, Groups: who.Groups, Extra: who.Extra}
	config := c.RESTConfig()
	config.Impersonate = rest.ImpersonationConfig{UserName: who.User, Groups: who.Groups, Extra: who.Extra}
	return &Cluster{
		rest: config, base: c.base, namespace: c.namespace, limiter: c.limiter, timeout: c.timeout, configured: c.configured, discovery: c.discovery,
		http:     &http.Client{Transport: transport.NewImpersonatingRoundTripper(person, c.http.Transport), CheckRedirect: c.http.CheckRedirect, Timeout: c.http.Timeout},
		identity: identity{lock: make(chan struct{}, 1)},
	}
}
