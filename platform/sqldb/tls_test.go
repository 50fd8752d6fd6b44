package sqldb_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestTLSOfMySQL checks the parameters tls and tls-ca with a server that has a certificate without
// a name, as MySQL makes for itself.
func TestTLSOfMySQL(t *testing.T) {
	if !strings.Contains(os.Getenv(dbtest.Variable), "mariadb") {
		return
	}
	dir := t.TempDir()
	for d := dir; strings.HasPrefix(d, os.TempDir()+"/"); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil { // the server has another user
			t.Fatal(err)
		}
	}
	authority := newCertificate(t, dir, "authority", nil)
	other := newCertificate(t, dir, "other", nil)
	own := newCertificate(t, dir, "server", authority)
	server := dbtest.StartMariaDB(t, "--ssl-cert="+own.file, "--ssl-key="+own.keyFile, "--ssl-ca="+authority.file)
	url := server.Empty(t)
	for parameters, want := range map[string]string{
		"":                 "",
		"?tls=preferred":   "",
		"?tls=skip-verify": "",
		"?tls=verify-ca&tls-ca=" + authority.file: "",
		"?tls=verify-ca&tls-ca=" + other.file:     "the certificate of the server is not trusted",
		"?tls=true&tls-ca=" + authority.file:      "the certificate of the server contains no host name",
		"?tls-ca=" + authority.file:               "or use tls=verify-ca",
		"?tls=true":                               "the certificate of the server",
		"?tls=false":                              "not encrypted",
	} {
		d, err := sqldb.Open(t.Context(), url+parameters)
		if want != "" && want != "not encrypted" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got error %v, want one with %q", parameters, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", parameters, err)
			continue
		}
		var name, cipher string
		if err := d.SQL().QueryRowContext(t.Context(), "SHOW STATUS LIKE 'Ssl_cipher'").Scan(&name, &cipher); err != nil || (cipher == "") != (want != "") {
			t.Errorf("%s: got the cipher %q, %v", parameters, cipher, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// certificate is a certificate with its key, in PEM files.
type certificate struct {
	*x509.Certificate
	key           *ecdsa.PrivateKey
	file, keyFile string
}

// newCertificate makes a certificate without names that an authority signs, or an authority.
func newCertificate(t *testing.T, dir, name string, by *certificate) *certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0),
		IsCA: by == nil, BasicConstraintsValid: true,
	}
	c := &certificate{text, key, filepath.Join(dir, name+".pem"), filepath.Join(dir, name+"-key.pem")}
	if by == nil {
		by = c
	} else {
		text.SerialNumber = big.NewInt(2)
	}
	signed, err := x509.CreateCertificate(rand.Reader, text, by.Certificate, &key.PublicKey, by.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{c.file: {Type: "CERTIFICATE", Bytes: signed}, c.keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return c
}
