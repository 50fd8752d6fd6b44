//go:build !windows

package dbtest

import (
	"os/exec"
	"syscall"
)

// runAs makes a command run as a user and a group.
func runAs(c *exec.Cmd, uid, gid int) {
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
