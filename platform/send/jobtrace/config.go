package jobtrace

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"strings"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Config configures an Exporter. DB and Endpoint are required.
type Config struct {
	// DB is the database. The caller closes it.
	DB *sqldb.DB
	// Endpoint is the URL of the collector, such as http://collector:4318. If it has no
	// path, /v1/traces is added. It must have no user and no query, because it is logged.
	Endpoint string
	// Header is sent with each request. It may contain secrets, and is never logged.
	Header http.Header
	// Plain disables compression. By default requests are compressed with gzip. A collector
	// that rejects gzip receives plain requests in any case.
	Plain bool
	// TLS has the certificate authorities and the client certificate for collectors with
	// https. Default: the authorities of the system, and no certificate.
	TLS *tls.Config
	// ServiceName is the attribute service.name. Default: "vedette".
	ServiceName string
	// Resource are further attributes of the resource of all traces.
	Resource map[string]string
	// Logger receives faults. Default: the value of slog.Default() at the time of the
	// message.
	Logger *slog.Logger
}

// FromEnvironment is the value of Endpoint that makes Environment read the endpoint
// variables.
const FromEnvironment = "env"

// tracesPath is the path that the protocol adds to the URL of a collector.
const tracesPath = "/v1/traces"

// Environment sets unset fields from the standard variables of OpenTelemetry:
// OTEL_EXPORTER_OTLP_ENDPOINT, if Endpoint is FromEnvironment, OTEL_EXPORTER_OTLP_HEADERS,
// OTEL_EXPORTER_OTLP_COMPRESSION, the files of OTEL_EXPORTER_OTLP_CERTIFICATE,
// CLIENT_CERTIFICATE and CLIENT_KEY, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
// Variables for traces alone, such as OTEL_EXPORTER_OTLP_TRACES_HEADERS, take precedence.
//
// Errors: all invalid variables, without their values, and unreadable files.
func (c *Config) Environment(get func(string) string) error {
	var errs []error
	if c.Endpoint == FromEnvironment {
		if c.Endpoint = get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); c.Endpoint == "" {
			if base := get("OTEL_EXPORTER_OTLP_ENDPOINT"); base != "" {
				c.Endpoint = strings.TrimSuffix(base, "/") + tracesPath
			}
		}
		if c.Endpoint == "" {
			errs = append(errs, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is empty: set it to the URL of the collector"))
		}
	}
	name := ofTraces(get, "HEADERS")
	pairs, err := parsePairs(name, get(name))
	errs = append(errs, err)
	header := http.Header{}
	for key, value := range pairs {
		errs = append(errs, addHeader(header, name, key, value))
	}
	maps.Copy(header, c.Header)
	c.Header = header
	errs = append(errs, c.compression(get), c.certificates(get))
	const attributes = "OTEL_RESOURCE_ATTRIBUTES"
	pairs, err = parsePairs(attributes, get(attributes))
	errs = append(errs, err)
	maps.Copy(pairs, c.Resource)
	c.ServiceName = cmp.Or(c.ServiceName, get("OTEL_SERVICE_NAME"), pairs["service.name"])
	delete(pairs, "service.name")
	c.Resource = pairs
	return errors.Join(errs...)
}

// ofTraces returns the name of the variable for traces alone, or otherwise of the variable
// for all signals.
func ofTraces(get func(string) string, setting string) string {
	if name := "OTEL_EXPORTER_OTLP_TRACES_" + setting; get(name) != "" {
		return name
	}
	return "OTEL_EXPORTER_OTLP_" + setting
}

func (c *Config) compression(get func(string) string) error {
	name := ofTraces(get, "COMPRESSION")
	switch get(name) {
	case "", "gzip":
	case "none":
		c.Plain = true
	default:
		return fmt.Errorf("%s is invalid: want gzip or none", name)
	}
	return nil
}

// certificates reads the files that the variables name, unless TLS is set.
func (c *Config) certificates(get func(string) string) error {
	ca, cert, key := ofTraces(get, "CERTIFICATE"), ofTraces(get, "CLIENT_CERTIFICATE"), ofTraces(get, "CLIENT_KEY")
	if c.TLS != nil || get(ca)+get(cert)+get(key) == "" {
		return nil
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	if path := get(ca); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("%s: %w", ca, err)
		}
		if t.RootCAs = x509.NewCertPool(); !t.RootCAs.AppendCertsFromPEM(text) {
			return fmt.Errorf("%s: %s has no certificate in PEM", ca, path)
		}
	}
	if get(cert)+get(key) != "" {
		pair, err := tls.LoadX509KeyPair(get(cert), get(key))
		if err != nil {
			return fmt.Errorf("%s and %s: %w", cert, key, err)
		}
		t.Certificates = []tls.Certificate{pair}
	}
	c.TLS = t
	return nil
}

// parsePairs parses "key=value,key=value" with percent-encoded values.
func parsePairs(variable, text string) (map[string]string, error) {
	pairs := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		key = strings.TrimSpace(key)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || key == "" || err != nil {
			return pairs, fmt.Errorf("%s is invalid: want key=value,key=value with percent-encoded values", variable)
		}
		pairs[key] = value
	}
	return pairs, nil
}

// ParseHeader parses a file of headers with lines of the form "Name: value". It ignores
// empty lines and lines that begin with #.
//
// Errors: the number of an invalid line, without its text.
func ParseHeader(text []byte) (http.Header, error) {
	header := http.Header{}
	scan := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; scan.Scan(); n++ {
		line := strings.TrimSpace(scan.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("line %d is invalid: want \"Name: value\"", n)
		}
		if err := addHeader(header, fmt.Sprintf("line %d", n), strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return nil, err
		}
	}
	if scan.Err() != nil {
		return nil, errors.New("a line is longer than 64 KiB")
	}
	return header, nil
}

// addHeader adds a header that HTTP allows. Its error contains no part of the header.
func addHeader(header http.Header, where, name, value string) error {
	const token = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if name == "" || strings.Trim(name, token) != "" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return fmt.Errorf("%s has an invalid header", where)
	}
	header[textproto.CanonicalMIMEHeaderKey(name)] = []string{value}
	return nil
}

// target returns the URL for requests.
//
// Errors: the endpoint is not the URL of a collector. The error contains neither its user
// nor its query.
func (c *Config) target() (*url.URL, error) {
	u, err := url.Parse(c.Endpoint)
	switch {
	case err != nil:
		return nil, errors.New("the address for traces is not a URL: want http://HOST:4318")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the address for traces has a user or a query: put secrets into the file of headers")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("the address for traces is %q: want http://HOST:4318 or https://HOST", clean(c.Endpoint))
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = tracesPath
	}
	return u, nil
}

// Check returns an error if the settings are invalid. New returns the same error.
func (c *Config) Check() error {
	_, err := c.target()
	return err
}
