package apitest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// payloadOf returns a revision in an encoding.
func payloadOf(rev *revision, enc encoding) (payload, error) {
	if enc.part == printed {
		data, err := enc.printer.table(rev.res, []*revision{rev}, metav1.ListMeta{ResourceVersion: formatVersion(rev.version)})
		return payload{kind: tableKind, data: data}, err
	}
	data, err := rev.bytes(enc)
	return payload{kind: typeOf(rev.res, enc), data: data, named: namesItself(rev.res, enc)}, err
}
