package apitest

import (
	"encoding/json"
	"net/http"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// isReview tells the creation of a SelfSubjectAccessReview, of which nothing is kept.
func isReview(c *call) bool {
	return c.Verb == VerbCreate && c.Resource.Group == authorizationv1.GroupName && c.Resource.Resource == "selfsubjectaccessreviews"
}

// serveReview answers whether Config.Authorize would let a request pass.
func (s *Server) serveReview(w http.ResponseWriter, c *call) {
	data, _, err := readBody(c.handler)
	if err != nil {
		s.fail(w, c, err)
		return
	}
	review := &authorizationv1.SelfSubjectAccessReview{}
	want := authorizationv1.SchemeGroupVersion.WithKind("SelfSubjectAccessReview")
	if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, &want, review); err != nil {
		s.fail(w, c, apierrors.NewBadRequest(err.Error()))
		return
	}
	if review.Spec.ResourceAttributes == nil {
		s.fail(w, c, apierrors.NewBadRequest("only reviews of resourceAttributes are answered here"))
		return
	}
	enc, ok := offer{protobuf: true}.accept(c.Accept)
	if !ok {
		s.fail(w, c, notAcceptable())
		return
	}
	a := review.Spec.ResourceAttributes
	review.Status = authorizationv1.SubjectAccessReviewStatus{Allowed: true}
	if s.cfg.Authorize != nil {
		asked := Request{
			Time: c.Time, User: c.User, Verb: Verb(a.Verb), Namespace: a.Namespace, Name: a.Name, Subresource: a.Subresource,
			Resource: schema.GroupVersionResource{Group: a.Group, Version: a.Version, Resource: a.Resource},
		}
		if err := s.cfg.Authorize(asked); err != nil {
			review.Status = authorizationv1.SubjectAccessReviewStatus{Reason: err.Error()}
		}
	}
	review.TypeMeta = metav1.TypeMeta{}
	p := payload{kind: typeMeta{"authorization.k8s.io/v1", "SelfSubjectAccessReview"}}
	if enc.format == formatProtobuf {
		p.data, err = review.Marshal()
	} else {
		p.data, err = json.Marshal(review)
	}
	if err != nil {
		s.fail(w, c, err)
		return
	}
	s.sendPayload(w, http.StatusCreated, enc, p)
}
