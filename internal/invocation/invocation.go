package invocation

import (
	"os"
	"path/filepath"
	"strings"
)

// Command returns the command that started this program, for commands that can be pasted.
// A program that `go run` has built is in a temporary folder.
func Command() string {
	if strings.Contains(os.Args[0], string(filepath.Separator)+"go-build") {
		return "go run ./cmd/vedette"
	}
	return os.Args[0]
}
