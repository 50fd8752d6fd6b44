package source

// PageLimit returns the size of a page for a list that prints up to a number of items. 0
// prints all.
func PageLimit(limit int) int {
	if limit <= 0 {
		return 500
	}
	return min(limit, 500)
}
