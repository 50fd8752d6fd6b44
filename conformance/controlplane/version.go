package controlplane

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// DefaultVersion is the version of Kubernetes whose go.mod and go.sum are in build. Modules of
// the other versions are written when they are built, from Kubernetes' own.
const DefaultVersion = "1.36.3"

// VersionVariable is the environment variable with the version of Kubernetes that ForTest runs,
// such as 1.28.15. The default is DefaultVersion.
const VersionVariable = "VEDETTE_KUBERNETES"

// Version returns the version of Kubernetes that ForTest runs.
func Version() string { return cmp.Or(os.Getenv(VersionVariable), DefaultVersion) }

// Needs skips the test if it asks for a feature that Kubernetes has since a later minor version,
// such as 1.33, than the one that ForTest runs. With DefaultVersion it fails instead: the gate
// skips nothing.
func Needs(t testing.TB, since, what string) {
	t.Helper()
	switch has := Version(); {
	case minorOf(has) >= minorOf(since):
	case has == DefaultVersion:
		t.Fatalf("Kubernetes %s, the default, does not have %s, which Kubernetes has since %s", has, what, since)
	default:
		t.Skipf("Kubernetes %s does not have %s, which Kubernetes has since %s", has, what, since)
	}
}

var versionPattern = regexp.MustCompile(`^1\.([0-9]+)(\.[0-9]+)?$`)

// minorOf returns the minor version, and zero for another text, which Build refuses.
func minorOf(version string) int {
	parts := versionPattern.FindStringSubmatch(version)
	if parts == nil {
		return 0
	}
	minor, _ := strconv.Atoi(parts[1]) // digits only
	return minor
}

// programsOf returns the programs of a control plane with the servers of a version. The servers
// are the last.
func programsOf(version string) ([]program, error) {
	if version == DefaultVersion {
		return programs, nil
	}
	if minorOf(version) == 0 || strings.Count(version, ".") != 2 {
		return nil, fmt.Errorf("%q is not a version of Kubernetes such as %s", version, DefaultVersion)
	}
	const linked = "k8s.io/component-base/version."
	last := len(programs) - 1
	servers := programs[last]
	servers.name += "-" + version
	servers.flags = []string{
		"-X", linked + "gitVersion=v" + version, "-X", linked + "gitMajor=1", "-X", linked + "gitMinor=" + strconv.Itoa(minorOf(version)),
	}
	return append(slices.Clone(programs[:last]), servers), nil
}

// committed reports whether the module of the program is in the repository.
func (p program) committed() bool {
	return slices.ContainsFunc(programs, func(q program) bool { return q.name == p.name })
}

// module returns the folder of the module to build. It writes a module that is not in the
// repository.
func (p program) module(ctx context.Context, version, source, dir string) (string, error) {
	if p.committed() {
		return filepath.Join(source, p.name), nil
	}
	module := filepath.Join(dir, p.name+".module")
	if err := writeModule(ctx, version, filepath.Join(source, "kubernetes", "main.go"), module); err != nil {
		return "", fmt.Errorf("write the module of Kubernetes %s: %w", version, err)
	}
	return module, nil
}

var (
	// staging is a folder of Kubernetes' repository that has the source of another module.
	staging = regexp.MustCompile(`=> \./staging/src/(\S+)`)
	// sample is a line about an example in that repository. The servers do not have it, and its
	// module is not served of each version.
	sample = regexp.MustCompile(`(?m)^\tk8s\.io/sample-.*\n`)
)

// writeModule writes a module of the servers: our main.go, and Kubernetes' own go.mod and
// go.sum, where the tagged modules replace the folders of Kubernetes' repository. The module
// so has the requirements, the language version and the GODEBUG settings of the release.
func writeModule(ctx context.Context, version, main, module string) error {
	kubernetes, err := download(ctx, "k8s.io/kubernetes@v"+version)
	if err != nil {
		return err
	}
	program, err := os.ReadFile(main)
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(kubernetes, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(kubernetes, "go.sum"))
	if err != nil {
		return err
	}
	mod = tagged(mod, version)
	if err := os.MkdirAll(module, 0o755); err != nil {
		return err
	}
	for name, content := range map[string][]byte{"go.mod": mod, "go.sum": sum, "main.go": program} {
		if err := os.WriteFile(filepath.Join(module, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tagged returns Kubernetes' go.mod as that of the servers' module.
func tagged(mod []byte, version string) []byte {
	mod = bytes.Replace(mod, []byte("\nmodule k8s.io/kubernetes\n"), []byte("\nmodule github.com/vedette-io/vedette/conformance/build/kubernetes\n"), 1)
	mod = staging.ReplaceAll(sample.ReplaceAll(mod, nil), []byte("=> $1 v0"+strings.TrimPrefix(version, "1")))
	return fmt.Appendf(mod, "\nrequire k8s.io/kubernetes v%s\n", version)
}

// download returns the folder of a module's source.
func download(ctx context.Context, module string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir() // the module of the working directory has no part in it
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	var found struct{ Dir, Error string }
	if more := json.Unmarshal(out, &found); err != nil || more != nil {
		return "", fmt.Errorf("download %s: %s (%w)", module, found.Error, cmp.Or(err, more))
	}
	return found.Dir, nil
}
