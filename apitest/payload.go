package apitest

// payloadOf returns a revision in an encoding.
func payloadOf(rev *revision, enc encoding) (payload, error) {
	if enc.part == printed {
		data, err := enc.printer.table(rev.res, []*revision{rev}, listMetaOf(rev.version))
		return payload{kind: tableKind, data: data}, err
	}
	data, err := rev.bytes(enc)
	return payload{kind: typeOf(rev.res, enc), data: data, named: namesItself(rev.res, enc)}, err
}
