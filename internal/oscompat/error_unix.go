//go:build !windows

package oscompat

import "syscall"

// Unix has no further numbers for these errors.
var refused, reset, brokenPipe, tooManyFiles []syscall.Errno
