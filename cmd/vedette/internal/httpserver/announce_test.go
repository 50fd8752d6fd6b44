package httpserver

import (
	"bytes"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
)

// TestAnnounce: a terminal shows the address with the local token, and other outputs name the
// command that prints it.
func TestAnnounce(t *testing.T) {
	const address, token = "http://127.0.0.1:8080", "correct-horse-battery-staple"
	for _, c := range []struct {
		name     string
		terminal bool
		token    string
		want     string
	}{
		{"a terminal", true, token, "open http://127.0.0.1:8080/auth/local?token=" + token + "\n"},
		{"a log", false, token, "open http://127.0.0.1:8080\nit opens with a token: `vedette portal url --server http://127.0.0.1:8080` prints the address that has it\n"},
		{"a portal without a token", true, "", "open http://127.0.0.1:8080\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, said bytes.Buffer
			con := console.New(&out, &said, "never")
			con.Live = c.terminal
			Announce(con, "open", address, c.token)
			if got := strings.TrimPrefix(said.String(), "\r\x1b[K"); got != c.want || out.Len() > 0 {
				t.Errorf("got %q and %q, want %q", got, &out, c.want)
			}
		})
	}
}
