package httpserver

import (
	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// Announce says where a portal is. token is its local token; empty if it takes none. Only a terminal
// shows the token, because other outputs are logs that others may read.
func Announce(con *console.Console, words, address, token string) {
	switch {
	case token == "":
		con.Say("%s %s", words, address)
	case con.Live:
		con.Say("%s %s", words, identity.LocalURL(address, token))
	default:
		con.Say("%s %s", words, address)
		con.Say("it opens with a token: `vedette portal url --server %s` prints the address that has it", address)
	}
}
