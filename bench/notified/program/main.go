// Command program runs one task of the bench with the messenger of Vedette. The bench starts
// it with the task in JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/notified"
)

func main() {
	contest.Messengers["vedette"] = notified.Open
	var task contest.Task
	err := json.Unmarshal([]byte(os.Args[len(os.Args)-1]), &task)
	if err == nil {
		err = contest.Main(task)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
