package wire

// mapRoom is the maximum initial capacity of a map. Entries may be empty, or duplicates.
const mapRoom = 100

// entries calls put for n entries of a map, the first of which is at b[i:].
func (s *slot) entries(b []byte, i, n int, put func(key string, v []byte) int) int {
	for k := range n {
		var entry, key, v []byte
		if entry, i = s.next(b, i, k); len(entry) == 0 || entry[0] != 1<<3|protoBytes {
			return unusual
		}
		key, at := sized(entry, 1)
		if at < 0 || at >= len(entry) || entry[at] != 2<<3|protoBytes {
			return unusual
		}
		if v, at = sized(entry, at+1); at != len(entry) {
			return unusual
		}
		if got := put(sharedText(key), v); got < 0 {
			return got
		}
	}
	return i
}
