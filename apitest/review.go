package apitest

import (
	"encoding/json"
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// isReview reports whether a call creates a SelfSubjectAccessReview or a SelfSubjectReview,
// which are answered and not kept.
func isReview(c *call) bool { return c.Verb == VerbCreate && (reviewsAccess(c) || reviewsUser(c)) }

func reviewsAccess(c *call) bool {
	return c.Resource.Group == authorizationv1.GroupName && c.Resource.Resource == "selfsubjectaccessreviews"
}

func reviewsUser(c *call) bool {
	return c.Resource.Group == authenticationv1.GroupName && c.Resource.Resource == "selfsubjectreviews"
}

// serveReview answers a review.
func (s *Server) serveReview(w http.ResponseWriter, c *call) {
	data, _, err := readBody(c.handler)
	if err != nil {
		s.fail(w, c, err)
		return
	}
	if reviewsUser(c) {
		review := &authenticationv1.SelfSubjectReview{Status: authenticationv1.SelfSubjectReviewStatus{UserInfo: authenticationv1.UserInfo{Username: c.User}}}
		s.sendReview(w, c, typeMeta{"authentication.k8s.io/v1", "SelfSubjectReview"}, review)
		return
	}
	s.serveAccessReview(w, c, data)
}

// serveAccessReview answers whether Config.Authorize would let a request pass.
func (s *Server) serveAccessReview(w http.ResponseWriter, c *call, data []byte) {
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
	s.sendReview(w, c, typeMeta{"authorization.k8s.io/v1", "SelfSubjectAccessReview"}, review)
}

// sendReview sends the answer to a review.
func (s *Server) sendReview(w http.ResponseWriter, c *call, kind typeMeta, review interface{ Marshal() ([]byte, error) }) {
	enc, ok := offer{protobuf: true}.accept(c.Accept)
	if !ok {
		s.fail(w, c, notAcceptable())
		return
	}
	marshal := review.Marshal
	if enc.format != formatProtobuf {
		marshal = func() ([]byte, error) { return json.Marshal(review) }
	}
	data, err := marshal()
	if err != nil {
		s.fail(w, c, err)
		return
	}
	s.sendPayload(w, http.StatusCreated, enc, payload{kind: kind, data: data})
}
