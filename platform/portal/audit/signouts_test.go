package audit_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/audit"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// TestSignOuts: a replica reads each session that another replica has ended, also among many other
// acts. The audit has the person and not the session ID.
func TestSignOuts(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		one, other := audit.NewSignOuts(db), audit.NewSignOuts(db)
		read := func(s *audit.SignOuts, since time.Time) []identity.Ending {
			t.Helper()
			all, err := s.Ended(t.Context(), since)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		day := time.Now().Add(-24 * time.Hour) // an input: the time of sign-outs
		if got := read(other, day); len(got) != 0 {
			t.Fatalf("got %v, want none", got)
		}
		ctx := identity.With(t.Context(), identity.Person{Name: "anna", SignIn: api.SignInOIDC})
		for n := range 5 {
			session := identity.Ending{Person: "anna", Session: fmt.Sprintf("%032d", n), Began: time.Unix(1e9+int64(n), 0).UTC()}
			if n == 3 { // an operator ends all sessions of another person
				session = identity.Ending{Person: "cluster:prod:ben", Began: session.Began}
			}
			for range 2 { // a browser may ask twice
				if err := one.End(ctx, session); err != nil {
					t.Fatal(err)
				}
			}
			for range 3 {
				if err := audit.Write(t.Context(), db, api.AuditEntry{Person: "ben", Act: "stop", Result: audit.Done}); err != nil {
					t.Fatal(err)
				}
			}
			if got := read(other, day); !slices.Contains(got, session) {
				t.Errorf("sign-out %d: got %v, want %v in it", n, got, session)
			}
		}
		if got := read(audit.NewSignOuts(db), time.Now().Add(time.Hour)); len(got) != 0 { // an input: the time of sign-outs
			t.Errorf("sessions that are over: %v", got)
		}
		acts := list(t, db)
		e := acts[len(acts)-1]
		e.At = time.Time{}
		if want := (api.AuditEntry{Person: "anna", SignIn: "oidc", Act: "sign out", Object: "session", Job: e.Job, Detail: "began until 2001-09-09T01:46:40Z", Result: audit.Done}); len(acts) != 21 || e != want {
			t.Errorf("got %d acts, the last %+v, want 21, the last %+v", len(acts), e, want)
		}
	})
}
