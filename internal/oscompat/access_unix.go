//go:build !windows

package oscompat

import (
	"io/fs"
	"os"
	"syscall"
)

const sharedBits fs.FileMode = 0o077

func checkWritable(path string) error {
	const write = 2 // W_OK
	return syscall.Access(path, write)
}

func ownedByOther(info fs.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int64(of.Uid) != int64(os.Geteuid())
}
