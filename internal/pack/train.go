package pack

// trainRatio is how much smaller the packed form of a body must be for Train to leave the
// body out.
const trainRatio = 12

// Train returns a dictionary of text, followed by those bodies that add something new, up
// to size bytes. It leaves out bodies that the text before them packs well, and bodies
// that do not fit. The maximum of size is MaxDictionary-1; larger sizes count as that.
func Train(text []byte, bodies [][]byte, size int) *Dictionary {
	size = min(size, MaxDictionary-1)
	d := emptyDictionary(size)
	if len(text) <= size {
		d.extend(text)
	}
	var scratch []byte
	for _, body := range bodies {
		if len(d.text)+len(body) > size {
			continue
		}
		scratch = d.Pack(scratch[:0], nil, body)
		if len(scratch) > len(body)/trainRatio {
			d.extend(body)
		}
	}
	return d
}
