package main

import (
	"fmt"
	"strconv"
)

// parseNumbers returns the numbers of messages or subscriptions.
func parseNumbers(args []string) (all []int64, err error) {
	for _, text := range args {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number from a list, such as 17", text)
		}
		all = append(all, n)
	}
	return all, nil
}
