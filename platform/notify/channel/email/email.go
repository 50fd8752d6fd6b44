package email

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// Options configure a channel.
type Options struct {
	// URL is the server: smtp://HOST[:PORT] for STARTTLS (default port 587), or
	// smtps://HOST[:PORT] for implicit TLS (default port 465).
	URL string
	// Security changes the meaning of smtp://. It must be StartTLS for smtps://.
	Security Security
	// Username and Password authenticate; both may be empty. The password is a secret. The
	// mechanism is the best that the server offers of SCRAM-SHA-256, SCRAM-SHA-1,
	// CRAM-MD5, PLAIN and LOGIN.
	Username, Password string
	// From is the sender: an address, with or without a name.
	From string
	// To is the receiver of messages whose receiver has no address; may be empty.
	To string
	// Subject selects the content of the subject line.
	Subject Subject
	// Hello is the name of this machine in the greeting; "" means the system's host name.
	Hello string
	// Roots are the certificate authorities of the server; nil means the system's.
	Roots *x509.CertPool
}

// Channel sends mails through one server.
type Channel struct {
	server  server
	from    string
	to      string
	subject Subject
	pool    pool
}

// New returns a channel. It does not connect.
//
// Errors: an option is not valid. The error shows no secret.
func New(o Options) (*Channel, error) {
	s, err := serverOf(&o)
	if err != nil {
		return nil, err
	}
	c := &Channel{server: *s, subject: o.Subject}
	if c.from, err = addressOf(o.From); err != nil {
		return nil, fmt.Errorf("the sender (from) %w", err)
	}
	if o.To != "" {
		if c.to, err = addressOf(o.To); err != nil {
			return nil, fmt.Errorf("the receiver (to) %w", err)
		}
	}
	return c, nil
}

// serverOf checks the connection options.
func serverOf(o *Options) (*server, error) {
	u, err := url.Parse(strings.TrimSpace(o.URL))
	switch {
	case err != nil:
		return nil, errors.New("the URL of the mail server is not valid")
	case u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "":
		return nil, errors.New("the URL of the mail server must be smtp://HOST:PORT or smtps://HOST:PORT")
	case u.User != nil:
		return nil, errors.New("the URL of the mail server contains a user; set user name and password in their own settings")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the URL of the mail server ends after the port")
	case u.Scheme == "smtps" && o.Security != StartTLS && o.Security != ImplicitTLS:
		return nil, errors.New("a URL with smtps:// always encrypts; use smtp:// for a server without TLS")
	case o.Security < StartTLS || o.Security > Plaintext:
		return nil, fmt.Errorf("Security %d does not exist", o.Security)
	}
	s := &server{host: u.Hostname(), security: o.Security, user: o.Username, password: o.Password, hello: o.Hello, roots: o.Roots}
	s.port = 587
	if u.Scheme == "smtps" {
		s.security = ImplicitTLS
	}
	if s.security == ImplicitTLS {
		s.port = 465
	}
	if u.Port() != "" {
		if s.port, err = strconv.Atoi(u.Port()); err != nil || s.port < 1 || s.port > 65535 {
			return nil, errors.New("the port of the mail server must be 1 to 65535")
		}
	}
	switch {
	case (s.user == "") != (s.password == ""):
		return nil, errors.New("the mail server needs both user name and password, or neither")
	case s.user != "" && s.security != StartTLS && s.security != ImplicitTLS:
		return nil, errors.New("a password needs encryption: use smtps://, or smtp:// with STARTTLS")
	case strings.ContainsAny(s.user+s.password+s.hello, "\r\n\x00"):
		return nil, errors.New("user name, password and hello must not contain line breaks")
	}
	return s, nil
}

// addressOf returns an address in the form of a header.
func addressOf(text string) (string, error) {
	a, err := mail.ParseAddress(strings.TrimSpace(text))
	if err != nil || strings.ContainsAny(a.Address, "\r\n \t") || len(a.Address) > 320 {
		return "", errors.New("is not one e-mail address such as ops@example.com or Ops <ops@example.com>")
	}
	for _, r := range a.Name {
		if r < ' ' || r == 0x7f {
			return "", errors.New("has a name with a control character")
		}
	}
	return a.String(), nil
}

// Traits implements channel.Channel. The rate protects the reputation of the sender.
func (c *Channel) Traits() channel.Traits {
	return channel.Traits{Kind: "email", Rate: channel.Rate{Count: 120, Per: time.Minute}, Timeout: timeout}
}

// Send implements channel.Channel. It sends one mail to the address of the receiver, or to
// Options.To if the receiver has no address.
//
// Errors: see the package.
func (c *Channel) Send(ctx context.Context, m *message.Message, to channel.Receiver) (channel.Receipt, error) {
	address, err := c.receiver(to)
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	content, err := render(m, c.subject)
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	id := idOf(m, bare(address))
	mail, err := build(envelope{c.from, address, id, threadOf(m), inHeader(m.Footer.Mute.URL), inHeader(m.Footer.Unsubscribe), time.Now()}, content)
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s, err := c.session(ctx)
	if err != nil {
		return channel.Receipt{}, connectFailure(ctx, err, c.server.password)
	}
	err = s.send(ctx, mail)
	if err != nil && !mail.IsDelivered() { // ignore faults after the server accepted the mail
		s.quit()
		return channel.Receipt{}, sendFailure(ctx, err, c.server.password)
	}
	if err != nil {
		s.quit()
	} else {
		c.pool.put(s)
	}
	return channel.Receipt{Status: words(errors.New(cmp.Or(mail.ServerResponse(), "250"))), Ref: id}, nil
}

// receiver returns the address with the name.
func (c *Channel) receiver(to channel.Receiver) (string, error) {
	if to.Address == "" {
		if c.to == "" {
			return "", errors.New("the receiver has no e-mail address; add one to the table of people, or a `to` to the channel")
		}
		return c.to, nil
	}
	a, err := mail.ParseAddress(to.Address)
	if err != nil {
		return "", errors.New("the receiver's e-mail address is not valid")
	}
	if a.Name == "" {
		a.Name = message.Clean(to.Name)
	}
	address, err := addressOf(a.String())
	if err != nil {
		return "", fmt.Errorf("the receiver %w", err)
	}
	return address, nil
}

// bare returns an address without its name, which may change between two tries.
func bare(address string) string {
	if a, err := mail.ParseAddress(address); err == nil {
		return a.Address
	}
	return address
}

// session returns an idle session that still works, or a new one.
func (c *Channel) session(ctx context.Context) (*session, error) {
	for {
		s, err := c.pool.take()
		if err != nil {
			return nil, err
		}
		if s == nil {
			break
		}
		if s.alive(ctx) {
			return s, nil
		}
		s.quit()
	}
	return c.server.dial(ctx)
}

// Check implements channel.Channel: the server answers, encrypts and accepts the password.
func (c *Channel) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	s, err := c.server.dial(ctx)
	if err != nil {
		return connectFailure(ctx, err, c.server.password)
	}
	s.quit()
	return nil
}

// Close implements channel.Channel.
func (c *Channel) Close() error {
	c.pool.close()
	return nil
}
