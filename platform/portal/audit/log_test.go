package audit_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/audit"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func each(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db, err := sqldb.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		test(t, db)
	})
}

func list(t *testing.T, db *sqldb.DB) []api.AuditEntry {
	t.Helper()
	all, err := audit.List(t.Context(), db, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestLog: an act is an attempt until its result is written, which happens even if the client has
// disconnected.
func TestLog(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		ctx, gone := context.WithCancel(identity.With(t.Context(), identity.Person{Name: "anna", SignIn: api.SignInOIDC}))
		l := audit.New(db, 0)
		job := api.JobRef{Cluster: "prod", UID: "u-1", Type: "jobs.batch", Namespace: "ml", Name: "train"}
		began := time.Now().Add(-time.Millisecond) // an input: the time of acts
		open, err := l.Begin(ctx, api.AuditEntry{Act: "stop", Object: "ml/train", Job: &job, Detail: "wrong data", Person: "somebody else", Result: audit.Done})
		if err != nil {
			t.Fatal(err)
		}
		want := []api.AuditEntry{{Person: "anna", SignIn: "oidc", Act: "stop", Object: "ml/train", Job: &job, Detail: "wrong data", Result: audit.Attempt}}
		compare := func() {
			t.Helper()
			got := list(t, db)
			for n := range got {
				if got[n].At.Before(began) || time.Until(got[n].At) > 0 {
					t.Errorf("happened at %v, want a time during the test", got[n].At)
				}
				got[n].At = time.Time{}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("got a difference (-want +got):\n%s", diff)
			}
		}
		compare()
		gone()
		if err := open.End(ctx, audit.Failed, "the server refused"); err != nil {
			t.Fatal(err)
		}
		want[0].Result, want[0].Detail = audit.Failed, "the server refused"
		compare()
		if _, err := l.Begin(ctx, api.AuditEntry{Act: "stop"}); err == nil {
			t.Error("an act begins although its request has ended")
		}
		if err := audit.Write(t.Context(), db, api.AuditEntry{Person: "ben", Act: "submit", Result: audit.Denied}); err != nil {
			t.Fatal(err)
		}
		want = append([]api.AuditEntry{{Person: "ben", Act: "submit", Result: audit.Denied}}, want...)
		compare()
	})
}

// TestHostileTexts: no text prevents an act from being recorded, and each text is truncated.
func TestHostileTexts(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		for _, text := range []string{"\x00", "\xff\xfe", "'; DROP TABLE portal_audit; --", strings.Repeat("x", 1<<20), strings.Repeat("作", 100_000), "\u202e\x1b[31m", "😀"} {
			e := api.AuditEntry{Person: text, SignIn: text, Address: text, Act: text, Object: text, Result: text, Detail: text, Job: &api.JobRef{Cluster: text, UID: text, Type: text, Namespace: text, Name: text}}
			if err := audit.Write(t.Context(), db, e); err != nil {
				t.Fatalf("write of %.20q failed: %v", text, err)
			}
			got := list(t, db)[0]
			if len(got.Detail) > 4096 || len(got.Person) > 300 || len(got.Act) > 63 || !utf8.ValidString(got.Detail+got.Person+got.Act) {
				t.Errorf("%.20q is stored as %d, %d, %d bytes", text, len(got.Detail), len(got.Person), len(got.Act))
			}
			if short := len(text) < 60 && utf8.ValidString(text) && text != "\x00"; short && got.Detail != text {
				t.Errorf("%q is stored as %q", text, got.Detail)
			}
		}
	})
}

// TestPrune: old rows are removed in steps, and new rows stay.
func TestPrune(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		err := db.Transact(t.Context(), func(tx *sqldb.Tx) error {
			for n := range 1500 {
				query := "INSERT INTO portal_audit (act_key, happened_at, ended_at, person, sign_in, address, act, object, cluster, type, namespace, name, uid, result, detail, repeats) VALUES (?, ?, 0, '', '', '', '', '', '', '', '', '', '', '', '', 0)"
				if _, err := tx.Exec(t.Context(), query, fmt.Sprint(n), time.Now().Add(-time.Duration(n)*time.Hour).UnixMicro()); err != nil { // an input: the time of acts
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			audit.New(db, 100*time.Hour).Run(ctx)
		}()
		patience.Until(t, "the old rows are removed", func() string {
			if got := len(list(t, db)); got > 101 {
				return fmt.Sprintf("%d rows are left", got)
			}
			return ""
		})
		cancel()
		patience.Closed(t, "the end of Run", ended)
		if got := len(list(t, db)); got < 99 {
			t.Errorf("%d rows are left, want about 100", got)
		}
	})
}

// TestRefusals: refusals are short, equal ones of an hour are one row with a count, and the rows of a
// person are bounded whatever objects they name. Acts that were done have a row each.
func TestRefusals(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		l := audit.New(db, 0)
		act := func(name, object, result string) {
			t.Helper()
			open, err := l.Begin(identity.With(t.Context(), identity.Person{Name: name}), api.AuditEntry{Act: "submit", Object: object})
			if err != nil {
				t.Fatal(err)
			}
			if err := open.End(t.Context(), result, strings.Repeat("x", 5000)); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			act("anna", "ml/a", audit.Denied)
			act("anna", "ml/a", audit.Done)
		}
		act("ben", "ml/a", audit.Denied)
		var done, refused, repeats int
		for _, e := range list(t, db) {
			if e.Result == audit.Done {
				done++
				continue
			}
			refused++
			repeats += int(e.Repeats)
			if len(e.Detail) > 256 {
				t.Errorf("a refusal has a detail of %d bytes, want at most 256", len(e.Detail))
			}
		}
		if done != 3 || refused < 2 || refused > 3 || refused+repeats != 4 { // the hour may end during the test
			t.Errorf("got %d rows of acts that were done, and %d of refusals with %d repeats; want 3, and 2 with 2", done, refused, repeats)
		}
		for n := range 300 {
			act("carl", fmt.Sprint("ml/", n), audit.Failed)
		}
		rows, repeats, several := 0, 0, 0
		for _, e := range list(t, db) {
			if e.Person == "carl" {
				rows++
				repeats += int(e.Repeats)
			}
			if e.Object == "several" {
				several++
			}
		}
		if rows > 128 || rows+repeats != 300 || several == 0 {
			t.Errorf("300 refusals of different objects: got %d rows, %d repeats and %d rows of several objects; want at most 64 rows an hour with all repeats", rows, repeats, several)
		}
	})
}
