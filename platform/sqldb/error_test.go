package sqldb

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	driver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
)

// explained returns the text of an error that a DB explains.
func explained(t *testing.T, d Driver, a Address, err error) string {
	t.Helper()
	p := pool{driver: d, address: a}
	got := p.explain(err)
	if e := (*Error)(nil); !errors.As(got, &e) || !errors.Is(got, err) {
		t.Fatalf("%v became %v, want an Error that wraps it", err, got)
	}
	if again := p.explain(fmt.Errorf("more: %w", got)); again.Error() != "more: "+got.Error() {
		t.Errorf("the error is explained twice: %v", again)
	}
	if strings.ContainsAny(got.Error(), "\n\t") {
		t.Errorf("got more than one line: %q", got)
	}
	return got.Error()
}

// TestExplainServers checks the problem and the remedy for errors of servers.
func TestExplainServers(t *testing.T) {
	pg := func(code string) error {
		return fmt.Errorf("wrapped: %w", &pgconn.PgError{Severity: "FATAL", Code: code, Message: "text\nof the server"})
	}
	my := func(number uint16) error {
		return fmt.Errorf("wrapped: %w", &driver.MySQLError{Number: number, Message: "text\n of the server"})
	}
	for _, c := range []struct {
		d    Driver
		err  error
		want string
	}{
		{PostgreSQL(), pg("28P01"), "the server rejected the user or the password (FATAL: text of the server (SQLSTATE 28P01)); check the user in the URL"},
		{PostgreSQL(), pg("28000"), "the server does not let this user connect"},
		{PostgreSQL(), pg("3D000"), "the database does not exist (FATAL: text of the server (SQLSTATE 3D000)); create it with CREATE DATABASE"},
		{PostgreSQL(), pg("42501"), "the user lacks a privilege"},
		{PostgreSQL(), pg("53100"), "the disk of the server is full"},
		{PostgreSQL(), pg("53300"), "the server has too many connections"},
		{PostgreSQL(), pg("25006"), "the server is read-only"},
		{PostgreSQL(), pg("57014"), "the server ended the statement at its time limit"},
		{PostgreSQL(), pg("XX000"), "database shown: FATAL: text of the server (SQLSTATE XX000)"},
		{PostgreSQL(), errors.New("dial: server refused TLS connection"), "the server does not support TLS (the URL asks for TLS); enable it on the server; on a network that you trust, use sslmode=disable"},
		{MySQL(), my(1045), "the server rejected the user or the password"},
		{MySQL(), my(1698), "the server does not let this user log in with a password"},
		{MySQL(), my(1044), "the user has no rights to this database"},
		{MySQL(), my(1049), "the database does not exist (wrapped: Error 1049: text of the server); create it"},
		{MySQL(), my(1142), "the user lacks a privilege"},
		{MySQL(), my(1021), "the disk of the server is full"},
		{MySQL(), my(1114), "a table or the disk of the server is full"},
		{MySQL(), my(1040), "the server has too many connections"},
		{MySQL(), my(1290), "the server is read-only"},
		{MySQL(), my(1836), "the server is read-only"},
		{MySQL(), my(1792), "the server is read-only"},
		{MySQL(), my(1969), "the server ended the statement at its time limit"},
		{MySQL(), my(3024), "the server ended the statement at its time limit"},
		{MySQL(), my(1047), "the server is not part of a cluster that works"},
		{MySQL(), my(1130), "the server has no user for connections from this host (wrapped: Error 1130: text of the server); create one with CREATE USER"},
		{MySQL(), my(1129), "the server blocks this host after too many failed connections"},
		{MySQL(), my(1226), "the user has reached a limit of the account"},
		{MySQL(), my(1820), "the password of the user has expired"},
		{MySQL(), my(1862), "the password of the user has expired"},
		{MySQL(), my(3032), "the server is in offline mode"},
		{MySQL(), my(3118), "the account of the user is locked"},
		{MySQL(), my(4151), "the account of the user is locked"},
		{MySQL(), my(3159), "the server takes only encrypted connections"},
		{MySQL(), driver.ErrUnknownPlugin, "the server asks for a way of logging in"},
		{MySQL(), my(1), "database shown: wrapped: Error 1: text of the server"},
		{MySQL(), driver.ErrNoTLS, "the server does not support TLS (the URL asks for TLS); enable it on the server; on a network that you trust, use tls=preferred"},
		{PostgreSQL(), pg("57P03"), "the server takes no connections yet"},
		// A driver does not recognize the errors of another database.
		{PostgreSQL(), my(1045), "database shown: wrapped: Error 1045: text of the server"},
		{MySQL(), pg("28P01"), "database shown: wrapped: FATAL: text of the server (SQLSTATE 28P01)"},
	} {
		if got := explained(t, c.d, Address{URL: "shown"}, c.err); !strings.Contains(got, c.want) {
			t.Errorf("\n got %s\nwant %s", got, c.want)
		}
	}
}

// TestRefusedByServer checks that each error of a server about a first connection has a remedy,
// and that only an answer in another protocol means that the address is wrong.
func TestRefusedByServer(t *testing.T) {
	const wrong = "check that this is the address of a"
	for _, c := range []struct {
		d       Driver
		err     error
		address bool
	}{
		{MySQL(), &driver.MySQLError{Number: 9999, Message: "unknown"}, false},
		{PostgreSQL(), &pgconn.PgError{Severity: "FATAL", Code: "XX000", Message: "unknown"}, false},
		{MySQL(), driver.ErrMalformPkt, true},
		{PostgreSQL(), io.ErrUnexpectedEOF, true},
	} {
		dialect := c.d.Dialect()
		p := pool{Fragments: Fragments{&dialect}, driver: c.d, address: Address{URL: "shown"}}
		err := p.refused(c.err)
		if e := (*Error)(nil); !errors.As(err, &e) || e.Problem == "" || e.Remedy == "" || strings.Contains(e.Remedy, wrong) != c.address {
			t.Errorf("%v: got %v", c.err, err)
		}
	}
}

// TestExplainNetwork checks that errors of the network have the same explanation for all
// databases.
func TestExplainNetwork(t *testing.T) {
	certificate := &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	unnamed := &tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "db"}}
	named := &tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"other"}}, Host: "db"}}
	expired := &tls.CertificateVerificationError{Err: x509.CertificateInvalidError{Reason: x509.Expired}}
	for _, d := range []Driver{PostgreSQL(), MySQL()} {
		authority := map[string]string{"PostgreSQL": "sslrootcert", "MySQL": "tls-ca"}[d.Dialect().Name]
		anyName := map[string]string{"PostgreSQL": "sslmode=verify-ca", "MySQL": "tls=verify-ca"}[d.Dialect().Name]
		for err, want := range map[error]string{
			unnamed: "the certificate of the server contains no host name (tls: failed to verify certificate: x509: certificate is not valid for any names, but wanted to match db); give the server a certificate with its name, or use " + anyName,
			named:   "the certificate of the server has another host name (tls: failed to verify certificate: x509: certificate is valid for other, not db); use a name of the certificate in the URL, or " + anyName,
			expired: "the certificate of the server is not valid at this time",
			fmt.Errorf("handshake: %w", tls.AlertError(70)):                                    "the server and this program found no common kind of TLS (tls: protocol version not supported); enable TLS 1.2",
			&net.OpError{Op: "dial", Err: &net.DNSError{Name: "nowhere", Err: "no such host"}}: "the host nowhere cannot be found (lookup nowhere: no such host); check the address",
			&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}: "no server listens at this address (connection refused); start the server",
			context.DeadlineExceeded:                              "the server did not answer in time (connecting may take 10s); check the address",
			&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}: "the server did not answer in time",
			certificate: "the certificate of the server is not trusted (tls: failed to verify certificate: x509: certificate signed by unknown authority); name its authority with " + authority,
			&fs.PathError{Op: "open", Path: "/secret", Err: fs.ErrPermission}: "open /secret: permission denied; give the user of this process",
		} {
			if got := explained(t, d, Address{URL: "shown"}, err); !strings.Contains(got, want) {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		}
	}
}

// TestExplainKnown checks that an error of the caller stays unchanged, and that nil stays
// nil.
func TestExplainKnown(t *testing.T) {
	own := errors.New("mine")
	p := pool{driver: MySQL()}
	if got := p.explainKnown(own); got != own {
		t.Errorf("got %v, want %v", got, own)
	}
	if err := errors.Join(p.explain(nil), p.explainKnown(nil)); err != nil {
		t.Error(err)
	}
	if e := (*Error)(nil); !errors.As(p.explainKnown(&driver.MySQLError{Number: 1}), &e) {
		t.Error("an error of the server is not explained")
	}
}

// TestExplainSQLite provokes errors of files.
func TestExplainSQLite(t *testing.T) {
	dir := t.TempDir()
	junk := dir + "/junk"
	if err := os.WriteFile(junk, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"sqlite:" + dir:                  dir + " is a directory",
		"sqlite:" + dir + "/none/h.db":   "the directory " + dir + "/none does not exist",
		"sqlite:" + junk:                 "the file is damaged, or is not an SQLite database",
		"sqlite:" + junk + "/below/h.db": "the file cannot be opened",
	} {
		d, err := Open(t.Context(), url)
		if err == nil {
			_ = d.Close()
			t.Errorf("%s: Open succeeded, want an error", url)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
	d, err := Open(t.Context(), "sqlite:"+dir+"/h.db")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.pool.db.SetMaxOpenConns(1) // the limit belongs to a connection
	if _, err := d.pool.db.ExecContext(t.Context(), "CREATE TABLE t (data BLOB); PRAGMA max_page_count = 3"); err != nil {
		t.Fatal(err)
	}
	full := d.Transact(t.Context(), func(tx *Tx) error {
		_, err := tx.Exec(t.Context(), "INSERT INTO t VALUES (zeroblob(100000))")
		return err
	})
	if full == nil || !strings.Contains(full.Error(), "the disk is full") || !strings.Contains(full.Error(), "free space in "+dir) {
		t.Errorf("got %v, want that the disk is full, and where to free space", full)
	}
}

// TestConflictCodes checks the codes of PostgreSQL and the numbers of MySQL that mean a
// conflict with another transaction.
func TestConflictCodes(t *testing.T) {
	for code, want := range map[string]bool{"40001": true, "40P01": true, "23505": false, "55P03": false, "57P01": false} {
		if got := PostgreSQL().Conflicts(fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code})); got != want {
			t.Errorf("PostgreSQL code %s: conflicts is %v, want %v", code, got, want)
		}
	}
	for number, want := range map[uint16]bool{1213: true, 1205: false, 1062: false, 1047: false} {
		if got := MySQL().Conflicts(fmt.Errorf("wrapped: %w", &driver.MySQLError{Number: number})); got != want {
			t.Errorf("MySQL error %d: conflicts is %v, want %v", number, got, want)
		}
	}
	if SQLite().Conflicts(errors.New("some")) {
		t.Error("SQLite has a conflict")
	}
}

// TestReadOnlyCodes checks the codes of servers that take no writes, whose connections the pool ends.
func TestReadOnlyCodes(t *testing.T) {
	for code, want := range map[string]bool{"25006": true, "40001": false} {
		if got := PostgreSQL().ReadOnly(fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code})); got != want {
			t.Errorf("PostgreSQL code %s: read-only is %v, want %v", code, got, want)
		}
	}
	for number, want := range map[uint16]bool{1290: true, 1792: true, 1836: true, 1047: true, 1213: false} {
		if got := MySQL().ReadOnly(fmt.Errorf("wrapped: %w", &driver.MySQLError{Number: number})); got != want {
			t.Errorf("MySQL error %d: read-only is %v, want %v", number, got, want)
		}
	}
}

// TestRejectedCodes checks the classes of PostgreSQL and the numbers of MySQL that concern
// data.
func TestRejectedCodes(t *testing.T) {
	for code, want := range map[string]bool{"22001": true, "22021": true, "23505": true, "23514": true, "54000": true, "40001": false, "40P01": false, "57P01": false, "53100": false, "": false} {
		if got := PostgreSQL().Rejects(fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code})); got != want {
			t.Errorf("PostgreSQL code %s: rejects is %v, want %v", code, got, want)
		}
	}
	for number, want := range map[uint16]bool{1118: true, 1153: true, 1264: true, 1366: true, 1406: true, 3819: true, 4025: true, 1213: false, 1205: false, 1062: false, 1040: false, 1290: false} {
		if got := MySQL().Rejects(fmt.Errorf("wrapped: %w", &driver.MySQLError{Number: number})); got != want {
			t.Errorf("MySQL error %d: rejects is %v, want %v", number, got, want)
		}
	}
	for _, d := range []Driver{SQLite(), PostgreSQL(), MySQL()} {
		if d.Rejects(errors.New("some")) || d.Rejects(context.DeadlineExceeded) {
			t.Errorf("%s: Rejects is true for an error that does not concern data", d.Dialect().Name)
		}
	}
}
