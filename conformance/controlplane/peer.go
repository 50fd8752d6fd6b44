package controlplane

import (
	"context"
	"errors"
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

// Rebuild replaces the cluster by an empty one at the same address: etcd and the API
// server end, their data is deleted, and they start again. The control plane must have no
// other parts (APIServerOnly).
//
// Errors: as Start.
func (c *Cluster) Rebuild(ctx context.Context) (err error) {
	if c.opts.Parts != APIServerOnly || len(c.peers) > 0 {
		return errors.New("only a control plane with nothing but an API server can be rebuilt")
	}
	c.KillAPIServer()
	c.etcd.kill()
	if err := os.RemoveAll(filepath.Join(c.dir, "etcd")); err != nil {
		return err
	}
	if c.etcd, err = c.run("etcd", c.bins.Etcd, etcdFlags(c.dir, c.ports)...); err != nil {
		return err
	}
	return c.StartAPIServer(ctx)
}
