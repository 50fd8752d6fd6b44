package wire

import "reflect"

// decodeProtobuf decodes an object.
func decodeProtobuf(body []byte, obj protoUnmarshaler, share sharing) error {
	if len(body) < worthPlan {
		return obj.Unmarshal(body)
	}
	return decodePlanned(body, obj, share)
}

// decodePlanned decodes an object with the plan of its type, if there is one.
func decodePlanned(body []byte, obj protoUnmarshaler, share sharing) error {
	v := reflect.ValueOf(obj)
	if p := planOf(v.Type().Elem()); p != nil {
		switch p.decode(body, placeOf(v), 0, share) {
		case unusual:
			v.Elem().SetZero()
		case deep:
			return errDeep
		default:
			return nil
		}
	}
	return decodeGenerated(body, obj)
}
