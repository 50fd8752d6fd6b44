package model_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// each runs a test on an empty database of each kind.
func each(t *testing.T, test func(t *testing.T, d *modeltest.Database)) {
	dbtest.Each(t, func(t *testing.T, url string) { test(t, modeltest.Open(t, url)) })
}

func write(t *testing.T, d *modeltest.Database, all ...modeltest.Revision) {
	t.Helper()
	if err := d.Write(t.Context(), all); err != nil {
		t.Fatal(err)
	}
}
