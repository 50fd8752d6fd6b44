package identity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// Limits of sessions and their cookies.
const (
	defaultLifetime = 12 * time.Hour
	defaultIdle     = 2 * time.Hour
	maxLifetime     = 30 * 24 * time.Hour
	renewAfter      = time.Minute // how often the time of the last request is updated
	maxChunk        = 3800        // bytes of a cookie
	maxChunks       = 3
)

// session is the encrypted content of a browser's cookie.
type session struct {
	ID     string     `json:"i"`
	Began  int64      `json:"b"` // Unix seconds
	Seen   int64      `json:"s"`
	Until  int64      `json:"u"`
	SignIn api.SignIn `json:"h"`
	Name   string     `json:"n"`
	Groups []string   `json:"g,omitempty"`
	Names  []string   `json:"m,omitempty"`
	// Print identifies a token of the token file. Token is a token of a cluster, and Cluster is the
	// one that identified the person with it.
	Print   string `json:"p,omitempty"`
	Token   string `json:"t,omitempty"`
	Cluster string `json:"c,omitempty"`
}

// person returns the person of a session, with groups if it began with an identity provider.
func (s *session) person() Person {
	return Person{Name: s.Name, Groups: s.Groups, Names: s.Names, Cluster: s.Cluster, SignIn: s.SignIn}
}

// sessions writes and reads the cookies of sessions.
type sessions struct {
	sealer         *sealer
	secure         bool
	lifetime, idle time.Duration
	now            func() time.Time
	ended          *ended
}

func newSessions(s *sealer, secure bool, cfg *Config) (*sessions, error) {
	lifetime, idle := cfg.Lifetime, cfg.Idle
	if lifetime == 0 {
		lifetime = defaultLifetime
	}
	if idle == 0 {
		idle = min(defaultIdle, lifetime)
	}
	if lifetime < 0 || idle < 0 || lifetime > maxLifetime || idle > lifetime {
		return nil, fmt.Errorf("a session lifetime of %v and an idle time of %v: the lifetime must be at most %v, and the idle time not longer than the lifetime", lifetime, idle, maxLifetime)
	}
	return &sessions{sealer: s, secure: secure, lifetime: lifetime, idle: idle, now: time.Now, ended: newEnded(cfg.Endings, lifetime, cfg.Logger)}, nil
}

// name returns the name of a cookie. With the prefix, browsers accept it over HTTPS and from this
// host only.
func (s *sessions) name(of string) string {
	if s.secure {
		return "__Host-vedette-" + of
	}
	return "vedette-" + of
}

// cookie returns a cookie with a maximum age. A negative age deletes it.
func (s *sessions) cookie(of, value string, age time.Duration) *http.Cookie {
	c := &http.Cookie{Name: s.name(of), Value: value, Path: "/", HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode, MaxAge: int(age.Seconds())}
	if age < 0 {
		c.MaxAge = -1
	}
	return c
}

// begin returns a new session for a person. It ends at until, if until is not zero.
func (s *sessions) begin(p Person, until time.Time) session {
	now := s.now()
	end := now.Add(s.lifetime)
	if !until.IsZero() && until.Before(end) {
		end = until
	}
	return session{
		ID: randomText(), Began: now.Unix(), Seen: now.Unix(), Until: end.Unix(),
		SignIn: p.SignIn, Name: p.Name, Groups: p.Groups, Names: p.Names,
	}
}

// purposeSession is the purpose of sealed sessions.
const purposeSession = "session"

// write sends a session to the browser.
//
// Errors: the session does not fit into cookies.
func (s *sessions) write(w http.ResponseWriter, one session) error {
	text, err := s.sealer.seal(purposeSession, one)
	if err != nil {
		return err
	}
	n := (len(text) + maxChunk - 1) / maxChunk
	if n > maxChunks {
		return errors.New("the groups of the person do not fit into cookies")
	}
	age := time.Unix(one.Until, 0).Sub(s.now())
	for chunk := range n {
		value := text[chunk*maxChunk : min(len(text), (chunk+1)*maxChunk)]
		if chunk == 0 {
			value = strconv.Itoa(n) + "." + value
		}
		http.SetCookie(w, s.cookie(chunkName(chunk), value, age))
	}
	return nil
}

func chunkName(n int) string { return "session" + strings.Repeat("-more", n) }

// clear removes the session from the browser.
func (s *sessions) clear(w http.ResponseWriter, r *http.Request) {
	for chunk := range maxChunks {
		if _, err := r.Cookie(s.name(chunkName(chunk))); err == nil {
			http.SetCookie(w, s.cookie(chunkName(chunk), "", -1))
		}
	}
}

// read returns the session of a request. It returns false if there is no session, or if it has
// ended.
func (s *sessions) read(r *http.Request) (session, bool) {
	first, err := r.Cookie(s.name(chunkName(0)))
	if err != nil {
		return session{}, false
	}
	count, text, _ := strings.Cut(first.Value, ".")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > maxChunks {
		return session{}, false
	}
	for chunk := 1; chunk < n; chunk++ {
		more, err := r.Cookie(s.name(chunkName(chunk)))
		if err != nil {
			return session{}, false
		}
		text += more.Value
	}
	var one session
	if s.sealer.open(purposeSession, text, &one) != nil || !s.counts(one) {
		return session{}, false
	}
	return one, true
}

// counts reports whether a session is still valid.
func (s *sessions) counts(one session) bool {
	now := s.now().Unix()
	return one.ID != "" && now < one.Until && now < one.Seen+int64(s.idle.Seconds()) && s.lasts(one)
}

// lasts reports whether the session of an open request is still valid. An open stream counts as
// activity.
func (s *sessions) lasts(one session) bool {
	return s.now().Unix() < one.Until && !s.ended.has(one.person().ID(), one.ID, one.Began)
}

// renew updates the cookie if the session's last recorded request was long ago.
func (s *sessions) renew(w http.ResponseWriter, one session) {
	now := s.now().Unix()
	if now-one.Seen < int64(min(renewAfter, s.idle/4).Seconds()) {
		return
	}
	one.Seen = now
	_ = s.write(w, one) // a session that fitted before still fits
}

// end ends a session, so that copies of its cookie are refused.
func (s *sessions) end(ctx context.Context, one session) {
	_ = s.ended.end(ctx, Ending{Person: one.person().ID(), Session: printOf(one.ID), Began: time.Unix(one.Began, 0)}, s.now()) // it is logged
}
