package dbtest

import (
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the driver
	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"github.com/vedette-io/vedette/internal/testinput"
)

// program finds a program in PATH, or in folders that distributions do not put into PATH.
// tools/setup.sh searches the same folders.
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

// unsynced returns options of a server that does not wait for the disk, in tests. There, a
// killed process loses nothing: only the machine could. A measurement gets none.
func unsynced(options ...string) []string {
	if testing.Testing() {
		return options
	}
	return nil
}

// Unprivileged creates a folder for a server, and returns a function that makes a command
// run as an unprivileged user, because neither server runs as root.
func Unprivileged(owner string) (dir string, as func(*exec.Cmd) *exec.Cmd, err error) {
	if dir, err = os.MkdirTemp("", "vedette-db-"); err != nil || os.Getuid() != 0 {
		return dir, func(c *exec.Cmd) *exec.Cmd { return c }, err
	}
	u, err := user.Lookup(owner)
	if err != nil {
		return "", nil, err
	}
	uid, _ := strconv.Atoi(u.Uid) // the system returns numbers
	gid, _ := strconv.Atoi(u.Gid)
	return dir, func(c *exec.Cmd) *exec.Cmd {
		runAs(c, uid, gid)
		return c
	}, os.Chown(dir, uid, gid)
}

// FreePort returns a port of the loopback address that nobody uses.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
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
	dir, as, err := Unprivileged("postgres")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	first := as(exec.Command(initdb, "-D", data, "-U", "vedette", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"))
	first.Dir = dir
	if err := initialize("postgres", server, data, first); err != nil {
		return nil, err
	}
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, quit: syscall.SIGQUIT, URL: fmt.Sprintf("postgres://vedette@127.0.0.1:%d/%%s?sslmode=disable", port)}
	s.admin = func() (*sql.DB, error) { return sql.Open("pgx", fmt.Sprintf(s.URL, "postgres")) }
	s.make = func() *exec.Cmd {
		return as(exec.Command(server, append(unsynced("-c", "fsync=off", "-c", "full_page_writes=off"), "-D", data, "-p", strconv.Itoa(port), "-k", dir, "-c", "listen_addresses=127.0.0.1",
			"-c", "max_connections=300")...)) // sessions of killed clients remain while they wait for a lock
	}
	return s.first()
}

func startMariaDB() (*Server, error) {
	s, err := newMariaDB("--skip-log-bin")
	if err != nil {
		return nil, err
	}
	return s.first()
}

// StartMariaDB starts a MariaDB server with options. It ends with the test.
func StartMariaDB(t *testing.T, options ...string) *Server {
	t.Helper()
	testinput.Uncached(t)
	s, err := newMariaDB(append([]string{"--skip-log-bin"}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(s.dir) })
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// newMariaDB returns a server with empty data that does not run.
func newMariaDB(options ...string) (*Server, error) {
	install, err := program("mariadb-install-db")
	if err != nil {
		return nil, err
	}
	server, err := program("mariadbd", "/usr/sbin")
	if err != nil {
		return nil, err
	}
	dir, as, err := Unprivileged("mysql")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	first := as(exec.Command(install, append([]string{"--no-defaults", "--datadir=" + data, "--auth-root-authentication-method=normal", "--skip-test-db"}, unsynced("--innodb-log-file-size=16M")...)...))
	// A starting server deletes the temporary tables of all servers in its temporary
	// folder.
	temporary := append(os.Environ(), "TMPDIR="+dir)
	first.Dir, first.Env = dir, temporary
	if err := initialize("mariadb", server, data, first); err != nil {
		return nil, err
	}
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, quit: syscall.SIGKILL, URL: fmt.Sprintf("mysql://root@127.0.0.1:%d/%%s", port)}
	s.admin = func() (*sql.DB, error) { return sql.Open("mysql", fmt.Sprintf("root@tcp(127.0.0.1:%d)/", port)) }
	s.make = func() *exec.Cmd {
		run := as(exec.Command(server, append([]string{
			"--no-defaults", "--datadir=" + data, "--port=" + strconv.Itoa(port), "--socket=" + filepath.Join(dir, "sock"),
			"--bind-address=127.0.0.1", "--pid-file=" + filepath.Join(dir, "pid"),
		}, append(unsynced("--innodb-log-file-size=16M", "--innodb-flush-method=nosync", "--innodb-flush-log-at-trx-commit=2", "--skip-sync-frm"), options...)...)...))
		run.Env = temporary
		return run
	}
	return s, nil
}

// startMySQL starts the MySQL server that tools/mysql.sh has unpacked into the user's cache.
func startMySQL() (*Server, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	all, _ := filepath.Glob(filepath.Join(cache, "vedette", "mysql", "*", "usr", "sbin", "mysqld"))
	if len(all) == 0 {
		return nil, errors.New("the server is not unpacked: run tools/mysql.sh")
	}
	// Its loader and its libraries are newer than those of the system.
	server := all[len(all)-1]
	unpacked := filepath.Join(filepath.Dir(server), "..", "..")
	libraries := filepath.Join(unpacked, "usr", "lib", "x86_64-linux-gnu")
	shared := filepath.Join(unpacked, "usr", "share", "mysql")
	command := func(options ...string) *exec.Cmd {
		return exec.Command(filepath.Join(unpacked, "usr", "lib64", "ld-linux-x86-64.so.2"), append([]string{
			"--library-path", libraries, server, "--no-defaults", "--lc-messages-dir=" + shared, "--character-sets-dir=" + filepath.Join(shared, "charsets"), "--secure-file-priv=NULL",
		}, options...)...)
	}
	dir, err := os.MkdirTemp("", "vedette-db-")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	options := []string{"--datadir=" + data}
	if os.Getuid() == 0 {
		options = append(options, "--user=root") // another user may not read the cache
	}
	if err := run(command(append(options, "--initialize-insecure")...)); err != nil {
		return nil, err
	}
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, quit: syscall.SIGKILL, URL: fmt.Sprintf("mysql://root@127.0.0.1:%d/%%s", port)}
	s.admin = func() (*sql.DB, error) { return sql.Open("mysql", fmt.Sprintf("root@tcp(127.0.0.1:%d)/", port)) }
	s.make = func() *exec.Cmd {
		return command(append(append(options, unsynced("--innodb-flush-log-at-trx-commit=2", "--sync-binlog=0")...), "--port="+strconv.Itoa(port), "--socket="+filepath.Join(dir, "sock"),
			"--pid-file="+filepath.Join(dir, "pid"), "--bind-address=127.0.0.1", "--mysqlx=OFF")...)
	}
	return s.first()
}
