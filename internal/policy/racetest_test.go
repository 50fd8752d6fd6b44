package policy

import (
	"regexp"
	"testing"
)

// TestRaceTest: a package runs once more if only the race detector crashed in it, and no
// package does if a test failed.
func TestRaceTest(t *testing.T) {
	const (
		passed = `ok  \tx/good\t0.1s\n`
		crash  = `SIGSEGV: segmentation violation\nPC=0x436e30 m=0 sigcode=1\n\ngoroutine 0 gp=0x7d3420 m=0 mp=0x7d4420 [idle, synctest bubble 1]:\nFAIL\tx/dead\t0.1s\n`
		check  = `ThreadSanitizer: CHECK failed: tsan_rtl.cpp:346\nFAIL\tx/dead\t0.1s\n`
		failed = `--- FAIL: TestX (0.00s)\nFAIL\nFAIL\tx/bad\t0.1s\n`
		race   = `WARNING: DATA RACE\nThreadSanitizer: CHECK failed: tsan_rtl.cpp:346\nFAIL\tx/dead\t0.1s\n`
		other  = `SIGSEGV: segmentation violation\n\ngoroutine 7 [running]:\nFAIL\tx/dead\t0.1s\n`
		build  = `FAIL\tx/bad [build failed]\n`
		// -C must come first: the go command requires it.
		once  = `^go test -C there -gcflags=modernc\.org/\.\.\.=-race=false -race \./\.\.\.\n$`
		again = `^go test -C there -gcflags=modernc\.org/\.\.\.=-race=false -race \./\.\.\.\ngo test -C there -gcflags=modernc\.org/\.\.\.=-race=false -race x/dead\n$`
	)
	for _, c := range []struct {
		name, prints string
		code         int
		ran          string
	}{
		{"all pass", passed, 0, once},
		{"the race detector dies", passed + crash + passed, 0, again},
		{"a check of the race detector fails", check + passed, 0, again},
		{"a test fails", failed, 1, once},
		{"a test fails beside a dead race detector", crash + failed, 1, once},
		{"a data race", race, 1, once},
		{"a crash elsewhere", other, 1, once},
		{"no build", passed + build, 1, once},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			for _, name := range []string{"awk", "mktemp", "rm", "tee"} {
				m.link(name)
			}
			// Only the first run of go test prints and, if configured, fails.
			m.program("go", `echo "go $*" >>"$LOG"; case "$*" in *x/dead) exit 0;; esac; printf '`+c.prints+`'; case '`+c.prints+`' in *FAIL*) exit 1;; esac`)
			said, ran, code := m.run("bash", "tools/racetest.sh", "-C", "there", "--", "./...")
			if code != c.code || !regexp.MustCompile(c.ran).MatchString(ran) {
				t.Errorf("exit code %d, want %d; ran, want %s:\n%s\nsaid:\n%s", code, c.code, c.ran, ran, said)
			}
		})
	}
}
