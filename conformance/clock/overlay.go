package clock

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// variable is the environment variable with the path of the shared file.
const variable = "VEDETTE_TEST_CLOCK"

// moved is the file that Overlay adds to the package time.
const moved = `package time

import (
	"syscall"
	"unsafe"
)

// movedBy is in memory that the process shares with its test.
var movedBy = new(int64)

func init() {
	path, ok := syscall.Getenv("` + variable + `")
	if !ok {
		return
	}
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		println("` + variable + `:", err.Error())
		syscall.Exit(2)
	}
	shared, err := syscall.Mmap(fd, 0, 8, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		println("` + variable + `:", err.Error())
		syscall.Exit(2)
	}
	movedBy = (*int64)(unsafe.Pointer(&shared[0]))
}
`

// reading is the line of time.Now that reads the clocks.
const reading = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"

// Overlay returns the file for the -overlay flag of go build.
func Overlay(t testing.TB) string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	text, err := os.ReadFile(filepath.Join(source, "time.go"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), reading) != 1 {
		t.Fatalf("time.Now of this version of Go does not begin with %q", reading)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(source, "time.go"):  write("time.go", strings.Replace(string(text), reading, reading+"\tsec += *movedBy\n", 1)),
		filepath.Join(source, "moved.go"): write("moved.go", moved),
	}})
	if err != nil {
		t.Fatal(fmt.Errorf("overlay: %w", err))
	}
	return write("overlay.json", string(overlay))
}
