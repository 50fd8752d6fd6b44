package oscompat

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"syscall"
)

// lockName binds an abstract socket, on which nothing listens. The kernel keeps the name while the
// process lives. The boot of the kernel, the network namespace and the name identify the lock:
// no two kernels have the same boot ID, and a namespace lives as long as a process in it.
func lockName(name string) (id string, release func()) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(strings.TrimSpace(string(boot))) < 32 {
		return "", nil
	}
	space, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return "", nil
	}
	address := "@vedette/" + digest(name)
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", nil
	}
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: address}); err != nil {
		_ = syscall.Close(fd)
		return "", nil
	}
	return digest(string(boot) + "\x00" + space + "\x00" + address), func() { _ = syscall.Close(fd) }
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
