package main

import (
	"context"
	"errors"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/internal/localtoken"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// localToken returns the token of a portal without sign-in; "" if it takes none.
//
// Errors: settings that contradict each other; the file of the token is not safe.
func (o *portalFlags) localToken(con *console.Console) (string, error) {
	switch {
	case o.insecureLoopback && o.signsIn():
		return "", errors.New("--insecure-loopback is for a portal without sign-in: remove it, or the settings of the sign-in")
	case o.insecureLoopback:
		con.Say("--insecure-loopback: every user of this machine can read jobs, environments and logs, and write with the rights of this process")
		return "", nil
	case o.signsIn():
		return "", nil
	}
	token, err := localtoken.Keep()
	if errors.Is(err, localtoken.ErrNotKept) {
		con.Say("%v; open pages end with this process, and commands do not find the token", err)
		return localtoken.New(), nil
	}
	return token, err
}

// newPortalURL returns the command that prints the address with the token.
func newPortalURL() *cobra.Command {
	var server source.ServerFlags
	cmd := &cobra.Command{
		Use:   "url",
		Short: "Print the address that opens your portal in the browser",
		Long: "A portal without sign-in is open to the user who runs it. Its address has a token, which opens the portal in a browser\n" +
			"once. The token is in the file vedette/local-token of your configuration folder, readable by you alone: other commands with\n" +
			"--server find it there. The next portal after you remove the file has another token.\n\n" +
			"The address is printed only if the portal proves that it knows the token.",
		Example: "  vedette portal url\n\n" +
			"  # Of a recorder\n" +
			"  vedette portal url --server http://127.0.0.1:9090",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if server.URL == "" {
				server.URL = "http://" + defaultPortal
			}
			address, err := server.LocalURL(cmd.Context())
			if err != nil {
				return err
			}
			return console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never").Print(address + "\n")
		},
	}
	settings.AddConfig(cmd)
	server.AddFlags(cmd)
	cmd.Flags().Lookup("server").Usage = "address of the portal (default: VEDETTE_SERVER, else http://" + defaultPortal + ")"
	return cmd
}

// redirection is a page that opens an address.
var redirection = template.Must(template.New("").Parse("<!doctype html>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"0; url={{.}}\">\n<title>Vedette</title>\n<a href=\"{{.}}\">Vedette</a>\n"))

// openBrowser opens a portal in the user's browser until close is called. A failure is only printed.
// All users of the machine see the arguments of a process, so an address with a token goes through a
// file that only the user may read.
func openBrowser(ctx context.Context, address, token string, con *console.Console) (closed func()) {
	name, folder := "xdg-open", ""
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	closed = func() { _ = os.RemoveAll(folder) } // an error leaves a page that only the user may read
	err := func() (err error) {
		if token != "" {
			if folder, err = os.MkdirTemp("", "vedette-open-"); err != nil { // with the mode 0700
				return err
			}
			if address, err = redirectionTo(identity.LocalURL(address, token), folder); err != nil {
				return err
			}
		}
		return exec.CommandContext(ctx, name, address).Start()
	}()
	if err != nil {
		con.Say("the browser cannot be opened: %v", err)
	}
	return closed
}

// redirectionTo writes a page that opens an address, and returns its file.
func redirectionTo(address, folder string) (path string, err error) {
	path = filepath.Join(folder, "portal.html")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	err = redirection.Execute(f, address)
	return path, errors.Join(err, f.Close())
}
