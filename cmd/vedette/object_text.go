package main

// label returns the word to print for a state: the raw state if the common one is unknown.
func label(common, raw string) string {
	switch {
	case common != "":
		return common
	case raw != "":
		return raw
	}
	return "-"
}
