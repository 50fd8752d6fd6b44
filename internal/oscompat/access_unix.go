//go:build !windows

package oscompat

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

const sharedBits fs.FileMode = 0o077

func checkWritable(path string) error { return unix.Access(path, unix.W_OK) }
