// Command program runs one task of the bench with the portal, or serves the portal for it. The
// bench starts it with the task in JSON; it starts itself with the arguments of portal.Start.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/portal"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 {
		return portal.Main(context.Background(), args[0], args[1], os.Stdin, os.Stdout)
	}
	if len(args) != 1 {
		return errors.New("one task is required")
	}
	portal.Register()
	var task contest.Task
	if err := json.Unmarshal([]byte(args[0]), &task); err != nil {
		return err
	}
	return contest.Main(task)
}
