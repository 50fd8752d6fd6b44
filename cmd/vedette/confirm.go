package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
)

// few is the maximum number of messages that a command sends or drops without a question.
const few = 10

// confirmFlags answer the question before a command that acts on many messages.
type confirmFlags struct{ yes bool }

func (o *confirmFlags) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, fmt.Sprintf("do not ask before acting on more than %d messages", few))
}

// confirm asks before a command acts on more than a few messages. does describes the effect, such
// as "sends 12 messages again". Without a terminal, the command needs --yes.
func (o *confirmFlags) confirm(in io.Reader, con *console.Console, n int, does string) error {
	if n <= few || o.yes {
		return nil
	}
	return askFor(in, con, does)
}

// askFor asks before a command has an effect. Without a terminal, the command needs --yes.
func askFor(in io.Reader, con *console.Console, does string) error {
	if !con.Live || !console.IsTerminal(in) {
		return fmt.Errorf("this %s: add --yes to do it", does)
	}
	con.Ask("This %s. Continue? [y/N] ", does)
	line, _ := bufio.NewReader(in).ReadString('\n') // an end of the input is no answer
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return fmt.Errorf("nothing was done")
}
