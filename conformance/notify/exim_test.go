package notify_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
)

// exim is a mail server of one test. It accepts mails after authentication inside TLS,
// and delivers them to files.
type exim struct {
	dir            string
	smtp, implicit int // ports
	roots          *x509.CertPool
}

const (
	eximUser     = "vedette"
	eximPassword = "p4ss word"
)

// authenticators are the methods of authentication. Each is offered alone.
var authenticators = map[string]string{
	"PLAIN": `  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = ${if and{{eq{$auth2}{USER}}{eq{$auth3}{PASSWORD}}}}
  server_set_id = $auth2
`,
	"LOGIN": `  driver = plaintext
  public_name = LOGIN
  server_prompts = <| Username: | Password:
  server_condition = ${if and{{eq{$auth1}{USER}}{eq{$auth2}{PASSWORD}}}}
  server_set_id = $auth1
`,
	"CRAM-MD5": `  driver = cram_md5
  public_name = CRAM-MD5
  server_secret = ${if eq{$auth1}{USER}{PASSWORD}fail}
  server_set_id = $auth1
`,
}

const eximConfig = `primary_hostname = mail.test
daemon_smtp_ports = SMTP : IMPLICIT
tls_on_connect_ports = IMPLICIT
local_interfaces = 127.0.0.1
tls_certificate = DIR/cert.pem
tls_privatekey = DIR/key.pem
tls_advertise_hosts = *
spool_directory = DIR/spool
log_file_path = DIR/log/%slog
exim_user = OWNER
exim_group = GROUP
never_users =
keep_environment =
disable_ipv6
deliver_drop_privilege
rfc1413_query_timeout = 0s
host_lookup =
acl_smtp_rcpt = rcpt
begin acl
rcpt:
  require authenticated = *
          message = 5.7.0 authentication required
  defer local_parts = later
        message = 4.2.0 try again later
  deny local_parts = unknown
       message = 5.1.1 no such user
  accept
begin routers
all:
  driver = accept
  transport = box
begin transports
box:
  driver = appendfile
  directory = DIR/mail
  create_directory
  maildir_format
  envelope_to_add
  user = OWNER
  group = GROUP
begin authenticators
way:
AUTHENTICATOR  server_advertise_condition = ${if def:tls_in_cipher}
`

// startExim starts a server with one method of authentication, until the test ends.
func startExim(t *testing.T, way string) *exim {
	t.Helper()
	var program string
	for _, name := range []string{"exim4", "/usr/sbin/exim4", "exim", "/usr/sbin/exim"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Fatal("Exim is not installed; run tools/setup.sh mail")
	}
	dir, err := os.MkdirTemp("", "vedette-exim-") // the server may run as another user, who may not read t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	e := &exim{dir: dir, smtp: freePort(t), implicit: freePort(t)}
	e.writeCertificate(t)
	owner, group := e.give(t)
	config := strings.NewReplacer("AUTHENTICATOR", authenticators[way], "DIR", dir, "SMTP", strconv.Itoa(e.smtp), "IMPLICIT", strconv.Itoa(e.implicit), "OWNER", owner, "GROUP", group).Replace(eximConfig)
	config = strings.NewReplacer("{USER}", "{"+eximUser+"}", "{PASSWORD}", "{"+eximPassword+"}").Replace(config)
	if err := os.WriteFile(filepath.Join(dir, "conf"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	output, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		t.Fatal(err)
	}
	testinput.Uncached(t)
	server := exec.Command(program, "-C", filepath.Join(dir, "conf"), "-bdf")
	server.Stdout, server.Stderr = output, output
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL) // and its delivery processes
		_ = server.Wait()
		_ = output.Close()
		if t.Failed() {
			t.Logf("the server logged:\n%s%s", read(filepath.Join(dir, "output")), read(filepath.Join(dir, "log", "mainlog")))
		}
	})
	patience.Until(t, "the mail server", func() string {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", e.implicit))
		if err != nil {
			return err.Error()
		}
		_ = c.Close()
		return ""
	})
	return e
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// writeCertificate creates a certificate for 127.0.0.1.
func (e *exim) writeCertificate(t *testing.T) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mail.test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	e.roots = x509.NewCertPool()
	e.roots.AppendCertsFromPEM(certificate)
	for name, text := range map[string][]byte{"cert.pem": certificate, "key.pem": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})} {
		if err := os.WriteFile(filepath.Join(e.dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// give creates the folders of the server, and gives them to its user: the current one, or
// nobody in place of root, which Exim refuses.
func (e *exim) give(t *testing.T) (owner, group string) {
	t.Helper()
	u, err := user.Current()
	if err == nil && u.Uid == "0" {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Fatal(err)
	}
	g, err := user.LookupGroupId(u.Gid)
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(u.Uid) // numeric on every system with Exim
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chmod(e.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"spool", "log", "mail", "cert.pem", "key.pem"} {
		path := filepath.Join(e.dir, name)
		if !strings.Contains(name, ".") {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chown(path, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	return u.Username, g.Name
}

// mails returns the delivered mails.
func (e *exim) mails(t *testing.T) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.dir, "mail", "new", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		all = append(all, read(file))
	}
	return all
}

func read(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
