package sqldb

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestAddresses checks that Address.URL and errors contain no password, wherever the
// password comes from.
func TestAddresses(t *testing.T) {
	dir := t.TempDir()
	secret, empty := filepath.Join(dir, "secret"), filepath.Join(dir, "empty")
	for file, text := range map[string]string{secret: "geheim\r\n", empty: ""} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ url, shown, wrong string }{
		{"sqlite:h.db", "sqlite:h.db", ""},
		{"sqlite:///var/h.db", "sqlite:/var/h.db", ""},
		{"sqlite:", "", "names no file"},
		{"sqlite:h.db?mode=ro", "", "takes no parameters: remove ?mode=ro"},
		{`sqlite:C:\data\100% new\h.db`, `sqlite:C:\data\100% new\h.db`, ""},
		{"sqlite:C:/data/h.db", "sqlite:C:/data/h.db", ""},
		{`sqlite:\\host\share\h.db`, `sqlite:\\host\share\h.db`, ""},
		{`C:\data\h.db`, "", `is a path, not a URL: use sqlite:C:\data\h.db`},
		{"c:/data/h.db", "", "is a path, not a URL: use sqlite:c:/data/h.db"},
		{"h.db", "", `the database "h.db" is not a URL`},
		{"a/geheim:b", "", "the database is not a URL: use sqlite:FILE, mysql://… or postgres://…"},
		{"host=db user=me password=geheim dbname=h", "", "the database is not a URL"},
		{"host=db:5432 password='geheim 3' dbname=h", "", "the database is not a URL"},
		{"password=geheim", "", "the database is not a URL"},
		{"me/geheim@db/h", "", "the database is not a URL"},
		{"me:geheim@tcp(db:3306)/h", "", `databases of kind "me" are not supported`},
		{"postgres://me:geheim@db:5432/h?sslmode=disable", "postgres://me@db:5432/h?sslmode=disable", ""},
		{"postgres://me@db/h?password=geheim&sslpassword=geheim", "postgres://me@db/h", ""},
		{"postgres://me@db/h?password-file=" + secret, "postgres://me@db/h?password-file=" + strings.ReplaceAll(secret, "/", "%2F"), ""},
		{"postgres://me:geheim@db-1:5432,db-2/h?sslmode=disable", "postgres://me@db-1:5432,db-2/h?sslmode=disable", ""},
		{"postgres://me:geheim@db-1:5432,db-2:port/h", "", "cannot be parsed: invalid port"},
		{"postgres://me:geheim@[::1]:5432,[::2]:5433/h?target_session_attrs=any", "postgres://me@[::1]:5432,[::2]:5433/h?target_session_attrs=any", ""},
		{"mysql://me:geheim@db-1:3306,db-2/h", "mysql://me@db-1:3306,db-2/h", ""},
		{"postgres://me:geheim@db/h?sslmode=perhaps", "", "(postgres://me@db/h?sslmode=perhaps) cannot be used: "},
		{"postgres://me:geheim@db:port/h", "", "cannot be parsed: invalid port"},
		{"postgres://me:geheim%zz@db/h", "", "(postgres://…) cannot be parsed: invalid URL escape"},
		{"mysql://me:geheim@db/h", "mysql://me@db/h", ""},
		{"mysql://db/h", "mysql://db/h", ""},
		{"mariadb://me:geheim@db:1/h?tls=true", "mariadb://me@db:1/h?tls=true", ""},
		{"mysql://me:geheim@db", "", "names no database: use mysql://user@host/DATABASE"},
		{"mysql://me:geheim@db/h?tsl=true", "", `unknown parameter "tsl": use tls, tls-ca, socket or password-file`},
		{"mysql://me:geheim@db/h?tls=perhaps", "", "(mysql://me@db/h?tls=perhaps) cannot be used: it has tls=perhaps; use true, verify-ca, skip-verify, preferred or false"},
		{"mysql://me:geheim@db/h?tls=verify-ca", "", "tls=verify-ca needs an authority; name its file with tls-ca"},
		{"mysql://me:geheim@db/h?tls=skip-verify&tls-ca=/nowhere", "", "it has tls-ca, and tls=skip-verify trusts every certificate"},
		{"mysql://me:geheim@db/h?tls=verify-ca&tls-ca=/nowhere", "", "cannot read the certificate authority of the database: open /nowhere"},
		{"mysql://me:geheim@db/h?tls-ca=/nowhere", "", "cannot read the certificate authority of the database: open /nowhere"},
		{"mysql://me:geheim@db/h?tls-ca=" + empty, "", "contains no PEM certificate"},
		{"mysql://me@db/h?password-file=/nowhere", "", "cannot read the password of the database: open /nowhere"},
		{"postgres://me@db/h?password-file=/nowhere", "", "cannot read the password of the database: open /nowhere"},
		{"oracle://me:geheim@db/h", "", `databases of kind "oracle" are not supported: use sqlite:FILE`},
	} {
		d, err := DriverOf(c.url)
		var a Address
		if err == nil {
			a, err = parse(d, c.url, func(string) string { return "" })
		}
		if err == nil && c.wrong != "" || err != nil && (c.wrong == "" || !strings.Contains(err.Error(), c.wrong)) || err != nil && strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v, want %q", c.url, err, c.wrong)
		}
		if a.URL != c.shown {
			t.Errorf("%s: got the URL %s, want %s", c.url, a.URL, c.shown)
		}
	}
}

// TestSQLiteFile checks the paths of Windows and of other systems, on every system.
func TestSQLiteFile(t *testing.T) {
	for url, want := range map[string]struct{ windows, other string }{
		`sqlite:C:\data\h.db`:      {`C:\data\h.db`, `C:\data\h.db`},
		"sqlite:C:/data/h.db":      {"C:/data/h.db", "C:/data/h.db"},
		"sqlite:C:h.db":            {"C:h.db", "C:h.db"},
		"sqlite:///C:/data/h.db":   {"C:/data/h.db", "/C:/data/h.db"},
		"sqlite:/c:/h.db":          {"c:/h.db", "/c:/h.db"},
		`sqlite:\\host\share\h.db`: {`\\host\share\h.db`, `\\host\share\h.db`},
		"sqlite:///var/lib/h.db":   {"/var/lib/h.db", "/var/lib/h.db"},
		"sqlite:///1:/h.db":        {"/1:/h.db", "/1:/h.db"},
		"sqlite:h.db":              {"h.db", "h.db"},
		"sqlite:/h":                {"/h", "/h"},
		"sqlite:":                  {"", ""},
	} {
		u, err := parseURL(url)
		if err != nil {
			t.Errorf("%s: got %v, want no error", url, err)
			continue
		}
		if got := sqliteFile(u, true); got != want.windows {
			t.Errorf("%s on Windows: got %s, want %s", url, got, want.windows)
		}
		if got := sqliteFile(u, false); got != want.other {
			t.Errorf("%s on other systems: got %s, want %s", url, got, want.other)
		}
	}
}

// TestCredentials checks the precedence: a file, then the URL, then the environment.
func TestCredentials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("from file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	environment := map[string]string{"VEDETTE_DB_USER": "other", "VEDETTE_DB_PASSWORD": "from environment"}
	fromFile := "mysql://me:url@db/h?password-file=" + file
	for url, want := range map[string]string{
		"mysql://db/h":        "other, from environment",
		"mysql://me@db/h":     "me, from environment",
		"mysql://me:url@db/h": "me, url",
		"mysql://me:@db/h":    "me, ",
		fromFile:              "me, from file",
	} {
		u, err := parseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		user, password, err := Credentials(u, func(name string) string { return environment[name] })
		if got := user + ", " + password; err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", url, got, err, want)
		}
	}
}

// TestPasswordIsUsed checks that a server receives the password from the environment. The
// PostgreSQL of the tests requires no password.
func TestPasswordIsUsed(t *testing.T) {
	kind := dbtest.Selected("mariadb")
	if kind == "" {
		return
	}
	url := dbtest.Empty(t, kind)
	admin, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	for _, text := range []string{"CREATE USER 'me'@'%' IDENTIFIED BY 'gehe:im@'", "GRANT ALL ON *.* TO 'me'@'%'"} {
		if _, err := admin.pool.db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	url = strings.Replace(url, "root@", "me@", 1)
	t.Setenv("VEDETTE_DB_PASSWORD", "gehe:im@")
	d, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	t.Setenv("VEDETTE_DB_PASSWORD", "wrong")
	if d, err := Open(t.Context(), url); err == nil {
		_ = d.Close()
		t.Error("connected with a wrong password")
	}
}

// TestLockOfIdleSession checks that MySQL keeps an idle session that holds a lock, although
// it closes other idle sessions, and that the pool does not reuse the session.
func TestLockOfIdleSession(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		if dbtest.Family(kind) != "mariadb" {
			continue
		}
		u, err := parseURL(dbtest.Empty(t, kind))
		if err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("mysql", u.User.String()+"@tcp("+u.Host+")"+u.Path+"?wait_timeout=1")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(2)
		unlock, ours, err := mysql{}.TryLock(t.Context(), db, Address{}, "some")
		if err != nil || !ours {
			t.Fatalf("got the lock: %v, error %v; want true", ours, err)
		}
		session, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var id int64
		if err := session.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
			t.Fatal(err)
		}
		admin, err := sql.Open("mysql", u.User.String()+"@tcp("+u.Host+")"+u.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer admin.Close()
		patience.Until(t, "the server closes an idle session, younger than that of the lock", func() string {
			var n int
			if err := admin.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.processlist WHERE id = ?", id).Scan(&n); err != nil {
				return err.Error()
			}
			if n > 0 {
				return "the row exists"
			}
			return ""
		})
		_ = session.Close() // the pool has two sessions, and the server has closed this one
		if _, ours, err := (mysql{}).TryLock(t.Context(), db, Address{}, "some"); ours || err != nil {
			t.Errorf("the lock was lost: %v, %v", ours, err)
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
		for range 3 {
			var seconds int
			if err := db.QueryRowContext(t.Context(), "SELECT @@session.wait_timeout").Scan(&seconds); err != nil || seconds != 1 {
				t.Errorf("got a timeout of %d seconds for a session of the pool, %v", seconds, err)
			}
		}
	}
}
