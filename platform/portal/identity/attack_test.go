package identity

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// board shares ended sessions between the replicas of a test.
type board struct {
	mu   sync.Mutex
	all  []Ending
	who  []string
	away bool
}

func (b *board) End(ctx context.Context, session Ending) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return errors.New("away")
	}
	b.all, b.who = append(b.all, session), append(b.who, Of(ctx).Name)
	return nil
}

func (b *board) Ended(context.Context, time.Time) ([]Ending, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return nil, errors.New("away")
	}
	return slices.Clone(b.all), nil
}

// TestSignedOutEverywhere: after a sign-out, the replica that received it refuses copies of the
// cookie at once, and the other replicas within seconds. The store gets no session ID.
func TestSignedOutEverywhere(t *testing.T) {
	key := tokens(t, "0123456789abcdef0123456789abcdef")
	file := tokens(t, anna)
	synctest.Test(t, func(t *testing.T) {
		shared := &board{}
		replica := func() *fixture { return newFixture(t, Config{Tokens: file, Key: key, Endings: shared}) }
		one, other := replica(), replica()
		ctx, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() { other.Run(ctx) })
		cookie := cookies(one.paste(secret))
		got := other.want(request("GET", "/", "Cookie", cookie))
		shared.mu.Lock()
		shared.away = true
		shared.mu.Unlock()
		<-time.After(4 * endedEvery)
		shared.mu.Lock()
		shared.away = false
		shared.mu.Unlock()
		if w := one.status("DELETE", "/api/v1/session", "Cookie", cookie, HeaderCSRF, got.CSRF); w != http.StatusNoContent {
			t.Fatalf("got status %v, want %v", w, http.StatusNoContent)
		}
		if w := one.status("GET", "/", "Cookie", cookie); w != http.StatusUnauthorized {
			t.Errorf("the replica that received the sign-out answers %d, want 401", w)
		}
		<-time.After(endedEvery + time.Millisecond)
		if w := other.status("GET", "/", "Cookie", cookie); w != http.StatusUnauthorized {
			t.Errorf("the other replica answers %d after some seconds", w)
		}
		again := cookies(one.paste(secret))
		if w := other.status("GET", "/", "Cookie", again); w != http.StatusOK {
			t.Errorf("a new session gets %d", w)
		}
		late := replica() // started after the end
		work.Go(func() { late.Run(ctx) })
		synctest.Wait()
		if w := late.status("GET", "/", "Cookie", cookie); w != http.StatusUnauthorized {
			t.Errorf("a replica that starts later answers %d", w)
		}
		if len(shared.all) != 1 || len(shared.all[0].Session) != 32 || shared.who[0] != "anna" {
			t.Errorf("stored %v by %q, want one hash of 32 bytes by anna", shared.all, shared.who)
		}
		cancel()
		work.Wait()
	})
}

// TestEndedForever: no number of sign-outs, of one person or of many, makes the cookie of an ended
// session count again while it lasts, and the table stays small. Other people are not affected.
func TestEndedForever(t *testing.T) {
	e := newEnded(nil, time.Hour, slog.New(slog.DiscardHandler))
	now := time.Unix(1e9, 0)
	of := func(name string, n int) *session {
		return &session{ID: strconv.Itoa(n), Name: name, Began: now.Unix() + int64(n)}
	}
	end := func(one *session) {
		_ = e.end(t.Context(), Ending{Person: one.Name, Session: printOf(one.ID), Began: time.Unix(one.Began, 0)}, now)
	}
	has := func(one *session) bool { return e.has(one.Name, one.ID, one.Began) }
	const many = 60_000
	for n := range many {
		end(of("anna", n))
		end(of("person "+strconv.Itoa(n), n))
	}
	for n := range many {
		if !has(of("anna", n)) || !has(of("person "+strconv.Itoa(n), n)) {
			t.Fatalf("session %d counts again", n)
		}
	}
	if len(e.people["anna"].sessions) > maxEndedOfPerson {
		t.Errorf("%d sessions of a person are kept", len(e.people["anna"].sessions))
	}
	if has(of("anna", many)) || has(of("ben", 0)) {
		t.Error("a session that has not ended is refused")
	}
	now = now.Add(2 * time.Hour) // all sessions are over
	end(of("ben", 0))
	if len(e.people) != 1 {
		t.Errorf("%d people are kept after their sessions are over", len(e.people))
	}
}

// TestEndSessions: an operator ends all sessions of a person, at all replicas; the person may sign in
// again, and others stay signed in.
func TestEndSessions(t *testing.T) {
	key := tokens(t, "0123456789abcdef0123456789abcdef")
	const other = "incorrect-horse-battery-staple"
	file := tokens(t, anna+"- name: ben\n  token: "+other+"\n")
	synctest.Test(t, func(t *testing.T) {
		shared := &board{}
		replica := func() *fixture { return newFixture(t, Config{Tokens: file, Key: key, Endings: shared}) }
		one, two := replica(), replica()
		ctx, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		work.Go(func() { two.Run(ctx) })
		first := cookies(one.paste(secret))
		<-time.After(time.Second)
		second, ben := cookies(one.paste(secret)), cookies(one.paste(other))
		if err := one.EndSessions(t.Context(), "anna"); err != nil {
			t.Fatal(err)
		}
		<-time.After(endedEvery + time.Millisecond)
		for name, r := range map[string]*fixture{"this replica": one, "the other": two} {
			for cookie, want := range map[string]int{first: 401, second: 401, ben: 200} {
				if got := r.status("GET", "/", "Cookie", cookie); got != want {
					t.Errorf("%s: got status %d, want %d", name, got, want)
				}
			}
			if got := r.status("GET", "/", "Cookie", cookies(r.paste(secret))); got != http.StatusOK {
				t.Errorf("%s: a new session: got status %d", name, got)
			}
		}
		cancel()
		work.Wait()
	})
}

// TestGuessesAtOnce: of many concurrent guesses, few are sent to the clusters.
func TestGuessesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		asked, most := 0, 0
		f := newFixture(t, Config{Review: func(ctx context.Context, token, _ string) (Person, bool, error) {
			mu.Lock()
			asked++
			most = max(most, asked)
			mu.Unlock()
			<-time.After(time.Second)
			return Person{Name: "ann"}, token == "right", nil
		}})
		var work sync.WaitGroup
		for n := range 500 {
			work.Go(func() { f.status("GET", "/", "Authorization", "Bearer guess-"+strconv.Itoa(n)) })
		}
		work.Wait()
		if most > maxFailures {
			t.Errorf("%d tokens were reviewed at once", most)
		}
		<-time.After(failureWindow)
		if w := f.status("GET", "/", "Authorization", "Bearer right"); w != http.StatusOK {
			t.Errorf("the right token gets %d", w)
		}
		for range 100 { // concurrent requests with one token count as one guess
			work.Go(func() {
				if w := f.status("GET", "/", "Authorization", "Bearer right"); w != http.StatusOK {
					t.Errorf("the right token gets %d", w)
				}
			})
		}
		work.Wait()
		for host, one := range f.auth.throttle.began {
			if len(one.under) > 0 {
				t.Errorf("%v: %d tokens are still looked up", host, len(one.under))
			}
		}
	})
}

// TestOpenPaths: exactly the open paths need no sign-in, however a path is written.
func TestOpenPaths(t *testing.T) {
	f := newFixture(t, Config{Tokens: tokens(t, anna), Open: []string{"/assets/", "/licenses.txt"}})
	for path, want := range map[string]int{
		"/assets/main.js": 200, "/licenses.txt": 200, "/licenses.txt/x": 401, "/assets": 401,
		"/api/v1/jobs/x/..%2f..%2f..%2f..%2fassets%2fy": 401, "/api/v1/jobs/x/../../../../assets/y": 401, "/api/v1/templates/%2e%2e%2f%2e%2e%2f%2e%2e%2fassets%2fx": 401,
		"/assets/..%2fapi/v1/jobs": 401, "/assets/../api/v1/jobs": 401, "/assets//x": 401, "/%61ssets/main.js": 401, "//assets/x": 401,
	} {
		if got := f.status("GET", path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
	if got := f.status("POST", "/assets/main.js"); got != 401 {
		t.Errorf("a write: got status %d, want 401", got)
	}
}

// TestFloodOfSignIns: an address that sends too many forms is refused; another address is not.
func TestFloodOfSignIns(t *testing.T) {
	f := newFixture(t, Config{Tokens: tokens(t, anna)})
	synctest.Test(t, func(t *testing.T) {
		last := &httptest.ResponseRecorder{}
		for range rateAtOnce + 1 {
			last = f.send(request("GET", "/auth/methods"))
		}
		if last.Code != http.StatusTooManyRequests || last.Header().Get("Retry-After") == "" {
			t.Errorf("got status %d and headers %v, want 429 and Retry-After", last.Code, last.Header())
		}
		if w := f.paste(secret); w.Code != http.StatusTooManyRequests {
			t.Errorf("a form: got status %d, want 429", w.Code)
		}
		r := request("GET", "/auth/")
		r.RemoteAddr = "[2001:db8::1]:1"
		if w := f.send(r); w.Code != http.StatusOK {
			t.Errorf("another address gets %d", w.Code)
		}
	})
}

// TestOtherPrograms: an ID token for the command line does not complete a browser's sign-in, whose
// code somebody else may have requested.
func TestOtherPrograms(t *testing.T) {
	p := newIDP(t)
	f := p.portal(nil)
	p.claims["aud"] = "cli"
	attempt := p.begin(f)
	if w := f.send(request("GET", "/auth/callback?code=the-code&state="+p.asked.Get("state"), "Cookie", attempt)); w.Code != 401 || strings.Contains(w.Header().Get("Set-Cookie"), "session=1") {
		t.Errorf("a browser: got status %d and headers %v, want 401 and no session", w.Code, w.Header())
	}
	if got := f.status("GET", "/api/v1/jobs", "Authorization", "Bearer "+p.token(nil)); got != 200 {
		t.Errorf("the command line: %d", got)
	}
}

// TestPastedTokens: a token in a URL is refused, because URLs are logged. A second sign-in ends the
// earlier session, so a cookie that an attacker has planted becomes invalid.
func TestPastedTokens(t *testing.T) {
	f := newFixture(t, Config{Tokens: tokens(t, anna), URL: "https://v.example.com"})
	form := func(path, body, cookie string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Cookie", cookie)
		return f.send(r)
	}
	for path, body := range map[string]string{"/auth/token?token=" + secret: "to=/", "/auth/token?token=x": "token=" + secret} {
		if w := form(path, body, ""); w.Code != 400 || w.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s: got status %d and headers %v, want 400 and no cookie", path, w.Code, w.Header())
		}
	}
	before := cookies(f.paste(secret))
	if w := form("/auth/token", "token="+secret, before); w.Code != 303 || f.status("GET", "/api/v1/jobs", "Cookie", cookies(w)) != 200 {
		t.Errorf("the second sign-in: %d", w.Code)
	}
	if got := f.status("GET", "/api/v1/jobs", "Cookie", before); got != 401 {
		t.Errorf("the earlier session: %d", got)
	}
}
