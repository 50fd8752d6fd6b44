package oscompat

import "io/fs"

// CheckWritable returns an error if this process may not write a file, or may not create
// files in a folder. It creates and changes nothing.
func CheckWritable(path string) error { return checkWritable(path) }

// SharedBits returns the permission bits of a file for its group and for others. It
// returns 0 on Windows, which has no such bits.
func SharedBits(info fs.FileInfo) fs.FileMode { return info.Mode() & sharedBits }

// OwnedByOther reports whether a file belongs to another user than that of this process. It
// returns false on Windows.
func OwnedByOther(info fs.FileInfo) bool { return ownedByOther(info) }
