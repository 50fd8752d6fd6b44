package controlplane

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Cluster is a running control plane.
type Cluster struct {
	bins      Binaries
	opts      Options
	dir       string
	temporary bool
	token     string
	ports     ports

	etcd, apiserver *process
	others, peers   []*process
}

// ports are the loopback ports of the processes.
type ports struct{ etcd, etcdPeer, apiserver, manager, scheduler, kwok int }

// Timeouts for a machine that may be busy.
const (
	readyWithin = 3 * time.Minute
	endWithin   = 20 * time.Second
	lookEvery   = 100 * time.Millisecond
)

// Start starts a control plane, and returns when it is ready. A program that ends because another process has
// taken its port since it was found free is started again, with all others, at other ports.
//
// Errors: a program that ends or does not become ready, with the end of its log; the
// cause of ctx. After an error, all processes have ended.
func Start(ctx context.Context, bins Binaries, opts Options) (*Cluster, error) {
	if opts.Nodes == 0 {
		opts.Nodes = 5
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, fmt.Errorf("the control plane was not ready within %v", readyWithin))
	defer cancel()
	for {
		c := &Cluster{bins: bins, opts: opts, dir: opts.Dir}
		err := c.start(ctx)
		if err == nil {
			return c, nil
		}
		c.Stop()
		if taken := strings.Contains(err.Error(), "address already in use"); !taken || !errors.Is(err, errEnded) || opts.Dir != "" {
			return nil, err
		}
	}
}

func (c *Cluster) start(ctx context.Context) error {
	if err := c.prepare(); err != nil {
		return err
	}
	if err := c.startEtcd(); err != nil {
		return err
	}
	if err := c.StartAPIServer(ctx); err != nil {
		return err
	}
	if err := c.writeKubeconfig(); err != nil {
		return err
	}
	if c.opts.Parts == APIServerOnly {
		return nil
	}
	for _, p := range c.actors() {
		proc, err := c.run(p.name, p.path, p.args...)
		if err != nil {
			return err
		}
		c.others = append(c.others, proc)
	}
	if c.opts.Parts == WithoutControllers {
		return c.createNodes(ctx)
	}
	return c.makeNodes(ctx)
}

// actor is a program that changes objects.
type actor struct {
	name, path string
	args       []string
}

// actors returns the programs that the options select.
func (c *Cluster) actors() []actor {
	kwok := actor{"kwok", c.bins.Kwok, kwokFlags(c)}
	if c.opts.Parts == WithoutControllers {
		return []actor{kwok}
	}
	return []actor{
		{"kube-controller-manager", c.bins.Kubernetes, managerFlags(c)},
		{"kube-scheduler", c.bins.Kubernetes, schedulerFlags(c)},
		kwok,
	}
}

// prepare creates the folder and its initial files.
func (c *Cluster) prepare() (err error) {
	if c.dir == "" {
		c.temporary = true
		if c.dir, err = os.MkdirTemp("", "vedette-controlplane-"); err != nil {
			return err
		}
	}
	if c.dir, err = filepath.Abs(c.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // it never fails (crypto/rand)
	c.token = hex.EncodeToString(secret)
	line := c.token + ",admin,admin,system:masters\n"
	if err := os.WriteFile(filepath.Join(c.dir, "tokens.csv"), []byte(line), 0o600); err != nil {
		return err
	}
	if err := writeKey(filepath.Join(c.dir, "sa.key")); err != nil {
		return err
	}
	if c.ports, err = freePorts(); err == nil {
		portsFound(c.ports)
	}
	return err
}

// portsFound is called with the ports of a new cluster. A test takes one of them.
var portsFound = func(ports) {}

// writeKey writes the key that signs the tokens of service accounts.
func writeKey(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

// freePorts finds free ports. It holds all of them until the last is found, so that they
// differ.
func freePorts() (p ports, err error) {
	for _, port := range []*int{&p.etcd, &p.etcdPeer, &p.apiserver, &p.manager, &p.scheduler, &p.kwok} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return p, err
		}
		defer l.Close()
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return p, nil
}

// run starts one of the programs.
func (c *Cluster) run(name, path string, args ...string) (*process, error) {
	if path == c.bins.Kubernetes {
		args = append([]string{name}, args...)
	}
	return start(c.dir, name, c.opts.Lifetime == Detached, path, args...)
}

// Host returns the URL of the API server.
func (c *Cluster) Host() string { return "https://127.0.0.1:" + strconv.Itoa(c.ports.apiserver) }

// RESTConfig returns a configuration with the rights of an administrator, new for each
// call.
func (c *Cluster) RESTConfig() *rest.Config {
	return &rest.Config{
		Host: c.Host(), BearerToken: c.token, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAFile: c.caFile()},
	}
}

func (c *Cluster) caFile() string { return filepath.Join(c.dir, "apiserver.crt") }

// Kubeconfig returns the path of a kubeconfig with the rights of an administrator.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// Dir returns the folder with the logs of the processes, NAME.log.
func (c *Cluster) Dir() string { return c.dir }

// Pids returns the process IDs by name.
func (c *Cluster) Pids() map[string]int {
	pids := map[string]int{}
	for _, p := range c.processes() {
		pids[p.name] = p.cmd.Process.Pid
	}
	return pids
}

func (c *Cluster) processes() []*process {
	all := append(slices.Concat(c.others, c.peers), c.apiserver, c.etcd)
	return slices.DeleteFunc(all, func(p *process) bool { return p == nil })
}

func (c *Cluster) writeKubeconfig() error {
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["vedette"] = &clientcmdapi.Cluster{Server: c.Host(), CertificateAuthority: c.caFile()}
	cfg.AuthInfos["admin"] = &clientcmdapi.AuthInfo{Token: c.token}
	cfg.Contexts["vedette"] = &clientcmdapi.Context{Cluster: "vedette", AuthInfo: "admin"}
	cfg.CurrentContext = "vedette"
	return clientcmd.WriteToFile(*cfg, c.Kubeconfig())
}

// StartAPIServer starts the API server (again, after StopAPIServer or
// KillAPIServer) at the same port, and returns when it is ready.
//
// Errors: as Start.
func (c *Cluster) StartAPIServer(ctx context.Context) (err error) {
	if c.apiserver != nil {
		return errors.New("the API server runs already")
	}
	c.apiserver, err = c.run("kube-apiserver", c.bins.Kubernetes, append(apiserverFlags(c.dir, c.ports), c.opts.APIServer...)...)
	if err != nil {
		return err
	}
	return c.await(ctx, "is not ready", ready)
}

// await calls check until it succeeds, the API server ends, or ctx is done.
func (c *Cluster) await(ctx context.Context, what string, check func(context.Context, kubernetes.Interface) error) error {
	return c.awaitOf(ctx, c.RESTConfig, c.apiserver, what, check)
}

// awaitOf is await for one of the API servers.
func (c *Cluster) awaitOf(ctx context.Context, config func() *rest.Config, server *process, what string, check func(context.Context, kubernetes.Interface) error) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	last := errors.New("no attempt yet")
	for {
		// The certificate exists only after the server has created it.
		client, err := kubernetes.NewForConfig(config())
		if err == nil {
			err = check(ctx, client)
		}
		if err == nil {
			return nil
		}
		if ctx.Err() == nil {
			last = err
		}
		for _, p := range append(c.processes(), server) {
			if p.ended() {
				return p.failed("stopped", errEnded)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return server.failed(what, fmt.Errorf("%w: %w", context.Cause(ctx), last))
		}
	}
}

// StopAPIServer stops the API server with SIGTERM. etcd and the other processes continue.
func (c *Cluster) StopAPIServer() {
	ctx, cancel := context.WithTimeout(context.Background(), endWithin)
	defer cancel()
	c.apiserver.stop(ctx)
	c.apiserver = nil
}

// KillAPIServer kills the API server, as in a crash. etcd and the other processes
// continue.
func (c *Cluster) KillAPIServer() {
	c.apiserver.kill()
	c.apiserver = nil
}

// Pause pauses all programs that change objects: the controllers, the scheduler and kwok.
// Objects do not change by themselves until Resume.
func (c *Cluster) Pause() { c.signal(syscall.SIGSTOP) }

// Resume continues the programs that Pause paused.
func (c *Cluster) Resume() { c.signal(syscall.SIGCONT) }

func (c *Cluster) signal(s syscall.Signal) {
	for _, p := range c.others {
		_ = p.cmd.Process.Signal(s) // fails only for a process that has ended
	}
}

// Stop ends all processes, waits until they have ended, and removes the folder
// if it was a temporary one.
func (c *Cluster) Stop() {
	for _, p := range c.processes() {
		p.kill() // no data needs a graceful end
	}
	c.others, c.peers, c.apiserver, c.etcd = nil, nil, nil, nil
	if c.temporary {
		_ = os.RemoveAll(c.dir)
	}
}
