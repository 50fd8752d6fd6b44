package sqldb

import (
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	driver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// address is where a database is, and how to log in there.
type address struct {
	dialect *dialect
	open    func() (*sql.DB, error)
	shown   string // the URL without what is secret
	file    string // of SQLite
}

// parseAddress reads the URL of a database:
//
//	sqlite:///var/lib/vedette/history.db    sqlite:history.db
//	mysql://user@host:3306/database?tls=true&tls-ca=/ca.pem&password-file=/secret
//	postgres://user@host:5432/database?sslmode=verify-full&sslrootcert=/ca.pem
//
// A password may stand in the URL, in the file that password-file names, or in the
// environment as VEDETTE_DB_PASSWORD. It is in no error and no log.
func parseAddress(text string, getenv func(string) string) (address, error) {
	scheme, _, found := strings.Cut(text, ":")
	if !found {
		return address{}, fmt.Errorf("the database %q is no URL: take sqlite:FILE, mysql://… or postgres://…", filepath.Base(text))
	}
	u, err := url.Parse(text)
	if err != nil {
		return address{}, fmt.Errorf("the URL of the database (%s://…) can not be read: %w; escape special characters of the password, or put it into VEDETTE_DB_PASSWORD", scheme, withoutURL(err))
	}
	switch scheme {
	case "sqlite", "sqlite3", "file":
		return sqliteAddress(u)
	case "mysql", "mariadb":
		return mysqlAddress(u, getenv)
	case "postgres", "postgresql":
		return postgresAddress(u, getenv)
	}
	return address{}, fmt.Errorf("there is no kind of database %q: take sqlite:FILE, mysql://… or postgres://…", scheme)
}

// withoutURL takes the URL out of an error, which may hold a password.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return errors.New("it is malformed")
}

func sqliteAddress(u *url.URL) (address, error) {
	file := u.Opaque
	if file == "" {
		file = u.Host + u.Path
	}
	if file == "" {
		return address{}, errors.New("the URL of the database names no file: sqlite:history.db, or sqlite:///var/lib/vedette/history.db")
	}
	if len(u.Query()) > 0 {
		return address{}, fmt.Errorf("the URL of an SQLite database takes no parameters, and has ?%s", u.RawQuery)
	}
	// What was committed survives a crash of the machine too; writers take turns
	// from the first statement on.
	pragmas := url.Values{
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)", "temp_store(MEMORY)"},
		"_txlock": {"immediate"},
	}
	open := func() (*sql.DB, error) {
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			// Space that is free can be given back. It has to be said before anything is
			// written, and not again: it is written each time.
			pragmas["_pragma"] = append([]string{"auto_vacuum(INCREMENTAL)"}, pragmas["_pragma"]...)
		}
		return sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?"+pragmas.Encode())
	}
	return address{dialect: sqlite, open: open, shown: "sqlite:" + file, file: file}, nil
}

// login is who logs in.
func login(u *url.URL, getenv func(string) string) (user, password string, err error) {
	user, password = u.User.Username(), getenv("VEDETTE_DB_PASSWORD")
	if user == "" {
		user = getenv("VEDETTE_DB_USER")
	}
	if p, set := u.User.Password(); set {
		password = p
	}
	if file := u.Query().Get("password-file"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", "", fmt.Errorf("the password of the database: %w", err)
		}
		password = strings.TrimRight(string(text), "\r\n")
	}
	return user, password, nil
}

// shown is a URL without a password.
func shown(u *url.URL, user string) string {
	clean := *u
	q := clean.Query()
	for _, name := range []string{"password", "sslpassword"} {
		q.Del(name)
	}
	clean.RawQuery = q.Encode()
	clean.User = nil
	if user != "" {
		clean.User = url.User(user)
	}
	return clean.String()
}

func mysqlAddress(u *url.URL, getenv func(string) string) (address, error) {
	user, password, err := login(u, getenv)
	if err != nil {
		return address{}, err
	}
	cfg := driver.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr = user, password, "tcp", u.Host
	if _, _, err := net.SplitHostPort(u.Host); err != nil {
		cfg.Addr = net.JoinHostPort(u.Hostname(), "3306")
	}
	cfg.DBName, cfg.Collation = strings.Trim(u.Path, "/"), "utf8mb4_bin"
	cfg.InterpolateParams = true // one way to the server for each statement, and not three
	cfg.ClientFoundRows = true
	cfg.Timeout = connectTimeout
	// The driver does not look at a context while it commits: a connection whose other
	// side has vanished without a word would be waited for for ever.
	cfg.ReadTimeout, cfg.WriteTimeout = orphaned, orphaned
	cfg.Params = map[string]string{"wait_timeout": strconv.Itoa(int(orphaned.Seconds()))}
	cfg.Logger = silent{}
	if cfg.DBName == "" {
		return address{}, errors.New("the URL of the database names none: mysql://user@host/DATABASE")
	}
	q := u.Query()
	for name := range q {
		switch name {
		case "tls", "tls-ca", "password-file", "socket":
		default:
			return address{}, fmt.Errorf("the URL of a MySQL database has an unknown parameter %q; there are tls, tls-ca, socket and password-file", name)
		}
	}
	if s := q.Get("socket"); s != "" {
		cfg.Net, cfg.Addr = "unix", s
	}
	if ca := q.Get("tls-ca"); ca == "" {
		cfg.TLSConfig = q.Get("tls")
	} else if cfg.TLS, err = trust(ca, u.Hostname()); err != nil {
		return address{}, err
	}
	switch cfg.TLSConfig {
	case "", "true", "false", "skip-verify", "preferred":
	default:
		return address{}, fmt.Errorf("the URL of the database (%s) has tls=%s; there are true, false, skip-verify and preferred", shown(u, user), cfg.TLSConfig)
	}
	connector, err := driver.NewConnector(cfg)
	if err != nil {
		return address{}, fmt.Errorf("the URL of the database (%s) can not be used: %w", shown(u, user), err)
	}
	return address{dialect: mysql, open: func() (*sql.DB, error) { return sql.OpenDB(connector), nil }, shown: shown(u, user)}, nil
}

// silent is a logger that says nothing: all errors are returned.
type silent struct{}

func (silent) Print(...any) {}

// trust returns a TLS configuration that trusts the authorities of a file.
func trust(file, host string) (*tls.Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the certificate authority of the database: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("the certificate authority of the database: %s has no certificate in PEM", file)
	}
	return &tls.Config{RootCAs: pool, ServerName: host, MinVersion: tls.VersionTLS12}, nil
}

func postgresAddress(u *url.URL, getenv func(string) string) (address, error) {
	user, password, err := login(u, getenv)
	if err != nil {
		return address{}, err
	}
	full := *u
	q := full.Query()
	q.Del("password-file")
	full.RawQuery = q.Encode()
	switch {
	case user != "" && password != "":
		full.User = url.UserPassword(user, password)
	case user != "":
		full.User = url.User(user) // PGPASSWORD and ~/.pgpass may have it
	}
	cfg, err := pgx.ParseConfig(full.String())
	if err != nil {
		_, reason, _ := strings.Cut(err.Error(), "`: ") // before it is the URL once more
		return address{}, fmt.Errorf("the URL of the database (%s) can not be used: %s", shown(u, user), reason)
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = connectTimeout
	}
	if cfg.RuntimeParams["idle_in_transaction_session_timeout"] == "" {
		cfg.RuntimeParams["idle_in_transaction_session_timeout"] = strconv.FormatInt(orphaned.Milliseconds(), 10)
	}
	return address{dialect: postgres, open: func() (*sql.DB, error) { return stdlib.OpenDB(*cfg), nil }, shown: shown(u, user)}, nil
}
