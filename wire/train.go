package wire

// Train returns a dictionary of text and, behind it, of those bodies that have
// something new, as long as all of it fits into size bytes. Bodies that are like
// one before them add nothing, and are left out; so is what does not fit.
//
// size is at most MaxDictionary-1; a larger one counts as that.
func Train(text []byte, bodies [][]byte, size int) *Dictionary {
	size = min(size, MaxDictionary-1)
	d := &Dictionary{text: make([]byte, 0, max(size, 0)), table: make([]uint16, 1<<dictBits)}
	if len(text) <= size {
		d.extend(text)
	}
	var scratch []byte
	for _, body := range bodies {
		if len(d.text)+len(body) > size {
			continue
		}
		scratch = d.Pack(scratch[:0], nil, body)
		if len(scratch) > len(body)/12 {
			d.extend(body)
		}
	}
	return d
}

// extend adds to the text of a dictionary that nobody else has yet.
func (d *Dictionary) extend(text []byte) {
	from := max(0, len(d.text)-7) // where eight bytes were not yet complete
	d.text = append(d.text, text...)
	for i := from; i+8 <= len(d.text); i++ {
		d.table[hash(load64(d.text, i), dictBits)] = uint16(i + 1)
	}
}
