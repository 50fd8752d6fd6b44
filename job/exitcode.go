package job

import (
	"strconv"
	"strings"
)

// exitCodeWords precede the exit code in the message of a failed Pod. Recorded messages
// contain these words: platform/portal/stats finds them with ExitCodeIn, and the Chinese pages
// (platform/portal/ui/src/words/zh.ts) translate them.
const exitCodeWords = "exit code "

// ExitCodeMessage returns the Message of a Pod whose container ended with an exit code and
// left no message of its own.
func ExitCodeMessage(code int64) string { return exitCodeWords + strconv.FormatInt(code, 10) }

// ExitCodeIn returns the exit code in a message of ExitCodeMessage as text. It returns
// false for other messages. A container may have written such a message itself, so the text
// need not be a number.
func ExitCodeIn(message string) (code string, ok bool) {
	return strings.CutPrefix(message, exitCodeWords)
}
