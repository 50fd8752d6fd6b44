package deploy_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var image = flag.Bool("image", false, "build the image of the program with buildah, and run it")

// TestImage: the image has the program and the certificate authorities and nothing else, and
// runs as a user without rights.
func TestImage(t *testing.T) {
	if !*image {
		return
	}
	const name = "vedette-test:devel"
	buildah := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = filepath.Join("..", "..")
		// A container within a container has no overlay file system and no devices.
		cmd.Env = append(os.Environ(), "STORAGE_DRIVER=vfs", "BUILDAH_ISOLATION=chroot")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	buildah("tools/image.sh", name)
	defer buildah("buildah", "rmi", "--force", name)
	container := buildah("buildah", "from", "--pull-never", name)
	defer buildah("buildah", "rm", container)
	if got := buildah("buildah", "inspect", "--format", "{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}}", container); got != "65532:65532 [/vedette]" {
		t.Errorf("the image runs %s", got)
	}
	folder := buildah("buildah", "mount", container)
	var files []string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, strings.TrimPrefix(path, folder))
		}
		return err
	})
	if err != nil || !slices.Equal(files, []string{"/etc/ssl/certs/ca-certificates.crt", "/vedette"}) {
		t.Errorf("the image has %q, %v", files, err)
	}
	if got := buildah("buildah", "run", container, "--", "/vedette", "version"); !strings.Contains(got, "platform") {
		t.Errorf("version: %s", got)
	}
}
