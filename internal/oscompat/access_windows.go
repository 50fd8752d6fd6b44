package oscompat

import (
	"io/fs"
	"syscall"
)

// Package os derives the bits of a file from its read-only attribute, so they are the same
// for everybody.
const sharedBits fs.FileMode = 0

// checkWritable opens the path for writing, because only that evaluates its access control
// list. The right to write data is, for a folder, the right to create files in it.
func checkWritable(path string) error {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	const writeData = 2 // FILE_WRITE_DATA; for a folder, the right to create files
	const everybody = syscall.FILE_SHARE_READ | syscall.FILE_SHARE_WRITE | syscall.FILE_SHARE_DELETE
	// FILE_FLAG_BACKUP_SEMANTICS allows a folder.
	handle, err := syscall.CreateFile(name, writeData, everybody, nil, syscall.OPEN_EXISTING, syscall.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return err
	}
	return syscall.CloseHandle(handle)
}

func ownedByOther(fs.FileInfo) bool { return false }
