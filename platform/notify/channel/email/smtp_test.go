package email

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// mailbox is an SMTP server for faults: it answers according to a script. The tests of
// module conformance use a real server.
type mailbox struct {
	net.Listener
	certificate tls.Certificate
	roots       *x509.CertPool
	implicit    bool
	noStartTLS  bool

	mu          sync.Mutex
	script      map[string]string // verb -> answer in place of success; "close" disconnects, "silent" sends nothing, "flood" sends a line without an end
	scriptOnce  map[string]string // the same, for one command
	mails       []received
	connections int
	lines       []string
	open        map[net.Conn]bool
	done        sync.WaitGroup
	flooded     atomic.Int64 // bytes that a flood has sent
}

// received is a mail that the server accepted.
type received struct {
	from, to, data string
	encrypted      bool
}

// newMailbox starts a server; configure changes it before its first connection.
func newMailbox(t *testing.T, configure ...func(*mailbox)) *mailbox {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &mailbox{Listener: listener, script: map[string]string{}, scriptOnce: map[string]string{}, open: map[net.Conn]bool{}}
	s.certificate, s.roots = certificate(t)
	for _, change := range configure {
		change(s)
	}
	s.done.Go(s.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		s.mu.Lock()
		for c := range s.open {
			_ = c.Close()
		}
		s.mu.Unlock()
		s.done.Wait()
	})
	return s
}

// certificate returns a certificate for 127.0.0.1, and a pool that trusts it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), // an input: the validity of a certificate
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

func (s *mailbox) accept() {
	for {
		c, err := s.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.connections++
		s.open[c] = true
		s.mu.Unlock()
		s.done.Go(func() {
			s.serve(c)
			_ = c.Close()
			s.mu.Lock()
			delete(s.open, c)
			s.mu.Unlock()
		})
	}
}

// answer returns the answer of the script for a verb, else the usual answer.
func (s *mailbox) answer(verb, usual string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text, ok := s.scriptOnce[verb]; ok {
		delete(s.scriptOnce, verb)
		return text
	}
	if text, ok := s.script[verb]; ok {
		return text
	}
	return usual
}

// once sets the answer to the next RCPT command only.
func (s *mailbox) once(verb, answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scriptOnce[verb] = answer
}

func (s *mailbox) set(verb, answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer == "" {
		delete(s.script, verb)
		return
	}
	s.script[verb] = answer
}

func (s *mailbox) serve(c net.Conn) {
	raw := c
	if s.implicit {
		c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{s.certificate}})
	}
	r := bufio.NewReader(c)
	encrypted := s.implicit
	var mail received
	say := func(verb, usual string) bool {
		switch text := s.answer(verb, usual); text {
		case "close":
			_ = raw.Close()
			return false
		case "flood":
			for text := bytes.Repeat([]byte("2"), 64<<10); ; {
				n, err := c.Write(text)
				if s.flooded.Add(int64(n)); err != nil || s.flooded.Load() > 256<<20 {
					return false
				}
			}
		case "silent":
			_, _ = r.ReadByte() // until the client disconnects
			return false
		default:
			_, err := fmt.Fprintf(c, "%s\r\n", text)
			return err == nil
		}
	}
	if !say("greeting", "220 test ESMTP") {
		return
	}
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = s.note(line)
		verb, rest, _ := strings.Cut(line, " ")
		switch verb = strings.ToUpper(verb); verb {
		case "EHLO":
			if !say(verb, s.extensions(encrypted)) {
				return
			}
		case "STARTTLS":
			if !say(verb, "220 go ahead") {
				return
			}
			if s.answer(verb, "") != "" {
				continue
			}
			c = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{s.certificate}})
			r, encrypted = bufio.NewReader(c), true
		case "DATA":
			mail.encrypted = encrypted
			if !s.take(r, mail, say) {
				return
			}
		case "QUIT":
			_ = say(verb, "221 bye")
			return
		default:
			switch verb {
			case "MAIL":
				mail.from = rest
			case "RCPT":
				mail.to = rest
			}
			usual := "250 2.1.0 ok"
			if verb == "AUTH" {
				usual = "235 2.7.0 welcome"
			}
			if !say(verb, usual) {
				return
			}
		}
	}
}

// note records a line of the client.
func (s *mailbox) note(line string) string {
	line = strings.TrimRight(line, "\r\n")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
	return line
}

// extensions returns the usual answer to EHLO.
func (s *mailbox) extensions(encrypted bool) string {
	text := "250-test\r\n250-ENHANCEDSTATUSCODES\r\n"
	if encrypted {
		text += "250-AUTH PLAIN LOGIN\r\n"
	} else if !s.noStartTLS {
		text += "250-STARTTLS\r\n"
	}
	return text + "250 8BITMIME"
}

// take answers DATA and reads the mail. It reports whether the session continues.
func (s *mailbox) take(r *bufio.Reader, mail received, say func(verb, usual string) bool) bool {
	if !say("DATA", "354 go ahead") {
		return false
	}
	if s.answer("DATA", "") != "" {
		return true
	}
	var err error
	if mail.data, err = readData(r); err != nil {
		return false
	}
	if end := s.answer("end", "250"); strings.HasPrefix(end, "2") || end == "close" {
		s.mu.Lock()
		s.mails = append(s.mails, mail)
		s.mu.Unlock()
	}
	return say("end", "250 2.0.0 queued as 7F3A")
}

func readData(r *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return "", err
		}
		if line == ".\r\n" {
			return b.String(), nil
		}
		b.WriteString(strings.TrimPrefix(line, "."))
	}
}

// taken returns the mails that arrived, and the number of connections.
func (s *mailbox) taken() ([]received, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.mails...), s.connections
}

// said reports whether a client sent a line with the text.
func (s *mailbox) said(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(strings.Join(s.lines, "\n"), text)
}
