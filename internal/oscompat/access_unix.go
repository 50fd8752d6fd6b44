//go:build !windows

package oscompat

import (
	"io/fs"
	"syscall"
)

const sharedBits fs.FileMode = 0o077

func checkWritable(path string) error {
	const write = 2 // W_OK
	return syscall.Access(path, write)
}
