package dbtest

import "os/exec"

// runAs does nothing on Windows, which has no root: unprivileged never calls it there.
func runAs(*exec.Cmd, int, int) {}
