package reach

import (
	"net/http"
	"reflect"
	"strings"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/compat/clientgo/internal/tunnel"
	"github.com/vedette-io/vedette/compat/internal/hidden"
)

// Clientset returns client with the tunnel.
func Clientset(client kubernetes.Interface) kubernetes.Interface {
	set, ok := client.(*kubernetes.Clientset)
	if !ok || set == nil {
		return client
	}
	cfg, http, ok := settings(set.CoreV1().RESTClient())
	if !ok {
		return client
	}
	copied, err := kubernetes.NewForConfigAndClient(cfg, http)
	if err != nil {
		return client
	}
	return copied
}

// Dynamic returns client with the tunnel.
func Dynamic(client dynamic.Interface) dynamic.Interface {
	d, ok := client.(*dynamic.DynamicClient)
	if !ok || d == nil {
		return client
	}
	var inner rest.Interface
	if !hidden.Field(reflect.ValueOf(d).Elem(), "client", &inner) {
		return client
	}
	cfg, http, ok := settings(inner)
	if !ok {
		return client
	}
	copied, err := dynamic.NewForConfigAndClient(cfg, http)
	if err != nil {
		return client
	}
	return copied
}

// Metadata returns client with the tunnel.
func Metadata(client metadata.Interface) metadata.Interface {
	m, ok := client.(*metadata.Client)
	if !ok || m == nil {
		return client
	}
	var inner *rest.RESTClient
	if !hidden.Field(reflect.ValueOf(m).Elem(), "client", &inner) {
		return client
	}
	cfg, http, ok := settings(inner)
	if !ok {
		return client
	}
	copied, err := metadata.NewForConfigAndClient(cfg, http)
	if err != nil {
		return client
	}
	return copied
}

// settings returns the parts to make a client like c, with the tunnel in its HTTP client.
func settings(c rest.Interface) (*rest.Config, *http.Client, bool) {
	r, ok := c.(*rest.RESTClient)
	if !ok || r == nil {
		return nil, nil, false
	}
	base := r.Get().URL()
	base.Path = prefix(base.Path)
	client := http.Client{}
	if r.Client != nil {
		client = *r.Client
	}
	client.Transport = tunnel.NewTransport(client.Transport)
	cfg := &rest.Config{Host: base.String(), RateLimiter: r.GetRateLimiter()}
	if cfg.RateLimiter == nil {
		cfg.QPS = -1
	}
	var warnings rest.WarningHandlerWithContext
	if hidden.Field(reflect.ValueOf(r).Elem(), "warningHandler", &warnings) && warnings != nil {
		cfg.WarningHandlerWithContext = warnings
	}
	return cfg, &client, true
}

// prefix returns the path of the server in the base path of a client. Typed clients append
// the path of the core group. Clients of all groups append one segment that they never send.
func prefix(path string) string {
	path = strings.TrimSuffix(path, "/")
	if before, ok := strings.CutSuffix(path, "/api/v1"); ok {
		return before
	}
	return path[:max(strings.LastIndex(path, "/"), 0)]
}
