package controlplane

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Peer is another API server of the same etcd, as in a control plane with several
// masters. It ends with the cluster.
type Peer struct {
	port  int
	token string
	dir   string
}

// AddAPIServer starts another API server, and returns when it is ready. StopAPIServer and
// KillAPIServer do not affect it.
//
// Errors: as Start.
func (c *Cluster) AddAPIServer(ctx context.Context) (*Peer, error) {
	free, err := freePorts()
	if err != nil {
		return nil, err
	}
	p := &Peer{port: free.apiserver, token: c.token, dir: filepath.Join(c.dir, "peer-"+strconv.Itoa(len(c.peers)))}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return nil, err
	}
	flags := append(apiserverFlags(c.dir, c.ports), c.opts.APIServer...)
	flags = append(flags, "--secure-port="+strconv.Itoa(p.port), "--cert-dir="+p.dir) // the last flag counts
	proc, err := c.run("kube-apiserver", c.bins.Kubernetes, flags...)
	if err != nil {
		return nil, err
	}
	c.peers = append(c.peers, proc)
	return p, c.awaitOf(ctx, p.RESTConfig, proc, "is not ready", ready)
}

// Host returns the URL of the API server.
func (p *Peer) Host() string { return "https://127.0.0.1:" + strconv.Itoa(p.port) }

// RESTConfig returns a configuration with the rights of an administrator, new for each
// call.
func (p *Peer) RESTConfig() *rest.Config {
	return &rest.Config{
		Host: p.Host(), BearerToken: p.token, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(p.dir, "apiserver.crt")},
	}
}

// ready returns nil if an API server accepts requests.
func ready(ctx context.Context, client kubernetes.Interface) error {
	return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}
