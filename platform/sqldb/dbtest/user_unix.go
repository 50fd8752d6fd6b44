//go:build !windows

package dbtest

import (
	"os"
	"os/exec"
	"syscall"
)

// runAs makes a command run as a user and a group.
func runAs(c *exec.Cmd, uid, gid int) {
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

// ownLike gives a file to the owner of another one, if this process may do that.
func ownLike(path, other string) error {
	if os.Getuid() != 0 {
		return nil
	}
	info, err := os.Stat(other)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t)
	return os.Chown(path, int(owner.Uid), int(owner.Gid))
}
