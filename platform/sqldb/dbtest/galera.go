package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
)

// Galera is a cluster of three MariaDB servers that replicate synchronously.
type Galera struct {
	Nodes [3]*GaleraNode
}

// GaleraNode is a server of a Galera cluster. Its methods are for one goroutine.
type GaleraNode struct {
	name, dir string
	port      int
	peers     string // addresses of all nodes
	listen    int    // port for replication
	transfer  [2]int // ports for the transfer of state
	server    string // program
	as        func(*exec.Cmd) *exec.Cmd
	cmd       *exec.Cmd
	ended     chan struct{} // closed when cmd has ended
}

// StartGalera starts a cluster. It ends with the test.
func StartGalera(t *testing.T) *Galera {
	t.Helper()
	testinput.Uncached(t)
	g, err := newGalera(t)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range g.Nodes {
		if err := n.Start(t.Context(), i == 0); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// galeraLibrary is the place of the library in Debian, which the server's package needs.
const galeraLibrary = "/usr/lib/galera/libgalera_smm.so"

func newGalera(t *testing.T) (*Galera, error) {
	server, err := program("mariadbd", "/usr/sbin")
	if err != nil {
		return nil, err
	}
	install, err := program("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(galeraLibrary); err != nil {
		return nil, err
	}
	g := &Galera{}
	var peers []string
	for i := range g.Nodes {
		n := &GaleraNode{name: fmt.Sprint("node-", i+1), server: server}
		if n.dir, n.as, err = Unprivileged("mysql"); err != nil {
			return nil, err
		}
		t.Cleanup(func() { _ = os.RemoveAll(n.dir) })
		for _, port := range []*int{&n.port, &n.listen, &n.transfer[0], &n.transfer[1]} {
			if *port, err = FreePort(); err != nil {
				return nil, err
			}
		}
		initialize := n.as(exec.CommandContext(t.Context(), install, "--no-defaults", "--datadir="+n.data(), "--auth-root-authentication-method=normal", "--skip-test-db"))
		if out, err := initialize.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
		peers = append(peers, fmt.Sprint("127.0.0.1:", n.listen))
		g.Nodes[i] = n
	}
	for _, n := range g.Nodes {
		n.peers = strings.Join(peers, ",")
		t.Cleanup(n.Kill)
	}
	return g, nil
}

func (n *GaleraNode) data() string { return filepath.Join(n.dir, "data") }

// URL returns the URL of a database on this node.
func (n *GaleraNode) URL(database string) string {
	return fmt.Sprintf("mysql://root@127.0.0.1:%d/%s", n.port, database)
}

// Kill ends the server with SIGKILL.
func (n *GaleraNode) Kill() {
	if n.cmd == nil {
		return
	}
	_ = n.cmd.Process.Signal(syscall.SIGKILL) // it may have ended by itself
	<-n.ended
	n.cmd = nil
}

// command returns a command of the server.
func (n *GaleraNode) command(args ...string) *exec.Cmd {
	return n.as(exec.Command(n.server, append([]string{
		"--no-defaults", "--datadir=" + n.data(), fmt.Sprint("--port=", n.port), "--socket=" + filepath.Join(n.dir, "sock"), "--bind-address=127.0.0.1",
		"--pid-file=" + filepath.Join(n.dir, "pid"), "--binlog-format=ROW", "--innodb-autoinc-lock-mode=2", "--skip-log-bin",
		"--wsrep-on=ON", "--wsrep-provider=" + galeraLibrary, "--wsrep-cluster-name=test", "--wsrep-cluster-address=gcomm://" + n.peers,
		"--wsrep-node-name=" + n.name, "--wsrep-node-address=127.0.0.1", "--wsrep-sst-method=rsync", fmt.Sprint("--wsrep-sst-receive-address=127.0.0.1:", n.transfer[0]),
		fmt.Sprintf("--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:%d;ist.recv_addr=127.0.0.1:%d", n.listen, n.transfer[1]),
	}, args...)...))
}

// Start starts the server, and waits until it has the state of the cluster. first makes it
// the first node of the cluster.
func (n *GaleraNode) Start(ctx context.Context, first bool) error {
	var args []string
	if at, err := n.Recover(); err != nil {
		return err
	} else if at.Position != "" {
		args = append(args, "--wsrep-start-position="+at.Position)
	}
	if first {
		args = append(args, "--wsrep-new-cluster")
	}
	log, err := os.Create(filepath.Join(n.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	n.cmd, n.ended = n.command(args...), make(chan struct{})
	n.cmd.Stdout, n.cmd.Stderr = log, log
	if err := n.cmd.Start(); err != nil {
		return err
	}
	go func(cmd *exec.Cmd, ended chan struct{}) {
		_ = cmd.Wait()
		close(ended)
	}(n.cmd, n.ended)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := n.synced(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-n.ended:
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("%s has ended:\n%s", n.name, text[max(0, len(text)-3000):])
		case <-ctx.Done():
			return fmt.Errorf("%s is not synchronized within a minute: %w", n.name, err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// synced returns an error unless the node has the state of the cluster.
func (n *GaleraNode) synced(ctx context.Context) error {
	d, err := sql.Open("mysql", fmt.Sprintf("root@tcp(127.0.0.1:%d)/mysql", n.port))
	if err != nil {
		return err
	}
	defer d.Close()
	var name, value string
	if err := d.QueryRowContext(ctx, "SHOW STATUS LIKE 'wsrep_local_state_comment'").Scan(&name, &value); err != nil {
		return err
	}
	if value != "Synced" {
		return errors.New("its state is " + value)
	}
	return nil
}

// Recovered is the last transaction of a node that was killed.
type Recovered struct {
	Position string // empty: it has none
	Number   int64
}

var (
	recovered = regexp.MustCompile(`Recovered position: ([-0-9a-f]+:(-?[0-9]+))`)
	unsafe    = regexp.MustCompile(`safe_to_bootstrap: *0`)
)

// Recover returns the last transaction of a node that does not run.
func (n *GaleraNode) Recover() (r Recovered, err error) {
	out, err := n.command("--wsrep-recover").CombinedOutput()
	if err != nil {
		return r, fmt.Errorf("%s: %w: %s", n.name, err, out)
	}
	m := recovered.FindStringSubmatch(string(out))
	if m == nil || strings.HasPrefix(m[1], "00000000") {
		return r, nil
	}
	r.Position = m[1]
	r.Number, err = strconv.ParseInt(m[2], 10, 64)
	return r, err
}

// Bootstrap starts the cluster after all nodes were killed, with the node that has the last
// transaction.
func (g *Galera) Bootstrap(ctx context.Context) error {
	best, last := 0, int64(-1)
	for i, n := range g.Nodes {
		r, err := n.Recover()
		if err != nil {
			return err
		}
		if r.Number > last {
			best, last = i, r.Number
		}
	}
	state := filepath.Join(g.Nodes[best].data(), "grastate.dat")
	text, err := os.ReadFile(state)
	if err != nil {
		return err
	}
	if err := os.WriteFile(state, unsafe.ReplaceAll(text, []byte("safe_to_bootstrap: 1")), 0o660); err != nil {
		return err
	}
	if err := g.Nodes[best].Start(ctx, true); err != nil {
		return err
	}
	for i, n := range g.Nodes {
		if i != best {
			if err := n.Start(ctx, false); err != nil {
				return err
			}
		}
	}
	return nil
}
