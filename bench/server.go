package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// encodings holds every pod as the frame of a streaming list, for both
// encodings, so that the server does nothing but write.
type encodings struct{ protobuf, json [][]byte }

// server serves a streaming list of pods, and then silence.
type server struct {
	frames encodings
	closed chan struct{}
}

// serve says where it listens, and ends with its standard input.
func serve(pods int) error {
	frames, err := encodePods(pods)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &server{frames: frames, closed: make(chan struct{})}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(s.closed)
		_ = l.Close()
	}()
	fmt.Printf("http://%s %d bytes in protobuf and %d in JSON each\n", l.Addr(), mean(frames.protobuf), mean(frames.json))
	_ = http.Serve(l, s) // it ends with the listener
	return nil
}

func mean(frames [][]byte) int {
	n := 0
	for _, f := range frames {
		n += len(f)
	}
	return n / max(len(frames), 1)
}

func encodePods(pods int) (e encodings, err error) {
	for i := range pods + 1 {
		event, obj := "ADDED", pod(i)
		if i == pods { // the bookmark that ends the list
			event = "BOOKMARK"
			obj = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				ResourceVersion: fmt.Sprint(2_000_000 + pods), Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"},
			}}
		}
		obj.APIVersion, obj.Kind = "v1", "Pod"
		p, err := protobufFrame(event, obj)
		if err != nil {
			return e, err
		}
		j, err := jsonFrame(event, obj)
		if err != nil {
			return e, err
		}
		e.protobuf, e.json = append(e.protobuf, p), append(e.json, j)
	}
	return e, nil
}

func protobufFrame(event string, obj runtime.Object) ([]byte, error) {
	var object bytes.Buffer
	if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(obj, &object); err != nil {
		return nil, err
	}
	ev := metav1.WatchEvent{Type: event, Object: runtime.RawExtension{Raw: object.Bytes()}}
	body, err := ev.Marshal()
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...), nil
}

func jsonFrame(event string, obj runtime.Object) ([]byte, error) {
	var object bytes.Buffer
	s := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{})
	if err := s.Encode(obj, &object); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "{\"type\":%q,\"object\":%s}\n", event, bytes.TrimSpace(object.Bytes())), nil
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/api/v1/pods" || r.URL.Query().Get("sendInitialEvents") != "true" {
		http.NotFound(w, r)
		return
	}
	frames, kind := s.frames.json, "application/json"
	if strings.Contains(r.Header.Get("Accept"), "protobuf") {
		frames, kind = s.frames.protobuf, "application/vnd.kubernetes.protobuf;stream=watch"
	}
	w.Header().Set("Content-Type", kind)
	for _, f := range frames {
		if _, err := w.Write(f); err != nil {
			return
		}
	}
	_ = http.NewResponseController(w).Flush()
	select {
	case <-r.Context().Done():
	case <-s.closed:
	}
}
