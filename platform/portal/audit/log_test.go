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
				query := "INSERT INTO portal_audit (act_key, happened_at, ended_at, person, sign_in, address, act, object, cluster, type, namespace, name, uid, result, detail) VALUES (?, ?, 0, '', '', '', '', '', '', '', '', '', '', '', '')"
				if _, err := tx.Exec(t.Context(), query, fmt.Sprint(n), time.Now().Add(-time.Duration(n)*time.Hour).UnixMicro()); err != nil { // an input: the time of acts
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		l := audit.New(db, 100*time.Hour)
		for _, want := range []int{501, 103, 104, 104} { // 100 or 101 of the hours are left, plus one for each act
			if _, err := l.Begin(t.Context(), api.AuditEntry{Act: "stop"}); err != nil {
				t.Fatal(err)
			}
			if got := len(list(t, db)); got < want-1 || got > want+1 {
				t.Errorf("%d rows are left, want about %d", got, want)
			}
		}
	})
}
