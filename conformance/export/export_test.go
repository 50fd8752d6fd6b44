// Package export reads exported files with DuckDB, and exports to a real S3 server.
package export

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/send/export"
	"github.com/vedette-io/vedette/platform/send/export/s3"
	"github.com/vedette-io/vedette/platform/world/historytest"
	"github.com/vedette-io/vedette/wire"
)

// perDay is the number of versions of a day: a version is a second.
const perDay = 86_400

// hostile is text that a careless writer or reader would take for something else.
const hostile = "a' || \"b\" \x00 \\ ünï\U0001F916 \r\n--"

// newHistory returns a database with 3,000 transitions of 1,000 objects in 12 days.
func newHistory(t *testing.T) *historytest.Database {
	t.Helper()
	d := historytest.Open(t, "sqlite:"+filepath.Join(t.TempDir(), "history.db"))
	for s, of := range []job.State{job.Queued, job.Running, job.Failed} {
		var all []historytest.Revision
		for i := range wire.Version(1000) {
			all = append(all, historytest.Revision{UID: fmt.Sprint("uid-", i), Version: wire.Version(s)*4*perDay + i*300 + 1, State: of, Body: "{}"})
		}
		if err := d.Write(t.Context(), all); err != nil {
			t.Fatal(err)
		}
	}
	d.Exec("UPDATE transitions SET message = 'job ' || object_id || ' of 1000', reason = 'BackoffLimitExceeded' WHERE to_state = (SELECT MAX(to_state) FROM transitions)")
	return d
}

// duckDB opens an empty database of DuckDB.
func duckDB(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// query returns the rows of a query as text, with spaces between the columns.
func query(t *testing.T, db *sql.DB, text string, args ...any) (lines []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	columns, err := rows.Columns()
	for err == nil && rows.Next() {
		cells, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range cells {
			targets[i] = &cells[i]
		}
		err = rows.Scan(targets...)
		var line []string
		for _, c := range cells {
			line = append(line, fmt.Sprint(c))
		}
		lines = append(lines, strings.Join(line, " "))
	}
	if err := errors.Join(err, rows.Err(), rows.Close()); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return lines
}

// TestDuckDB compares each row that DuckDB reads with the view transition_times.
func TestDuckDB(t *testing.T) {
	d, dir, duck := newHistory(t), t.TempDir(), duckDB(t)
	days, err := export.Run(t.Context(), export.Config{DB: d.DB, Store: export.Folder(dir)})
	if err != nil {
		t.Fatal(err)
	}
	files := filepath.Join(dir, "*", "*.parquet")
	got := query(t, duck, `SELECT cluster, api_group, resource, namespace, name, uid, version, from_state, to_state, reason, message, source,
		epoch_us(happened_at), epoch_us(seen_at) FROM read_parquet(?, hive_partitioning = true) WHERE day = happened_at::DATE ORDER BY version, uid`, files)
	want := d.Rows(`SELECT t.cluster, t.api_group, t.resource, t.namespace, t.name, t.uid, t.version, t.from_state, t.to_state, t.reason, t.message, t.source_name,
		x.happened_at, x.seen_at FROM transition_times t JOIN transitions x ON x.id = t.id ORDER BY t.version, t.uid`)
	if len(got) != 3000 || len(got) != len(want) {
		t.Fatalf("DuckDB read %d rows, and the database has %d; want 3000", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("row %d:\n got %s\nwant %s", i, got[i], want[i])
		}
	}
	if n := query(t, duck, "SELECT COUNT(DISTINCT day), COUNT(DISTINCT id), COUNT(created_at) FROM read_parquet(?)", files); n[0] != fmt.Sprint(len(days), " 3000 0") {
		t.Errorf("got %s days, IDs and creation times; want %d, 3000 and 0", n[0], len(days))
	}
	// The query of the documentation: the end of a state.
	ended := query(t, duck, `SELECT COUNT(*) FROM (SELECT to_state, lead(happened_at) OVER (PARTITION BY uid ORDER BY version) - happened_at AS lasted FROM read_parquet(?))
		WHERE to_state = 'Queued' AND lasted = INTERVAL 4 DAY`, files)
	if ended[0] != "1000" {
		t.Errorf("%s jobs were queued for 4 days, want 1000", ended[0])
	}
}

// TestText checks that DuckDB reads hostile text and labels as they were.
func TestText(t *testing.T) {
	store, duck := export.Folder(t.TempDir()), duckDB(t)
	d := historytest.Open(t, "sqlite:"+filepath.Join(t.TempDir(), "history.db"))
	if err := d.Write(t.Context(), []historytest.Revision{{UID: "u", Version: 1, State: job.Queued, Body: "{}"}}); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(strings.ReplaceAll(hostile, "\x00", ""), "'", "''")
	d.Exec("UPDATE transitions SET message = '" + text + "'")
	if _, err := export.Run(t.Context(), export.Config{DB: d.DB, Store: store}); err != nil {
		t.Fatal(err)
	}
	got := query(t, duck, "SELECT message FROM read_parquet(?)", filepath.Join(string(store), "*", "*.parquet"))
	if want := strings.ReplaceAll(hostile, "\x00", ""); got[0] != want {
		t.Errorf("got %q, want %q", got[0], want)
	}
}

// server is an S3 server whose buckets are folders.
type server struct {
	t    *testing.T
	dir  string
	addr string
	cmd  *exec.Cmd
}

const accessKey, secretKey = "vedette", "correct-horse"

// build builds the S3 server.
func build(t *testing.T) string {
	t.Helper()
	testinput.Uncached(t)
	program := filepath.Join(t.TempDir(), "versitygw")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/versity/versitygw/cmd/versitygw").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// start starts the server.
func (s *server) start(program string) {
	s.t.Helper()
	s.cmd = exec.CommandContext(s.t.Context(), program, "--port", s.addr, "--access", accessKey, "--secret", secretKey, "--quiet", "posix", "--sidecar", filepath.Join(s.dir, "meta"), filepath.Join(s.dir, "data"))
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	patience.NoError(s.t, "the S3 server answers", func() error {
		c, err := net.Dial("tcp", s.addr)
		if err == nil {
			err = c.Close()
		}
		return err
	})
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // the error is that it was killed
}

// newServer starts a server with the bucket jobs.
func newServer(t *testing.T) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, dir: t.TempDir(), addr: l.Addr().String()}
	for _, err := range []error{l.Close(), os.Mkdir(filepath.Join(s.dir, "meta"), 0o700), os.Mkdir(filepath.Join(s.dir, "data"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s.start(build(t))
	t.Cleanup(s.kill)
	client, err := minio.New(s.addr, &minio.Options{Creds: credentials.NewStaticV4(accessKey, secretKey, "")})
	if err == nil {
		err = client.MakeBucket(t.Context(), "jobs", minio.MakeBucketOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// store returns the store in a bucket.
func (s *server) store(bucket string) *s3.Store {
	s.t.Helper()
	s.t.Setenv("AWS_REGION", "us-east-1")
	st, err := s3.Parse("s3://" + bucket + "/team/history?endpoint=http://" + s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(st.Close)
	return st
}

// TestS3 exports to a bucket, twice, and reads the files of the server with DuckDB.
func TestS3(t *testing.T) {
	d, s, duck := newHistory(t), newServer(t), duckDB(t)
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	t.Setenv("TMPDIR", t.TempDir())
	now := historytest.Seen(12 * perDay)
	for round := range 2 {
		days, err := export.Run(t.Context(), export.Config{DB: d.DB, Store: s.store("jobs"), Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if last := days[len(days)-1]; len(days) < 11 || last.Outcome != export.Written || (days[0].Outcome == export.Final) != (round == 1) {
			t.Errorf("export %d: got %+v", round, days)
		}
	}
	files := filepath.Join(s.dir, "data", "jobs", "team", "history", "*", "*.parquet")
	if got := query(t, duck, "SELECT COUNT(*), COUNT(DISTINCT id), MIN(day) FROM read_parquet(?)", files); got[0] != "3000 3000 2023-11-14" && !strings.HasPrefix(got[0], "3000 3000 2023-11-14 ") {
		t.Errorf("DuckDB read %s, want 3000 rows", got[0])
	}
	for want, bucket := range map[string]string{"none": "none", "denied": "jobs"} {
		if want == "denied" {
			t.Setenv("AWS_SECRET_ACCESS_KEY", "geheim")
		}
		_, err := export.Run(t.Context(), export.Config{DB: d.DB, Store: s.store(bucket), Now: now, Replace: true})
		if err == nil || !strings.Contains(err.Error(), "s3://"+bucket+"/team/history") || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: got %v", want, err)
		}
		t.Log(err)
		t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
	}
	s.kill()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // an input: the limit of the export
	defer cancel()
	if _, err := export.Run(ctx, export.Config{DB: d.DB, Store: s.store("jobs"), Now: now}); err == nil {
		t.Error("an export to a dead server succeeded")
	}
	if left, err := fs.Glob(os.DirFS(os.Getenv("TMPDIR")), "vedette-export-*"); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
}
