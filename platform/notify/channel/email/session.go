package email

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	netmail "net/mail"
	"sync"
	"time"

	"github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"github.com/vedette-io/vedette/internal/readlimit"
)

const (
	// timeout is the time limit of one mail, including its connection. Servers that check
	// a mail while the sender waits take half a minute.
	timeout        = time.Minute
	connectTimeout = 20 * time.Second
	aliveTimeout   = 5 * time.Second
	idleTime       = 15 * time.Second // servers close connections that are idle for minutes
	maxIdle        = 2
	maxMails       = 100 // per connection; servers have such a limit too
)

// server has the connection settings.
type server struct {
	host           string
	port           int
	security       Security
	user, password string
	hello          string
	roots          *x509.CertPool
}

// session is one connection to the server. One goroutine at a time uses it.
type session struct {
	client *mail.Client
	smtp   *smtp.Client
	raw    *readlimit.Conn
	mails  int
	expiry *time.Timer // of an idle session; closes it
}

// maxAnswers bounds the answers of a server until the session is ready, and those to one mail, in
// bytes. A line of an answer has at most 512 bytes (RFC 5321, section 4.5.3.1.5).
const maxAnswers = 1 << 20

// dial connects, encrypts and authenticates.
func (s *server) dial(ctx context.Context) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	tlsConfig := &tls.Config{ServerName: s.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12}
	made := &session{}
	dialer := &net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}
	stop := func() bool { return true }
	options := []mail.Option{
		mail.WithPort(s.port), mail.WithTimeout(timeout), mail.WithTLSConfig(tlsConfig), mail.WithoutNoop(),
		mail.WithDialContextFunc(func(ctx2 context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx2, network, address)
			if err != nil {
				return nil, err
			}
			raw := readlimit.NewConn(conn, s.host, maxAnswers)
			made.raw = raw
			stop = context.AfterFunc(ctx, func() { _ = raw.Close() })
			if s.security != ImplicitTLS {
				return raw, nil
			}
			encrypted := tls.Client(raw, tlsConfig)
			return encrypted, encrypted.HandshakeContext(ctx2)
		}),
	}
	switch s.security {
	case ImplicitTLS:
		options = append(options, mail.WithSSL())
	case StartTLS:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	case Opportunistic:
		options = append(options, mail.WithTLSPolicy(mail.TLSOpportunistic))
	default:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	}
	if s.hello != "" {
		options = append(options, mail.WithHELO(s.hello))
	}
	if s.user != "" {
		options = append(options, mail.WithUsername(s.user), mail.WithPassword(s.password), mail.WithOpportunisticSMTPAuth(mechanisms...))
	}
	// A go-mail client keeps state about one server, so each session has its own client.
	client, err := mail.NewClient(s.host, options...)
	if err != nil {
		return nil, err
	}
	made.client = client
	made.smtp, err = client.DialToSMTPClientWithContext(ctx)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		if made.raw != nil {
			_ = made.raw.Close() // the library leaves it open after most faults
		}
		return nil, err
	}
	return made, nil
}

// mechanisms are the authentication mechanisms, best first. All of them run inside TLS, so
// none exposes the password.
var mechanisms = []mail.SMTPAuthType{
	mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthSCRAMSHA1, mail.SMTPAuthCramMD5, mail.SMTPAuthPlain, mail.SMTPAuthLogin,
}

// send sends one mail. The connection is closed if ctx ends.
func (s *session) send(ctx context.Context, m *mail.Msg) error {
	stop := context.AfterFunc(ctx, func() { _ = s.raw.Close() })
	defer stop()
	s.mails++
	s.raw.Allow()
	// A mail with SMTPUTF8 cannot pass servers without it, so only addresses that need it
	// request it.
	s.smtp.SkipSMTPUTF8(plain(m.GetToString()) && plain(m.GetFromString()))
	return s.client.SendWithSMTPClient(s.smtp, m)
}

// plain reports whether all addresses are ASCII.
func plain(addresses []string) bool {
	for _, a := range addresses {
		if parsed, err := netmail.ParseAddress(a); err == nil {
			a = parsed.Address // without the name, which is encoded
		}
		for i := range len(a) {
			if a[i] >= 0x80 {
				return false
			}
		}
	}
	return true
}

// quit sends QUIT, waits for at most a second, and closes the connection.
func (s *session) quit() {
	_ = s.raw.SetDeadline(time.Now().Add(time.Second))
	_ = s.smtp.Quit() // the server may have disconnected
	_ = s.raw.Close()
}

// alive checks whether the session still works.
func (s *session) alive(ctx context.Context) bool {
	stop := context.AfterFunc(ctx, func() { _ = s.raw.Close() })
	defer stop()
	return s.smtp.UpdateDeadline(aliveTimeout) == nil && s.smtp.Noop() == nil
}

// pool keeps idle sessions.
type pool struct {
	mu     sync.Mutex
	idle   []*session
	closed bool
	ending sync.WaitGroup // sessions that are being closed
}

// take returns an idle session, or nil if no session is idle.
//
// Errors: the pool is closed.
func (p *pool) take() (*session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errors.New("the channel is closed")
	}
	if len(p.idle) == 0 {
		return nil, nil
	}
	s := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	s.expiry.Stop() // if the timer still fires, it does not find the session
	return s, nil
}

// put keeps a session for the next mail, or closes it.
func (p *pool) put(s *session) {
	p.mu.Lock()
	if p.closed || len(p.idle) >= maxIdle || s.mails >= maxMails {
		p.mu.Unlock()
		s.quit()
		return
	}
	s.expiry = time.AfterFunc(idleTime, func() { p.expire(s) })
	p.idle = append(p.idle, s)
	p.mu.Unlock()
}

// expire closes a session that was idle for too long.
func (p *pool) expire(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, idle := range p.idle {
		if idle == s {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			p.ending.Go(s.quit)
			return
		}
	}
}

// close closes all idle sessions, and waits until they are closed. Sessions in use are
// closed when they are returned.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	for _, s := range p.idle {
		s.expiry.Stop()
		p.ending.Go(s.quit)
	}
	p.idle = nil
	p.mu.Unlock()
	p.ending.Wait()
}
