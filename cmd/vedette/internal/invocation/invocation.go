package invocation

import (
	"os"
	"path/filepath"
	"strings"
)

// plugin is the file name under which kubectl finds the program as its plugin "vedette".
const plugin = "kubectl-vedette"

// pluginCompletion is the file name that kubectl runs to complete arguments of the plugin.
const pluginCompletion = "kubectl_complete-vedette"

// Name returns the name of the program in help texts and the words with which a user starts
// it. They differ for the kubectl plugin: "kubectl-vedette" and "kubectl vedette". arg0 is
// os.Args[0], which for a symbolic link is the path of the link.
func Name(arg0 string) (name, words string) {
	switch fileName(arg0) {
	case plugin, pluginCompletion:
		return plugin, "kubectl vedette"
	}
	return "vedette", "vedette"
}

// Completes reports whether kubectl started the program to complete arguments of the plugin.
func Completes(arg0 string) bool { return fileName(arg0) == pluginCompletion }

func fileName(arg0 string) string {
	name := arg0[strings.LastIndexAny(arg0, `/\`)+1:]
	return strings.TrimSuffix(strings.ToLower(name), ".exe")
}

// Command returns the command that started this program, for commands that users paste.
// A program that `go run` built is in a temporary directory.
func Command() string {
	if strings.Contains(os.Args[0], string(filepath.Separator)+"go-build") {
		return "go run ./cmd/vedette"
	}
	if name, words := Name(os.Args[0]); name == plugin {
		return words
	}
	return os.Args[0]
}
