package sqldb

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/pressly/goose/v3"
)

// mysql is the driver for MySQL and MariaDB.
type mysql struct{}

// MySQL returns the driver for MySQL and MariaDB:
//
//	mysql://user@host:3306/database?tls-ca=/ca.pem&password-file=/secret
func MySQL() Driver { return mysql{} }

// Dialect implements Driver.
func (mysql) Dialect() Dialect {
	const table = "ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
	return Dialect{
		Name: "MySQL", Goose: goose.DialectMySQL,
		Variables: map[string]string{
			"ID": "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY", "WORD": "VARCHAR(63)", "NAME": "VARCHAR(317)", "TEXT": "TEXT", "HASH": "BINARY(16)", "BLOB": "LONGBLOB",
			"OPTIONS": table, "ORDERED": table,
			"TIME": "TIMESTAMPADD(MICROSECOND, NULLIF(?, 0), '1970-01-01')", "REPLACE_VIEW": "CREATE OR REPLACE VIEW ?",
		},
		Macros: map[string]func([]string) string{
			"RENAME_TABLE": func(a []string) string { return mysqlRename(a[0], a[1], a[2:]) },
			"COPY_RIGHTS":  func([]string) string { return "" },
		},
		StatementDone: mysqlDone,
		// While a change of a table waits for another transaction, such as a backup, all
		// other transactions wait for the change. A short timeout bounds that time.
		BeforeSteps:    "SET SESSION lock_wait_timeout = 5",
		TableExists:    "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?",
		UnixSeconds:    "CAST(UNIX_TIMESTAMP(?) AS SIGNED)",
		Version:        "SELECT IF(VERSION() LIKE '%-MariaDB%', CONCAT('MariaDB ', SUBSTRING_INDEX(VERSION(), '-MariaDB', 1)), CONCAT('MySQL ', SUBSTRING_INDEX(VERSION(), '-', 1)))",
		Clock:          "SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)",
		Transaction:    sql.TxOptions{Isolation: sql.LevelReadCommitted},
		WritesConflict: true,
		ForUpdate:      " FOR UPDATE",
		ForShare:       " LOCK IN SHARE MODE",
		IndexHint:      " FORCE INDEX (?)",
		OrderedJoin:    "STRAIGHT_JOIN",
		RowComparison:  CompareColumns,
		MigrationWait:  10 * time.Minute,
	}
}

// mysqlRename renames a table, and leaves a view with the old name that supports reads and
// writes. One RENAME does both, so the old name always exists. The view is created before
// the RENAME, and needs a table with the new name.
func mysqlRename(from, to string, columns []string) string {
	empty, view := to+"_empty", from+"_view"
	return "CREATE TABLE " + to + " LIKE " + from + ";\n" +
		"CREATE OR REPLACE SQL SECURITY INVOKER VIEW " + view + " AS SELECT " + strings.Join(columns, ", ") + " FROM " + to + ";\n" +
		"RENAME TABLE " + to + " TO " + empty + ", " + from + " TO " + to + ", " + view + " TO " + from + ";\n" +
		"DROP TABLE " + empty + ";\n"
}

// mysqlDone reports whether an error may mean that the statement was completed earlier.
func mysqlDone(err error) bool {
	my := (*driver.MySQLError)(nil)
	if !errors.As(err, &my) {
		return false
	}
	switch my.Number {
	case 1050, 1051, 1060, 1061, 1062, 1091: // a table, column, index or row exists, or the object to drop does not
		return true
	}
	return false
}

// Address implements Driver.
func (mysql) Address(u *url.URL, getenv func(string) string) (Address, error) {
	user, password, err := Credentials(u, getenv)
	if err != nil {
		return Address{}, err
	}
	cfg, err := mysqlConfig()
	if err != nil {
		return Address{}, err
	}
	hosts := hostsOf(u, "3306")
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr = user, password, "tcp", hosts[0]
	if cfg.DBName = strings.Trim(u.Path, "/"); cfg.DBName == "" {
		return Address{}, errors.New("the URL of the database names no database: use mysql://user@host/DATABASE")
	}
	q := u.Query()
	for name := range q {
		switch name {
		case "tls", "tls-ca", "password-file", "socket":
		default:
			return Address{}, fmt.Errorf("the URL of a MySQL database has an unknown parameter %q: use tls, tls-ca, socket or password-file", name)
		}
	}
	if s := q.Get("socket"); s != "" {
		cfg.Net, hosts = "unix", []string{s}
	}
	shown := WithoutSecrets(u, user)
	if err := mysqlTLS(cfg, q.Get("tls"), q.Get("tls-ca")); err != nil {
		return Address{}, fmt.Errorf("the URL of the database (%s) cannot be used: %w", shown, err)
	}
	connectors, err := mysqlHosts(cfg, hosts)
	if err != nil {
		return Address{}, fmt.Errorf("the URL of the database (%s) cannot be used: %w", shown, err)
	}
	return Address{URL: shown, Connect: func(a Access) (*sql.DB, error) {
		f := &failover{hosts: connectors}
		if a == ReadWrite && len(hosts) > 1 {
			f.check = mysqlWritable
		}
		return limitPool(sql.OpenDB(f)), nil
	}}, nil
}

// mysqlHosts returns a connector for each server.
func mysqlHosts(cfg *driver.Config, names []string) (all []host, err error) {
	for _, name := range names {
		own := cfg.Clone()
		own.Addr = name
		if own.TLS != nil && !own.TLS.InsecureSkipVerify && own.Net == "tcp" {
			own.TLS.ServerName, _, _ = net.SplitHostPort(name) // hostsOf has joined them
		}
		c, err := driver.NewConnector(own)
		if err != nil {
			return nil, err
		}
		all = append(all, host{c, name})
	}
	return all, nil
}

// mysqlWritable returns an error if the server of a connection takes no writes. A node of
// Galera that has no quorum answers with an error of its own.
func mysqlWritable(ctx context.Context, conn sqldriver.Conn) error {
	rows, err := conn.(sqldriver.QueryerContext).QueryContext(ctx, "SELECT @@global.read_only", nil)
	if err != nil {
		return err
	}
	value := make([]sqldriver.Value, 1)
	if err := errors.Join(rows.Next(value), rows.Close()); err != nil {
		return err
	}
	if text := fmt.Sprintf("%s", value[0]); value[0] != int64(0) && text != "0" && text != "OFF" {
		return &driver.MySQLError{Number: 1290, Message: "the server has read_only"}
	}
	return nil
}

// mysqlTLS sets how connections are encrypted: as the parameters tls and tls-ca of the URL say.
// Without them it is like with MySQL's own clients: TLS if the server has it, and none over a
// Unix socket.
//
// Errors: an unknown or a contradictory parameter; the file of the authority cannot be read.
func mysqlTLS(cfg *driver.Config, mode, ca string) (err error) {
	switch {
	case mode == "" && ca == "" && cfg.Net == "unix":
		return nil
	case mode == "" && ca == "":
		mode = "preferred"
	case mode == "":
		mode = "true"
	}
	verifies := mode == "true" || mode == "verify-ca"
	switch mode {
	case "true", "false", "skip-verify", "preferred", "verify-ca":
	default:
		return fmt.Errorf("it has tls=%s; use true, verify-ca, skip-verify, preferred or false", mode)
	}
	switch {
	case ca != "" && !verifies:
		return fmt.Errorf("it has tls-ca, and tls=%s trusts every certificate; use tls=true or tls=verify-ca", mode)
	case ca == "" && mode == "verify-ca":
		return errors.New("tls=verify-ca needs an authority; name its file with tls-ca")
	case ca == "":
		cfg.TLSConfig = mode // the driver has the same words
		return nil
	}
	if cfg.TLS, err = trustFile(ca); err == nil && mode == "verify-ca" {
		acceptAnyName(cfg.TLS)
	}
	return err
}

// mysqlConfig returns the settings of each connection.
func mysqlConfig() (*driver.Config, error) {
	cfg := driver.NewConfig()
	// Ask each server for its max_allowed_packet. The driver then sends a longer statement in
	// pieces, and only a value above the limit is refused, which does not end the connection.
	cfg.MaxAllowedPacket = 0
	cfg.InterpolateParams = true // one round trip for each statement instead of three
	cfg.ClientFoundRows = true
	cfg.Timeout = ConnectTimeout
	// The driver ignores the context of a commit. These timeouts end a commit whose server
	// has vanished.
	cfg.ReadTimeout, cfg.WriteTimeout = IdleTransactionTimeout, IdleTransactionTimeout
	cfg.Params = map[string]string{
		"wait_timeout":             strconv.Itoa(int(IdleTransactionTimeout.Seconds())),
		"innodb_lock_wait_timeout": strconv.Itoa(int(LockTimeout.Seconds())),
		// These settings of a server would change the meaning of statements.
		// Dialect.Clock: in a zone with summer time, one hour of local time comes twice.
		"time_zone": "'+00:00'",
		// Without the strict mode, a server cuts values that do not fit, and reports no error.
		"sql_mode": "'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'",
		// A limit of rows would cut lists.
		"sql_select_limit": "18446744073709551615",
		"sql_safe_updates": "0",
		// Without autocommit, single statements begin a transaction that nobody ends.
		"autocommit":      "1",
		"completion_type": "0",
	}
	cfg.Logger = discard{}
	// With this option, each connection has its own settings. Otherwise the first one to a
	// server without TLS would turn off tls=preferred for all later ones.
	// A server with skip-character-set-client-handshake ignores the character set of the handshake, so a
	// statement sets it.
	return cfg, cfg.Apply(driver.Charset("utf8mb4", "utf8mb4_bin"), driver.BeforeConnect(func(context.Context, *driver.Config) error { return nil }))
}

// discard is a logger that writes nothing, because the driver returns its errors as well.
type discard struct{}

func (discard) Print(...any) {}

// mysqlChunks uses long statements, to save round trips.
var mysqlChunks = Chunks{Parameters: 60_000}

// mysqlTooLong reports whether an error means that max_allowed_packet forbids a statement or one of
// its values. It does not end the transaction.
func mysqlTooLong(err error) bool {
	if errors.Is(err, driver.ErrPktTooLarge) {
		return true
	}
	my := (*driver.MySQLError)(nil)
	return errors.As(err, &my) && (my.Number == 1153 || my.Number == 1105 && strings.Contains(my.Message, "mysql_send_long_data"))
}

// Insert implements Driver. It does not use INSERT IGNORE, which also hides other errors.
func (mysql) Insert(ctx context.Context, tx *sql.Tx, rows Rows, key string) error {
	return mysqlChunks.Exec(ctx, tx, rows, func(n int) string {
		if key != "" {
			return rows.InsertText(n) + " ON DUPLICATE KEY UPDATE " + key + " = " + key
		}
		return rows.InsertText(n)
	})
}

// Update implements Driver.
func (mysql) Update(ctx context.Context, tx *sql.Tx, rows Rows) error {
	key, columns := rows.Columns[0], len(rows.Columns)
	return mysqlChunks.Exec(ctx, tx, rows, func(n int) string {
		first := "SELECT ? AS " + strings.Join(rows.Columns, ", ? AS ")
		more := " UNION ALL SELECT " + strings.Trim(Placeholders(columns), "()")
		return "UPDATE " + rows.Table + " JOIN (" + first + strings.Repeat(more, n-1) + ") v" +
			" ON " + rows.Table + "." + key + " = v." + key + " SET " + assign(rows.Columns[1:], rows.Table+".")
	})
}

// LockRows implements Driver. The server locks rows in the order in which it reads them, so
// the query reads an index that is ordered by the keys.
func (mysql) LockRows(ctx context.Context, tx *sql.Tx, s Selection) (*sql.Rows, error) {
	query, args := s.Text(" FORCE INDEX (" + s.Index + ")")
	return tx.QueryContext(ctx, query+" FOR UPDATE", args...)
}

// mysqlLockName is the name of a lock, which is a parameter. Names belong to the whole server,
// have at most 64 characters, and are compared without regard to case. The name of a database may
// alone have 64, and its case may count, so the name is a hash.
const mysqlLockName = "SHA2(CONCAT(DATABASE(), '/', ?), 256)"

// TryLock implements Driver. The session that holds the lock is idle.
func (mysql) TryLock(ctx context.Context, db *sql.DB, _ Address, name string) (unlock func() error, ours bool, err error) {
	lock := SessionLock{
		Take:    "SELECT GET_LOCK(" + mysqlLockName + ", 0) = 1",
		Hold:    "SET SESSION wait_timeout = 86400",
		Release: "SELECT RELEASE_LOCK(" + mysqlLockName + ")",
	}
	return lock.Try(ctx, db, name)
}

// FileBytes implements Driver. The statistics of the server are at most a day old.
func (mysql) FileBytes(ctx context.Context, db *sql.DB) (n int64, err error) {
	err = db.QueryRowContext(ctx, "SELECT SUM(data_length + index_length + data_free) FROM information_schema.tables WHERE table_schema = DATABASE()").Scan(&n)
	return n, err
}

// Size implements Driver. It updates the statistics first, because they may be days old.
func (mysql) Size(ctx context.Context, db *sql.DB) (s Size, err error) {
	if err := eachRow(ctx, db, "ANALYZE NO_WRITE_TO_BINLOG TABLE revisions, transitions, objects", nil, func(*sql.Rows) error { return nil }); err != nil {
		return s, err
	}
	if s.Files, err = (mysql{}).FileBytes(ctx, db); err != nil {
		return s, err
	}
	rows, err := rowCounts(ctx, db, "SELECT table_name, table_rows FROM information_schema.tables WHERE table_schema = DATABASE() AND table_rows IS NOT NULL")
	if err != nil {
		return s, err
	}
	var body sql.NullFloat64
	if err := db.QueryRowContext(ctx, "SELECT AVG(size) FROM (SELECT LENGTH(data) AS size FROM revisions ORDER BY id DESC LIMIT 20000) newest").Scan(&body); err != nil {
		return s, err
	}
	s.Logs, err = sizeOfLogs(ctx, db, mysql{}.Dialect().TableExists)
	s.Used = min(s.Files, EstimateUsed(rows, body.Float64)+s.Logs)
	return s, err
}

// ValueLimit implements Limiter.
func (mysql) ValueLimit(ctx context.Context, db *sql.DB) (bytes int64, setting string, err error) {
	err = db.QueryRowContext(ctx, "SELECT @@max_allowed_packet").Scan(&bytes)
	return bytes, "max_allowed_packet", err
}

// Vacuum implements Driver. It does nothing: the server uses free space for new rows.
func (mysql) Vacuum(context.Context, *sql.DB) error { return nil }

// Explain implements Driver.
func (mysql) Explain(err error, _ Address) (Explanation, bool) {
	if mysqlTooLong(err) {
		return Explanation{Problem: "max_allowed_packet of the server is too small for this value", Remedy: "raise it on the server, to 64M or more"}, true
	}
	if my := (*driver.MySQLError)(nil); errors.As(err, &my) {
		return mysqlCodes[my.Number], true
	}
	if errors.Is(err, driver.ErrNoTLS) {
		return explainNoTLS("use tls=preferred"), true
	}
	for _, one := range []error{driver.ErrUnknownPlugin, driver.ErrNativePassword, driver.ErrOldPassword, driver.ErrCleartextPassword, driver.ErrOldProtocol} {
		if errors.Is(err, one) {
			return Explanation{wayOfLogin, otherWay, one, false}, true
		}
	}
	return explainTLS(err, "tls-ca", "tls=verify-ca")
}

// mysqlCodes explains the error numbers that an operator can act on.
var mysqlCodes = map[uint16]Explanation{
	1045: {Problem: wrongLogin, Remedy: checkLogin},
	1698: {Problem: "the server does not let this user log in with a password", Remedy: checkLogin},
	1130: {Problem: "the server has no user for connections from this host", Remedy: "create one with CREATE USER 'user'@'host', where host may be %"},
	1129: {Problem: "the server blocks this host after too many failed connections", Remedy: "run FLUSH HOSTS, or TRUNCATE TABLE performance_schema.host_cache, and correct the program that fails"},
	1820: {Problem: passwordExpired, Remedy: newPassword},
	1862: {Problem: passwordExpired, Remedy: newPassword},
	3118: {Problem: accountLocked, Remedy: unlockAccount},
	4151: {Problem: accountLocked, Remedy: unlockAccount}, // MariaDB
	3955: {Problem: "the account of the user is locked after failed logins", Remedy: "correct the password, then unlock the account with ALTER USER … ACCOUNT UNLOCK"},
	3159: {Problem: "the server takes only encrypted connections", Remedy: "set tls=true in the URL, with tls-ca if the authority is not public"},
	1251: {Problem: wayOfLogin, Remedy: otherWay},
	1524: {Problem: wayOfLogin, Remedy: otherWay},
	1226: {Problem: "the user has reached a limit of the account", Remedy: "raise the limit that the message names with ALTER USER … WITH", Transient: true},
	1203: {Problem: "the user has too many connections", Remedy: "raise max_user_connections", Transient: true},
	3032: {Problem: "the server is in offline mode", Remedy: "end it with SET GLOBAL offline_mode = OFF, or name the other servers in the URL too", Transient: true},
	1053: {Problem: stopping, Remedy: startAgain, Transient: true},
	3169: {Problem: stopping, Remedy: startAgain, Transient: true}, // the session was killed
	1927: {Problem: stopping, Remedy: startAgain, Transient: true}, // the same in MariaDB
	1044: {Problem: "the user has no rights to this database", Remedy: "grant them"},
	1049: {Problem: noDatabase, Remedy: createDatabase},
	1142: {Problem: noPrivilege, Remedy: grantPrivilege},
	1143: {Problem: noPrivilege, Remedy: grantPrivilege},
	1227: {Problem: noPrivilege, Remedy: grantPrivilege},
	1021: {Problem: serverDiskFull, Remedy: freeSpace, Transient: true},
	1118: {Problem: "the value is too large for a row of the server", Remedy: "raise innodb_log_file_size or innodb_redo_log_capacity to more than ten times its size"},
	1114: {Problem: "a table or the disk of the server is full", Remedy: freeSpace, Transient: true},
	1040: {Problem: tooMany, Remedy: raiseMax, Transient: true},
	1205: {Problem: tableInUse, Remedy: waitForTable, Transient: true},
	1792: {Problem: readOnlyServer, Remedy: "use the primary server, or SET GLOBAL transaction_read_only = 0", Transient: true},
	1290: {Problem: readOnlyServer, Remedy: "use the primary server, or SET GLOBAL read_only = 0", Transient: true},
	1969: {Problem: statementLimit, Remedy: "raise max_statement_time of the user or the server", Transient: true}, // MariaDB
	3024: {Problem: statementLimit, Remedy: "raise max_execution_time of the server", Transient: true},
	1047: {Problem: "the server is not part of a cluster that works", Remedy: "check the cluster, or name its other servers in the URL too", Transient: true},
	1836: {Problem: readOnlyServer, Remedy: "use the primary server, or SET GLOBAL read_only = 0", Transient: true},
}

// ReadOnly implements Driver. A node of Galera without a quorum refuses all statements.
func (mysql) ReadOnly(err error) bool {
	my := (*driver.MySQLError)(nil)
	return errors.As(err, &my) && (my.Number == 1290 || my.Number == 1792 || my.Number == 1836 || my.Number == 1047)
}

// Conflicts implements Driver.
func (mysql) Conflicts(err error) bool {
	my := (*driver.MySQLError)(nil)
	return errors.As(err, &my) && my.Number == 1213 // also a conflict of nodes of Galera
}

// Rejects implements Driver.
func (mysql) Rejects(err error) bool {
	if mysqlTooLong(err) {
		return true
	}
	my := (*driver.MySQLError)(nil)
	if !errors.As(err, &my) {
		return false
	}
	switch my.Number {
	case 1118, 1264, 1366, 1406, 3819, 4025: // sizes, ranges, characters, checks
		return true
	}
	return false
}
