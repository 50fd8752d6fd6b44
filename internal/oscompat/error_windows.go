package oscompat

import (
	"syscall"

	"golang.org/x/sys/windows"
)

var (
	refused      = []syscall.Errno{windows.WSAECONNREFUSED}
	reset        = []syscall.Errno{windows.WSAECONNRESET, windows.WSAECONNABORTED}
	brokenPipe   = []syscall.Errno{windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA}
	tooManyFiles = []syscall.Errno{windows.WSAEMFILE, windows.ERROR_TOO_MANY_OPEN_FILES}
)
