package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
)

// PostgresPair is a PostgreSQL server with a synchronous standby: a commit returns when both
// have it.
type PostgresPair struct {
	Primary, Standby *PostgresNode
}

// PostgresNode is a server of a pair. Its methods are for one goroutine.
type PostgresNode struct {
	dir    string
	port   int
	server string // program
	backup string // program
	as     func(*exec.Cmd) *exec.Cmd
	cmd    *exec.Cmd
	ended  chan struct{} // closed when cmd has ended
}

// StartPostgresPair starts a pair. It ends with the test.
func StartPostgresPair(t *testing.T) *PostgresPair {
	t.Helper()
	testinput.Uncached(t)
	p := &PostgresPair{}
	places := []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin"}
	initdb, err := program("initdb", places...)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []**PostgresNode{&p.Primary, &p.Standby} {
		*n = newPostgresNode(t, places)
	}
	if out, err := p.Primary.run(t.Context(), initdb, "-D", p.Primary.data(), "-U", "vedette", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := errors.Join(p.Primary.start(t.Context()), p.Join(t.Context())); err != nil {
		t.Fatal(err)
	}
	return p
}

func newPostgresNode(t *testing.T, places []string) *PostgresNode {
	t.Helper()
	n := &PostgresNode{}
	var err error
	if n.server, err = program("postgres", places...); err != nil {
		t.Fatal(err)
	}
	if n.backup, err = program("pg_basebackup", places...); err != nil {
		t.Fatal(err)
	}
	if n.dir, n.as, err = Unprivileged("postgres"); err != nil {
		t.Fatal(err)
	}
	if n.port, err = FreePort(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		n.Kill()
		_ = os.RemoveAll(n.dir)
	})
	return n
}

// URL returns the URL of a database on both servers.
func (p *PostgresPair) URL(database string) string {
	return fmt.Sprintf("postgres://vedette@127.0.0.1:%d,127.0.0.1:%d/%s?sslmode=disable", p.Primary.port, p.Standby.port, database)
}

// StandbyURL returns the URL of a database on the standby.
func (p *PostgresPair) StandbyURL(database string) string {
	return fmt.Sprintf("postgres://vedette@127.0.0.1:%d/%s?sslmode=disable", p.Standby.port, database)
}

// Pause makes the standby receive commits without showing them.
func (p *PostgresPair) Pause(ctx context.Context) error {
	return p.Standby.exec(ctx, "SELECT pg_wal_replay_pause()")
}

// Resume ends Pause.
func (p *PostgresPair) Resume(ctx context.Context) error {
	return p.Standby.exec(ctx, "SELECT pg_wal_replay_resume()")
}

// Failover kills the primary and promotes the standby, which then takes writes alone, as a
// cluster manager does it.
func (p *PostgresPair) Failover(ctx context.Context) error {
	p.Primary.Kill()
	p.Primary, p.Standby = p.Standby, p.Primary
	return p.Primary.promote(ctx)
}

// Demote makes the primary read-only while its connections stay, and promotes the standby.
func (p *PostgresPair) Demote(ctx context.Context) error {
	if err := p.Primary.exec(ctx, "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"); err != nil {
		return err
	}
	p.Primary, p.Standby = p.Standby, p.Primary
	return p.Primary.promote(ctx)
}

// Join makes the server that does not run a copy of the primary, and its synchronous standby.
func (p *PostgresPair) Join(ctx context.Context) error {
	s := p.Standby
	if err := os.RemoveAll(s.data()); err != nil {
		return err
	}
	if out, err := s.run(ctx, s.backup, "-D", s.data(), "-h", "127.0.0.1", "-p", strconv.Itoa(p.Primary.port), "-U", "vedette", "-R", "-X", "stream", "-c", "fast", "--no-sync"); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	return p.Primary.exec(ctx, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
}

// Exec runs statements on the primary.
func (p *PostgresPair) Exec(ctx context.Context, statements ...string) error {
	return p.Primary.exec(ctx, statements...)
}

func (n *PostgresNode) data() string { return filepath.Join(n.dir, "data") }

func (n *PostgresNode) run(ctx context.Context, program string, args ...string) ([]byte, error) {
	cmd := n.as(exec.CommandContext(ctx, program, args...))
	cmd.Dir = n.dir
	return cmd.CombinedOutput()
}

// Kill ends the server with SIGKILL, and its processes for connections with it.
func (n *PostgresNode) Kill() {
	if n.cmd == nil {
		return
	}
	_ = n.cmd.Process.Signal(syscall.SIGKILL) // it may have ended by itself
	<-n.ended
	n.cmd = nil
}

// start starts the server, and waits until it answers.
func (n *PostgresNode) start(ctx context.Context) error {
	log, err := os.Create(filepath.Join(n.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	n.cmd, n.ended = n.as(exec.Command(n.server, "-D", n.data(), "-p", strconv.Itoa(n.port), "-k", n.dir, "-c", "listen_addresses=127.0.0.1")), make(chan struct{})
	n.cmd.Dir, n.cmd.Stdout, n.cmd.Stderr = n.dir, log, log
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
		err := n.exec(ctx, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-n.ended:
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("PostgreSQL has ended:\n%s", text)
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer within a minute: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// promote makes a standby a primary without a standby.
func (n *PostgresNode) promote(ctx context.Context) error {
	return n.exec(ctx, "SELECT pg_promote(true, 60)", "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
}

// exec runs statements, each by itself.
func (n *PostgresNode) exec(ctx context.Context, statements ...string) error {
	db, err := sql.Open("pgx", fmt.Sprintf("postgres://vedette@127.0.0.1:%d/postgres?sslmode=disable", n.port))
	if err != nil {
		return err
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}
