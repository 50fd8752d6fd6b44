// Package dbtest gives tests an empty database of each kind: an SQLite file, and
// PostgreSQL and MariaDB servers that it starts for the test binary.
//
// Which kinds, VEDETTE_TEST_DATABASES says: "sqlite,postgres,mariadb", or "sqlite" if it
// is not set, so that the unit tests run with Go alone. A server that is named and not
// installed fails the test.
package dbtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver
	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// Variable names the kinds that are tested, separated by commas.
const Variable = "VEDETTE_TEST_DATABASES"

// Each runs a test with the URL of an empty database of each kind that Variable
// names.
func Each(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	kinds := os.Getenv(Variable)
	if kinds == "" {
		kinds = "sqlite"
	}
	for kind := range strings.SplitSeq(kinds, ",") {
		t.Run(kind, func(t *testing.T) { test(t, Empty(t, kind)) })
	}
}

// Empty makes an empty database of a kind, and returns its URL.
func Empty(t *testing.T, kind string) string {
	t.Helper()
	switch kind {
	case "sqlite":
		return "sqlite:" + filepath.Join(t.TempDir(), "history.db")
	case "postgres":
		return Postgres(t).Empty(t)
	case "mariadb":
		return MariaDB(t).Empty(t)
	}
	t.Fatalf("%s names a kind of database %q; there are sqlite, postgres and mariadb", Variable, kind)
	return ""
}

// Server is a database server of this process.
type Server struct {
	// URL has one verb, for the name of a database.
	URL    string
	admin  func() (*sql.DB, error)
	number int
	cmd    *exec.Cmd
	dir    string
}

var (
	postgres = sync.OnceValues(startPostgres)
	mariaDB  = sync.OnceValues(startMariaDB)
	started  []*Server
	mu       sync.Mutex
)

// New makes an empty database of a kind, and returns its URL: for who is no test.
// The file of an SQLite database is in dir.
//
// Errors: ErrAbsent; what the server says.
func New(ctx context.Context, kind, dir string) (url string, err error) {
	get := map[string]func() (*Server, error){"postgres": postgres, "mariadb": mariaDB}[kind]
	switch {
	case kind == "sqlite":
		return "sqlite:" + filepath.Join(dir, "history.db"), nil
	case get == nil:
		return "", fmt.Errorf("there is no kind of database %q; there are sqlite, postgres and mariadb", kind)
	}
	s, err := get()
	if err != nil {
		return "", err
	}
	return s.empty(ctx)
}

// Postgres returns the PostgreSQL server.
func Postgres(t *testing.T) *Server { return usable(t, "PostgreSQL", postgres) }

// MariaDB returns the MariaDB server.
func MariaDB(t *testing.T) *Server { return usable(t, "MariaDB", mariaDB) }

// Stop stops all servers; for TestMain.
func Stop() {
	mu.Lock()
	defer mu.Unlock()
	for _, s := range started {
		_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = s.cmd.Wait()
		_ = os.RemoveAll(s.dir)
	}
	started = nil
}

// ErrAbsent says that a server is not installed.
var ErrAbsent = errors.New("is not installed: the packages are postgresql and mariadb-server")

func usable(t *testing.T, name string, get func() (*Server, error)) *Server {
	t.Helper()
	s, err := get()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// Empty makes an empty database, and returns its URL.
func (s *Server) Empty(t *testing.T) string {
	t.Helper()
	url, err := s.empty(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func (s *Server) empty(ctx context.Context) (url string, err error) {
	mu.Lock()
	s.number++
	name := "test_" + strconv.Itoa(s.number)
	mu.Unlock()
	db, err := s.admin()
	if err != nil {
		return "", err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, "CREATE DATABASE "+name)
	return fmt.Sprintf(s.URL, name), err
}

// program finds a program, also where distributions hide it.
func program(name string, places ...string) (string, error) {
	for _, place := range places {
		if found, _ := filepath.Glob(filepath.Join(place, name)); len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s %w", name, ErrAbsent)
	}
	return path, nil
}

// unprivileged makes a folder for a server, and returns what runs a command as
// somebody who may: neither server runs as root.
func unprivileged(owner string) (dir string, as func(*exec.Cmd) *exec.Cmd, err error) {
	if dir, err = os.MkdirTemp("", "vedette-db-"); err != nil || os.Getuid() != 0 {
		return dir, func(c *exec.Cmd) *exec.Cmd { return c }, err
	}
	u, err := user.Lookup(owner)
	if err != nil {
		return "", nil, err
	}
	uid, _ := strconv.Atoi(u.Uid) // a number, says the system
	gid, _ := strconv.Atoi(u.Gid)
	return dir, func(c *exec.Cmd) *exec.Cmd {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		return c
	}, os.Chown(dir, uid, gid)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// start starts a server, and waits until it answers.
func (s *Server) start(cmd *exec.Cmd) (*Server, error) {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr, s.cmd = &said, &said, cmd
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	mu.Lock()
	started = append(started, s)
	mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		db, err := s.admin()
		if err == nil {
			err = errors.Join(db.PingContext(ctx), db.Close())
		}
		if err == nil {
			return s, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w\n%s", err, said.String())
		}
	}
}

func startPostgres() (*Server, error) {
	places := []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin"}
	initdb, err := program("initdb", places...)
	if err != nil {
		return nil, err
	}
	server, err := program("postgres", places...)
	if err != nil {
		return nil, err
	}
	dir, as, err := unprivileged("postgres")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	initialize := as(exec.Command(initdb, "-D", data, "-U", "vedette", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"))
	initialize.Dir = dir
	if out, err := initialize.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, URL: fmt.Sprintf("postgres://vedette@127.0.0.1:%d/%%s?sslmode=disable", port)}
	s.admin = func() (*sql.DB, error) { return sql.Open("pgx", fmt.Sprintf(s.URL, "postgres")) }
	cmd := as(exec.Command(server, "-D", data, "-p", strconv.Itoa(port), "-k", dir, "-c", "listen_addresses=127.0.0.1"))
	cmd.Dir = dir
	return s.start(cmd)
}

func startMariaDB() (*Server, error) {
	install, err := program("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	server, err := program("mariadbd", "/usr/sbin")
	if err != nil {
		return nil, err
	}
	dir, as, err := unprivileged("mysql")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	initialize := as(exec.Command(install, "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db"))
	initialize.Dir = dir
	if out, err := initialize.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, URL: fmt.Sprintf("mysql://root@127.0.0.1:%d/%%s", port)}
	s.admin = func() (*sql.DB, error) { return sql.Open("mysql", fmt.Sprintf("root@tcp(127.0.0.1:%d)/", port)) }
	cmd := as(exec.Command(server, "--no-defaults", "--datadir="+data, "--port="+strconv.Itoa(port), "--socket="+filepath.Join(dir, "sock"),
		"--bind-address=127.0.0.1", "--pid-file="+filepath.Join(dir, "pid"), "--skip-log-bin"))
	cmd.Dir = dir
	return s.start(cmd)
}
