package portal

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// writeCertificate writes a certificate with a serial number, and its key.
func writeCertificate(t *testing.T, dir string, serial int64, at time.Time) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(serial)}
	cert, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// TestCertificate: a renewed certificate is used without a restart; a broken one is ignored.
func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		first := time.Unix(1_000_000, 0)
		certFile, keyFile := writeCertificate(t, dir, 1, first)
		cfg, err := Certificate(certFile, keyFile, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		serial := func() int64 {
			c, err := cfg.GetCertificate(nil)
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := x509.ParseCertificate(c.Certificate[0])
			if err != nil {
				t.Fatal(err)
			}
			return parsed.SerialNumber.Int64()
		}
		if n := serial(); n != 1 {
			t.Errorf("got %v, want 1", n)
		}
		writeCertificate(t, dir, 2, first.Add(time.Hour))
		<-time.After(time.Minute)
		if n := serial(); n != 2 {
			t.Errorf("after the renewal: %d", n)
		}
		if err := os.WriteFile(certFile, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Minute)
		if n := serial(); n != 2 {
			t.Errorf("with a broken file: %d", n)
		}
	})
	if _, err := Certificate("x", "", nil); err == nil {
		t.Error("a certificate without a key is accepted")
	}
}
