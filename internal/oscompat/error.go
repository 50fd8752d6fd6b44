package oscompat

import (
	"errors"
	"syscall"
)

// Windows has its own error numbers for sockets and pipes. The numbers of package syscall
// with Unix names exist there too, but only Go programs return them, such as package
// apitest. Therefore both are compared.

// ConnectionRefused reports whether no process listens at the address of a connection.
func ConnectionRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || isAny(err, refused)
}

// ConnectionReset reports whether the peer has reset a connection.
func ConnectionReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || isAny(err, reset)
}

// PipeClosed reports whether the reader of a pipe has closed it.
func PipeClosed(err error) bool {
	return errors.Is(err, syscall.EPIPE) || isAny(err, brokenPipe)
}

// TooManyFiles reports whether the process or the system has no file descriptor left.
func TooManyFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || isAny(err, tooManyFiles)
}

func isAny(err error, numbers []syscall.Errno) bool {
	for _, n := range numbers {
		if errors.Is(err, n) {
			return true
		}
	}
	return false
}
