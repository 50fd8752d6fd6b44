package oscompat

import "syscall"

// Numbers of Windows that package syscall lacks. golang.org/x/sys has them, but kube
// imports this package, and programs that swap client-go must not need another module.
const (
	errorTooManyFiles    syscall.Errno = 4
	errorNoData          syscall.Errno = 232
	wsaTooManyFiles      syscall.Errno = 10024
	wsaConnectionAborted syscall.Errno = 10053
	wsaConnectionRefused syscall.Errno = 10061
)

var (
	refused      = []syscall.Errno{wsaConnectionRefused}
	reset        = []syscall.Errno{syscall.WSAECONNRESET, wsaConnectionAborted}
	brokenPipe   = []syscall.Errno{syscall.ERROR_BROKEN_PIPE, errorNoData}
	tooManyFiles = []syscall.Errno{wsaTooManyFiles, errorTooManyFiles}
)
