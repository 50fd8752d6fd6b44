package oscompat

import (
	"io/fs"

	"golang.org/x/sys/windows"
)

// Package os derives the bits of a file from its read-only attribute, so they are the same
// for everybody.
const sharedBits fs.FileMode = 0

// checkWritable opens the path for writing, because only that evaluates its access control
// list. The right to write data is, for a folder, the right to create files in it.
func checkWritable(path string) error {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	const everybody = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	// FILE_FLAG_BACKUP_SEMANTICS allows a folder.
	handle, err := windows.CreateFile(name, windows.FILE_WRITE_DATA, everybody, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return err
	}
	return windows.CloseHandle(handle)
}
