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

// Peer is one more API server before the etcd of a Cluster, as a control plane of
// several masters has them. It ends with the cluster.
type Peer struct {
	port  int
	token string
	dir   string
}

// AddAPIServer starts one more API server, and returns when it is ready. What is
// done to the first (StopAPIServer, KillAPIServer) leaves it alone.
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
	flags = append(flags, "--secure-port="+strconv.Itoa(p.port), "--cert-dir="+p.dir) // the last counts
	proc, err := c.run("kube-apiserver", c.bins.Kubernetes, flags...)
	if err != nil {
		return nil, err
	}
	c.peers = append(c.peers, proc)
	return p, c.awaitOf(ctx, p.RESTConfig, proc, "is not ready", ready)
}

// Host returns the URL of the API server.
func (p *Peer) Host() string { return "https://127.0.0.1:" + strconv.Itoa(p.port) }

// RESTConfig returns a configuration of an administrator, new for each call.
func (p *Peer) RESTConfig() *rest.Config {
	return &rest.Config{
		Host: p.Host(), BearerToken: p.token, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(p.dir, "apiserver.crt")},
	}
}

// ready is what an API server is when it takes work.
func ready(ctx context.Context, client kubernetes.Interface) error {
	return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
}

// Rebuild makes another cluster at the same address, of nothing: etcd and the API
// server end, what was stored is forgotten, and they start again. It is for control
// planes of an API server only.
//
// Errors: as Start.
func (c *Cluster) Rebuild(ctx context.Context) (err error) {
	if c.opts.Parts != APIServerOnly || len(c.peers) > 0 {
		return errors.New("only a control plane of one API server can be built anew")
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
