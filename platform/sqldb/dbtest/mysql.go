package dbtest

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

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
