package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vedette-io/vedette/cmd/vedette/internal/invocation"
)

// nameCommands puts the words with which the user started the program into all help texts:
// "kubectl vedette watch" instead of "vedette watch" for the kubectl plugin. arg0 is
// os.Args[0]. It returns a function that does the same in an error.
func nameCommands(root *cobra.Command, arg0 string) func(string) string {
	name, words := invocation.Name(arg0)
	if words == root.Name() {
		return func(text string) string { return text }
	}
	commands := []string{"help", "completion"} // cobra adds these later
	for _, c := range root.Commands() {
		commands = append(commands, regexp.QuoteMeta(c.Name()))
	}
	commandLine := regexp.MustCompile(`(^|[^\w./-])` + root.Name() + ` (` + strings.Join(commands, "|") + `|COMMAND)\b`)
	rename := func(text string) string { return commandLine.ReplaceAllString(text, "${1}"+words+" ${2}") }
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		for _, text := range []*string{&c.Short, &c.Long, &c.Example} {
			*text = rename(*text)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = rename(f.Usage) })
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
	root.Use = name
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: words}
	return rename
}
