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

// endMessage returns the Message of a Pod whose container ended with an exit code and left a
// message, which may be empty.
func endMessage(code int64, left string) string {
	if left == "" {
		return ExitCodeMessage(code)
	}
	return ExitCodeMessage(code) + ": " + left
}

// ExitCodeIn returns the exit code at the beginning of the Message of a Pod as text. It returns
// false for other messages. Messages that were recorded before the exit code preceded the
// message of the container may be the words of the container alone.
func ExitCodeIn(message string) (code string, ok bool) {
	rest, ok := strings.CutPrefix(message, exitCodeWords)
	if !ok {
		return "", false
	}
	code, _, _ = strings.Cut(rest, ": ")
	_, err := strconv.ParseInt(code, 10, 64)
	return code, err == nil
}
