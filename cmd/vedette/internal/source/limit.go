package source

import "fmt"

// PageLimit returns the size of a page for a list that prints up to a number of items. 0
// prints all.
func PageLimit(limit int) int {
	if limit <= 0 {
		return 500
	}
	return min(limit, 500)
}

// CheckLimit returns an error for a negative value of a flag, such as limit, for which 0 means all.
func CheckLimit(flag string, n int) error {
	if n < 0 {
		return fmt.Errorf("--%s is negative; 0 means all", flag)
	}
	return nil
}
