package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/httpserver"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/localtoken"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// newDebug returns the command. printed returns the output of another command.
func newDebug(printed func(args ...string) []byte) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "debug",
		Short: "Collect facts about a running program for a bug report",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDebugBundle(printed))
	return cmd
}

func newDebugBundle(printed func(args ...string) []byte) *cobra.Command {
	b := bundle{printed: printed}
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "Write the state of a running record, notify run or stream to a file",
		Long: "The file has the version, the settings without passwords, the health, the metrics, the stacks of all goroutines and a profile\n" +
			"of the heap. Metrics and stacks have names of types, clusters and namespaces: look at the files before you pass them on.\n\n" +
			"The program must listen on a loopback address (--listen), and the command must run on its machine as its user.",
		Example: "  vedette debug bundle --server http://127.0.0.1:8080\n\n" +
			"  # With the settings of its file\n" +
			"  vedette debug bundle --server http://127.0.0.1:8080 --config vedette.yaml",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return b.run(cmd.Context(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	f := cmd.Flags()
	f.StringVar(&b.server, "server", "http://"+defaultPortal, "address of --listen of the program")
	f.StringVar(&b.config, "config", "", "file with the settings of the program (default: VEDETTE_CONFIG)")
	f.StringVarP(&b.file, "file", "f", "vedette-debug.tar.gz", "file to write")
	return cmd
}

// bundle collects facts about a running program.
type bundle struct {
	server, config, file string
	printed              func(args ...string) []byte
}

// bundleTimeout limits the time for all requests.
const bundleTimeout = 30 * time.Second

// bundlePaths are the answers of a program that a bundle has, by the name of the file.
var bundlePaths = []struct{ name, path string }{
	{"healthz.txt", "/healthz"},
	{"readyz.txt", "/readyz"},
	{"metrics.txt", "/metrics"},
	{"goroutines.txt", "/debug/pprof/goroutine?debug=2"},
	{"heap.pb.gz", "/debug/pprof/heap"},
}

func (b *bundle) run(ctx context.Context, con *console.Console) error {
	ctx, cancel := context.WithTimeout(ctx, bundleTimeout)
	defer cancel()
	c, err := b.connect(ctx)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	packed := gzip.NewWriter(&text)
	all := tar.NewWriter(packed)
	add := func(name string, body []byte) error {
		err := all.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(body)), ModTime: time.Now()})
		if err == nil {
			_, err = all.Write(body)
		}
		return err
	}
	errs := []error{add("version.txt", b.printed("version")), add("settings.txt", b.settings())}
	for _, p := range bundlePaths {
		body, err := c.get(ctx, b.server+p.path)
		if err != nil {
			con.Say("%s is missing: %v", p.name, err)
			body = []byte(err.Error() + "\n")
		}
		errs = append(errs, add(p.name, body))
	}
	if err := errors.Join(append(errs, all.Close(), packed.Close())...); err != nil {
		return err
	}
	if err := os.WriteFile(b.file, text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("--file: %w", err)
	}
	return con.Print(fmt.Sprintf("%s has %s; look at the files before you pass it on\n", b.file, units.Size(int64(text.Len()))))
}

// settings returns the settings as `vedette config view` shows them.
func (b *bundle) settings() []byte {
	args := []string{"config", "view"}
	if b.config != "" {
		args = append(args, "--config", b.config)
	}
	return b.printed(args...)
}

// debugClient asks the program at one address.
type debugClient struct {
	http  *http.Client
	proof string // empty: the user has no local token
}

// connect returns a client of the program.
//
// Errors: the address is none of this machine; the program does not answer.
func (b *bundle) connect(ctx context.Context) (*debugClient, error) {
	u, err := url.Parse(b.server)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("--server %s is not a URL: use http://127.0.0.1:8080", b.server)
	}
	if !identity.Loopback(u.Host) {
		return nil, fmt.Errorf("--server %s is not an address of this machine: run the command where the program runs, with the loopback address of its --listen", b.server)
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, fmt.Errorf("--server: %w; start the program with --listen, or correct the address", err)
	}
	at := conn.RemoteAddr()
	_ = conn.Close() // only its address was asked
	token, err := localtoken.Read()
	if err != nil {
		return nil, err
	}
	c := &debugClient{http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", at.String())
		},
		// The certificate has the name that others use, and nothing secret is sent.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
	}}}
	if token != "" {
		c.proof = httpserver.ProfileProof(token, at)
	}
	return c, nil
}

// maxAnswer limits an answer.
const maxAnswer = 256 << 20

// get returns an answer. An answer of /readyz that the program is not ready counts.
func (c *debugClient) get(ctx context.Context, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if c.proof != "" {
		r.Header.Set("Authorization", "Bearer "+c.proof)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err == nil && answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusServiceUnavailable {
		err = fmt.Errorf("%s: %s", answer.Status, bytes.TrimSpace(body))
	}
	return body, err
}
