package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// maxBody is the maximum size of a request body, as on a real server.
const maxBody = 3 << 20

// readBody reads a request body of limited size, and its media type; "" if the request has none.
func readBody(r *http.Request) (data []byte, media string, err error) {
	data, err = io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	var tooBig *http.MaxBytesError
	switch {
	case errors.As(err, &tooBig):
		return nil, "", apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", tooBig.Limit))
	case err != nil:
		return nil, "", apierrors.NewBadRequest(err.Error())
	}
	if header := r.Header.Get("Content-Type"); header != "" {
		if media, _, err = mime.ParseMediaType(header); err != nil {
			return nil, "", unsupportedMediaType(err.Error())
		}
	}
	return data, media, nil
}

// readObject reads the object of a create or update request, in the form in which it is stored.
func readObject(c *call) (Object, error) {
	data, media, err := readBody(c.handler)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, apierrors.NewBadRequest("the body of the request is empty")
	}
	switch media {
	case "", mediaJSON:
	case mediaCBOR:
		if data, err = c.jsonOf(data); err != nil {
			return nil, err
		}
	case "application/yaml":
		if data, err = yaml.YAMLToJSON(data); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
	case mediaProtobuf:
		if !c.table.res.builtin() {
			return nil, unsupportedMediaType("custom resources are not accepted as " + media)
		}
	default:
		return nil, unsupportedMediaType("the body of the request was in an unknown format: " + media)
	}
	obj, err := parseObject(c.table.res, data)
	if err == nil && media != mediaProtobuf {
		err = c.validateFields(data)
	}
	return obj, err
}

// validateFields applies the parameter fieldValidation to fields that the type does not have and to duplicate fields:
// Strict rejects them, Warn (the default) adds a warning to the response, Ignore ignores them. All fields of a
// custom resource without a schema are valid.
func (c *call) validateFields(data []byte) error {
	how := c.handler.URL.Query().Get("fieldValidation")
	if how == metav1.FieldValidationIgnore {
		return nil
	}
	if !c.table.res.builtin() {
		problems := unknownFields(c.table.res.schema, data)
		if how == metav1.FieldValidationStrict && len(problems) > 0 {
			want := c.table.res.GroupVersionKind()
			return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: strict decoding error: %s", want.Kind, want.Version, want.Kind, strings.Join(problems, ", ")))
		}
		c.warnings = append(c.warnings, problems...)
		return nil
	}
	want := c.table.res.GroupVersionKind()
	_, _, err := strictCodecs.UniversalDeserializer().Decode(data, &want, nil)
	strict, ok := runtime.AsStrictDecodingError(err)
	switch {
	case !ok:
		return nil
	case how == metav1.FieldValidationStrict:
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", want.Kind, want.Version, want.Kind, err))
	}
	for _, problem := range strict.Errors() {
		c.warnings = append(c.warnings, problem.Error())
	}
	return nil
}

// strictCodecs return errors for unknown and duplicate fields.
var strictCodecs = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict)

// parseObject decodes an object and requires its type to be that of the resource.
func parseObject(res *resource, data []byte) (Object, error) {
	if !res.builtin() {
		return parseCustom(res, data)
	}
	want := res.GroupVersionKind()
	obj, got, err := scheme.Codecs.UniversalDeserializer().Decode(data, &want, nil)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	out, ok := obj.(Object)
	if !ok || *got != want {
		return nil, wrongKind(res, *got)
	}
	out.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return out, nil
}

func parseCustom(res *resource, data []byte) (Object, error) {
	u := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(data, &u.Object); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if got := u.GroupVersionKind(); got != res.GroupVersionKind() {
		return nil, wrongKind(res, got)
	}
	if _, isMap := u.Object["metadata"].(map[string]any); !isMap && u.Object["metadata"] != nil {
		return nil, apierrors.NewBadRequest("metadata is not an object")
	}
	// Metadata of the wrong type would later be read as absent.
	if _, err := partialOf(u); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	shape(res.schema, u.Object)
	return u, nil
}

// partialOf checks the types of the metadata.
func partialOf(u *unstructured.Unstructured) (*metav1.PartialObjectMetadata, error) {
	out := &metav1.PartialObjectMetadata{}
	metadata := map[string]any{"metadata": u.Object["metadata"]}
	return out, runtime.DefaultUnstructuredConverter.FromUnstructured(metadata, out)
}

func wrongKind(res *resource, got schema.GroupVersionKind) error {
	return apierrors.NewBadRequest(fmt.Sprintf("%s in the body does not match the expected %s", got, res.GroupVersionKind()))
}

// readDeleteOptions reads the options of a deletion, which come in the body, in any version, or not at all.
func readDeleteOptions(r *http.Request) (metav1.DeleteOptions, error) {
	var o metav1.DeleteOptions
	data, _, err := readBody(r)
	if err != nil {
		return o, err
	}
	query := r.URL.Query()
	switch {
	case len(data) == 0:
		err = metav1.Convert_url_Values_To_v1_DeleteOptions(&query, &o, nil)
	case bytes.HasPrefix(data, []byte(magic)):
		var envelope runtime.Unknown
		if err = envelope.Unmarshal(data[len(magic):]); err == nil {
			err = o.Unmarshal(envelope.Raw)
		}
	default:
		err = yaml.Unmarshal(data, &o)
	}
	if err != nil {
		return o, apierrors.NewBadRequest(err.Error())
	}
	if len(o.DryRun) == 0 {
		o.DryRun = query["dryRun"]
	}
	return o, invalidOptions("DeleteOptions", metavalidation.ValidateDeleteOptions(&o))
}

// jsonOf returns the CBOR body of a request as JSON.
func (c *call) jsonOf(data []byte) ([]byte, error) {
	if !c.cbor || c.table.res.builtin() {
		return nil, unsupportedMediaType("the body of the request was in an unknown format: " + mediaCBOR)
	}
	var tree any
	if err := direct.Unmarshal(data, &tree); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return json.Marshal(tree)
}
