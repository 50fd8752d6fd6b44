// Command kine is the server of the kine project, built from its module: etcd's API on SQLite.
package main

import (
	"context"
	"os"

	"github.com/k3s-io/kine/pkg/app"
)

func main() {
	if err := app.New().RunContext(context.Background(), os.Args); err != nil {
		os.Exit(1)
	}
}
