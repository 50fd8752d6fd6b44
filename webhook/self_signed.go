package webhook

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// selfSignedLife is how long a certificate of SelfSigned is valid.
const selfSignedLife = 30 * 24 * time.Hour

// SelfSigned writes a new private key and a certificate that it signs itself into a folder,
// as tls.key and tls.crt, and returns the PEM for caBundle in the configuration of a webhook.
// The certificate is valid for 30 days. It is meant for tests and development; in a cluster,
// a program such as cert-manager writes the files. hosts are names and IP addresses.
//
// Errors: no host; a file that cannot be written.
func SelfSigned(dir string, hosts ...string) (caBundle []byte, err error) {
	return selfSigned(dir, time.Now().Add(selfSignedLife), hosts...)
}

func selfSigned(dir string, end time.Time, hosts ...string) ([]byte, error) {
	if len(hosts) == 0 {
		return nil, errors.New("webhook: SelfSigned has no hosts; name the hosts in the addresses of the webhooks")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 64))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: hosts[0]}, NotBefore: time.Now().Add(-time.Hour), NotAfter: end,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true, IsCA: true,
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for file, text := range map[string][]byte{"tls.crt": public, "tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			return nil, fmt.Errorf("webhook: SelfSigned: %w", err)
		}
	}
	return public, nil
}
