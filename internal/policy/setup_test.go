package policy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// machine is a simulated machine for tools/setup.sh: a PATH and a root for the databases.
// It has all programs that the tests need.
type machine struct {
	t         *testing.T
	bin, root string
	log       string // the commands that were run: go, apt-get, sudo
}

const (
	postgresPath = "usr/lib/postgresql/17/bin/initdb" // not in PATH, as in Debian
	mariaDBPath  = "usr/sbin/mariadbd"
	poolerPath   = "usr/sbin/pgbouncer"
	eximPath     = "usr/sbin/exim4"
)

func newMachine(t *testing.T) *machine {
	testinput.Uncached(t)
	dir := t.TempDir()
	m := &machine{t: t, bin: filepath.Join(dir, "bin"), root: filepath.Join(dir, "root"), log: filepath.Join(dir, "log")}
	for _, file := range []string{"tools/setup.sh", "tools/racetest.sh"} {
		if _, err := os.Stat(filepath.Join("../..", file)); err != nil { // so that cached results depend on the file
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bash", "sh", "cat", "date", "dirname", "env", "head", "make", "mkdir", "sed", "sort", "touch", "true"} {
		m.link(name)
	}
	m.program("go", `echo "go $*" >>"$LOG"; [ "$1" = version ] && echo "go version go9.99.8 linux/amd64"; exit 0`)
	m.program("gcc", "")
	m.program("g++", "")
	m.program("node", "")
	m.program("npm", "")
	m.program("chromium", "")
	m.program("promtool", "")
	m.program("prometheus-alertmanager", "")
	m.program("id", "echo 1000")
	m.program("uname", "echo Linux")
	m.file(filepath.Join(m.root, postgresPath), "")
	m.file(filepath.Join(m.root, mariaDBPath), "")
	m.file(filepath.Join(m.root, poolerPath), "")
	m.file(filepath.Join(m.root, eximPath), "")
	return m
}

func (m *machine) file(path, text string) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		m.t.Fatal(err)
	}
}

// link adds a program of this machine.
func (m *machine) link(name string) {
	m.t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		m.t.Fatal(err)
	}
	m.file(filepath.Join(m.bin, name), "#!/bin/sh\nexec "+path+` "$@"`)
}

func (m *machine) program(name, text string) {
	m.file(filepath.Join(m.bin, name), "#!/bin/sh\n"+text+"\n")
}

func (m *machine) remove(path string) {
	m.t.Helper()
	if err := os.Remove(path); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) without(names ...string) {
	for _, name := range names {
		switch name {
		case "initdb":
			m.remove(filepath.Join(m.root, postgresPath))
		case "mariadbd":
			m.remove(filepath.Join(m.root, mariaDBPath))
		case "exim4":
			m.remove(filepath.Join(m.root, eximPath))
		default:
			m.remove(filepath.Join(m.bin, name))
		}
	}
}

// aptGet adds an apt-get that installs MariaDB.
func (m *machine) aptGet() {
	path := filepath.Join(m.root, mariaDBPath)
	m.program("apt-get", `echo "apt-get $*" >>"$LOG"; case "$*" in *mariadb-server*) mkdir -p `+filepath.Dir(path)+` && touch `+path+`;; esac`)
}

func (m *machine) sudo() {
	m.program("sudo", `echo "sudo $*" >>"$LOG"; shift; exec "$@"`)
}

// run runs a command at the root of the repository. It returns the output, the commands
// that were run, and the exit code.
func (m *machine) run(words ...string) (said, ran string, code int) {
	m.t.Helper()
	cmd := exec.CommandContext(m.t.Context(), filepath.Join(m.bin, words[0]), words[1:]...)
	cmd.Dir = "../.."
	cmd.Env = []string{"PATH=" + m.bin, "VEDETTE_SETUP_ROOT=" + m.root, "LOG=" + m.log}
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		m.t.Fatal(err)
	}
	log, err := os.ReadFile(m.log)
	if err != nil && !os.IsNotExist(err) {
		m.t.Fatal(err)
	}
	return string(out), string(log), cmd.ProcessState.ExitCode()
}

// TestSetup: the setup installs missing programs if it may, and otherwise prints what to
// install.
func TestSetup(t *testing.T) {
	for _, c := range []struct {
		name string
		have func(m *machine)
		code int
		said string // a pattern
		ran  string // a pattern
	}{
		{"everything is there", func(*machine) {}, 0, `^setup: everything is installed`, `^go version\n$`},
		{"databases in PATH", func(m *machine) {
			m.without("initdb", "mariadbd")
			m.program("initdb", "")
			m.program("mariadbd", "")
		}, 0, `everything is installed`, `^go version\n$`},
		{
			"root", func(m *machine) { m.without("mariadbd"); m.aptGet(); m.program("id", "echo 0") }, 0,
			`(?s)not installed:\n +mariadbd +MariaDB.*installing mariadb-server with apt-get.*everything is installed`, `apt-get update.*\napt-get install -y .* mariadb-server\n`,
		},
		{
			"sudo without a password", func(m *machine) { m.without("mariadbd"); m.aptGet(); m.sudo() }, 0,
			`everything is installed`, `sudo -n apt-get update.*\n(?s:.*)sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install -y .* mariadb-server\n`,
		},
		{
			"no sudo", func(m *machine) { m.without("mariadbd", "gcc"); m.aptGet() }, 1,
			`(?s)takes root.*gcc +builds.*mariadbd.*apt-get update && sudo apt-get install gcc libc6-dev mariadb-server\n`, `^go version\n$`,
		},
		{
			"sudo with a password", func(m *machine) { m.without("initdb"); m.aptGet(); m.program("sudo", "exit 1") }, 1,
			`(?s)takes root.*sudo apt-get install postgresql\n`, `^go version\n$`,
		},
		{"no network", func(m *machine) {
			m.without("mariadbd")
			m.program("id", "echo 0")
			m.program("apt-get", "echo Temporary failure resolving; exit 100")
		}, 1, `(?s)Temporary failure resolving.*apt-get failed.*Is there a network\?\n.*sudo apt-get install mariadb-server\n`, ``},
		{
			"packages that bring nothing", func(m *machine) { m.without("mariadbd"); m.program("id", "echo 0"); m.program("apt-get", "") }, 1,
			`programs are still not there`, ``,
		},
		{
			"Fedora", func(m *machine) { m.without("gcc", "initdb", "mariadbd"); m.program("dnf", "exit 1") }, 1,
			`no apt-get(?s:.*)sudo dnf install gcc glibc-devel postgresql-server mariadb-server\n`, `^go version\n$`,
		},
		{"macOS", func(m *machine) {
			m.without("initdb", "mariadbd")
			m.program("brew", "exit 1")
			m.program("uname", "echo Darwin")
		}, 1, `(?s)need Linux.*brew install postgresql mariadb\n`, `^go version\n$`},
		{"no mail server", func(m *machine) { m.without("exim4"); m.aptGet() }, 1, `(?s)exim4 +Exim.*sudo apt-get install exim4-daemon-light\n`, `^go version\n$`},
		{"no browser on Ubuntu", func(m *machine) {
			m.without("chromium")
			m.aptGet()
			m.file(filepath.Join(m.root, "etc/os-release"), "NAME=\"Ubuntu\"\nID=ubuntu\n")
		}, 1, `Ubuntu has Chromium as a snap only: install Google Chrome`, `^go version\n$`},
		{"no browser", func(m *machine) { m.without("chromium"); m.aptGet() }, 1, `(?s)chromium +shows.*sudo apt-get install chromium\n`, `^go version\n$`},
		{"Exim of Fedora", func(m *machine) { m.without("exim4"); m.program("exim", "") }, 0, `everything is installed`, `^go version\n$`},
		{"no package manager", func(m *machine) { m.without("initdb") }, 1, `names in Debian: postgresql\n`, `^go version\n$`},
		{"no Go", func(m *machine) { m.without("go", "mariadbd"); m.aptGet() }, 1, `(?s)Go \S+ or later is not installed: see https://go.dev/dl.*mariadb-server`, `^$`},
		{"an old Go", func(m *machine) { m.program("go", "echo go version go1.9.7 linux/amd64") }, 1, `Go \S+ or later is needed, and this machine has Go 1.9:`, ``},
		{"no toolchain", func(m *machine) { m.program("go", "echo go: download go1.26.0: no network >&2; exit 1") }, 1, `the Go of this machine says: go: download go1.26.0: no network`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			c.have(m)
			said, ran, code := m.run("bash", "tools/setup.sh")
			if code != c.code || !regexp.MustCompile(c.said).MatchString(said) || !regexp.MustCompile(c.ran).MatchString(ran) {
				t.Errorf("exit code %d, want %d; said, want %s:\n%s\nran, want %s:\n%s", code, c.code, c.said, said, c.ran, ran)
			}
		})
	}
}

// TestSetupOfParts: a part of the tests needs fewer programs.
func TestSetupOfParts(t *testing.T) {
	m := newMachine(t)
	m.without("initdb", "mariadbd")
	m.program("uname", "echo Darwin")
	if said, _, code := m.run("bash", "tools/setup.sh", "compiler"); code != 0 {
		t.Errorf("exit code %d, want 0: %s", code, said)
	}
	if said, _, code := m.run("bash", "tools/setup.sh", "coffee"); code != 2 || !strings.Contains(said, "nothing called coffee") {
		t.Errorf("exit code %d, want 2 and that nothing is called coffee: %s", code, said)
	}
}
