package sqldb

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	driver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	sqlitedriver "modernc.org/sqlite"
)

// Error is what a database, or the way to it, said, and what to do about it.
type Error struct {
	// Database is its URL, without a password.
	Database string
	// Problem is what is wrong, in our words, and Remedy what to do; both may be
	// empty, where Err says it all.
	Problem, Remedy string
	// Err is what the driver said.
	Err error

	said error // the part of Err that says it
}

// Error implements error: it is one line.
func (e *Error) Error() string {
	said := strings.Join(strings.Fields(cmp.Or(e.said, e.Err).Error()), " ")
	text := "database " + e.Database + ": "
	if e.Problem == "" {
		text += said
	} else {
		text += e.Problem + " (" + said + ")"
	}
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// Unwrap returns what the driver said.
func (e *Error) Unwrap() error { return e.Err }

// explain says which database failed, and what to do; nil stays nil.
func (a *address) explain(err error) error {
	if e, _ := a.explained(err); e != nil {
		return e
	}
	return err
}

// Explain returns an error that names the database and says what to do; nil stays nil.
func (d *DB) Explain(err error) error { return d.explain(err) }

// explainKnown is explain for what may be an error of ours too: those stay as they
// are.
func (a *address) explainKnown(err error) error {
	if e, known := a.explained(err); known {
		return e
	}
	return err
}

// explained returns nil for what is nil or explained already; known says that a
// driver or the network has said it.
func (a *address) explained(err error) (e *Error, known bool) {
	if already := (*Error)(nil); err == nil || errors.As(err, &already) {
		return nil, false
	}
	e, known = &Error{Database: a.shown, Err: err}, true
	e.said = err
	var (
		pg    *pgconn.PgError
		my    *driver.MySQLError
		lite  *sqlitedriver.Error
		dns   *net.DNSError
		slow  net.Error
		trust *tls.CertificateVerificationError
		where = "check the address and the network"
	)
	switch {
	case errors.As(err, &pg):
		e.said = pg
		e.Problem, e.Remedy = postgresCodes[pg.Code].explain()
	case errors.As(err, &my):
		e.Problem, e.Remedy = mysqlCodes[my.Number].explain()
	case errors.As(err, &lite):
		e.Problem, e.Remedy = a.explainSQLite(lite.Code())
	case errors.As(err, &dns):
		e.said, e.Problem, e.Remedy = dns, fmt.Sprintf("the name %s is not known", dns.Name), where
	case errors.Is(err, syscall.ECONNREFUSED):
		e.said, e.Problem, e.Remedy = syscall.ECONNREFUSED, "no server answers there", "is it running, and is this its port?"
	case errors.As(err, &trust):
		e.said, e.Problem, e.Remedy = trust, "its certificate is not trusted", "name its authority: tls-ca for MySQL, sslrootcert for PostgreSQL"
	case errors.Is(err, driver.ErrNoTLS), strings.Contains(err.Error(), "server refused TLS connection"):
		e.said, e.Problem, e.Remedy = errNoTLS, "it does not speak TLS", "set it up there; or, on a network that you trust, leave out tls, or take sslmode=disable"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		e.said, e.Problem, e.Remedy = errSlow, "it did not answer in time", where
	case errors.Is(err, fs.ErrPermission):
		e.Remedy = "who runs this needs the right to read and write it"
	default:
		known = false
	}
	return e, known
}

var (
	errNoTLS = errors.New("TLS was asked for")
	errSlow  = fmt.Errorf("a connection is waited for %v", connectTimeout)
)

type code struct{ problem, remedy string }

func (c code) explain() (problem, remedy string) { return c.problem, c.remedy }

const checkLogin = "check the user of the URL, and VEDETTE_DB_PASSWORD or password-file"

var postgresCodes = map[string]code{
	"28P01": {"it does not know this user with this password", checkLogin},
	"28000": {"it does not let this user in", checkLogin},
	"3D000": {"there is no database of this name", "make it: CREATE DATABASE"},
	"42501": {"the user lacks a right", "grant it, or run `vedette migrate up` as who owns the schema"},
	"53100": {"its disk is full", "make room"},
	"53300": {"it has too many connections", "raise max_connections"},
	"25006": {"it only reads: it is a standby, or set so", "name the primary server"},
}

var mysqlCodes = map[uint16]code{
	1045: {"it does not know this user with this password", checkLogin},
	1698: {"it does not let this user in with a password", checkLogin},
	1044: {"the user may not use this database", "grant it"},
	1049: {"there is no database of this name", "make it: CREATE DATABASE"},
	1142: {"the user lacks a right", "grant it, or run `vedette migrate up` as who owns the schema"},
	1021: {"its disk is full", "make room"},
	1114: {"a table of it is full, or its disk is", "make room"},
	1040: {"it has too many connections", "raise max_connections"},
	1290: {"it only reads", "name the primary server, or SET GLOBAL read_only = 0"},
	1836: {"it only reads", "name the primary server, or SET GLOBAL read_only = 0"},
}

// Codes of SQLite, without what is above their lowest byte.
const (
	sqliteReadOnly = 8
	sqliteIO       = 10
	sqliteCorrupt  = 11
	sqliteFull     = 13
	sqliteCantOpen = 14
	sqliteNotADB   = 26
)

func (a *address) explainSQLite(code int) (problem, remedy string) {
	folder := filepath.Dir(a.file)
	if info, err := os.Stat(a.file); err == nil && info.IsDir() {
		return a.file + " is a folder", "name a file in it"
	}
	switch code & 0xff {
	case sqliteReadOnly:
		return "the file or its folder can only be read", "make both writable for who runs this"
	case sqliteFull:
		return "the disk is full", "make room in " + folder
	case sqliteIO:
		return "the disk fails or is full", "look at " + folder
	case sqliteCorrupt, sqliteNotADB:
		return "the file is damaged, or no SQLite database", "name another, or restore it from a copy"
	case sqliteCantOpen:
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			return "there is no folder " + folder, "make it, or name another file"
		}
		return "the file can not be opened", "who runs this needs the right to write it and its folder"
	}
	return "", ""
}
