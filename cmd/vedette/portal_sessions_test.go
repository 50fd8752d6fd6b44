package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestEndSessions: the command of an operator ends the session of a browser, whose cookie has the
// lifetime of --session-lifetime.
func TestEndSessions(t *testing.T) {
	home(t)
	r := newArchive(t)
	const text = "tokens:\n- name: ann\n  token: token-of-ann-0123456789\n- name: root\n  groups: [sre]\n  token: token-of-root-0123456789\n"
	base := startPortal(t, r, "--rights=false", "--operators", "sre", "--session-lifetime", "1h", "--sign-in-tokens", file(t, "tokens.yaml", text))
	awaitReady(t, base)
	transport := &http.Transport{DisableKeepAlives: true}
	form, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/auth/token", strings.NewReader(url.Values{"token": {"token-of-ann-0123456789"}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := transport.RoundTrip(form)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	all := answer.Cookies()
	if len(all) != 1 || all[0].MaxAge < int((59*time.Minute).Seconds()) || all[0].MaxAge > int(time.Hour.Seconds()) {
		t.Fatalf("got the cookies %v, want one of an hour", all)
	}
	status := func() int {
		t.Helper()
		got, _ := asStranger(t, http.MethodGet, base+"/api/v1/session", "Cookie", all[0].Name+"="+all[0].Value)
		return got
	}
	if got := status(); got != http.StatusOK {
		t.Errorf("before: got status %d", got)
	}
	login(t, 0, "token-of-root-0123456789", base)
	if _, errs := ended(t, 0, "portal", "end-sessions", "ann", "--server", base); !strings.HasPrefix(errs, "All sessions of ann have ended.") {
		t.Errorf("an operator: said %s", errs)
	}
	if got := status(); got != http.StatusUnauthorized {
		t.Errorf("after: got status %d, want 401", got)
	}
}
