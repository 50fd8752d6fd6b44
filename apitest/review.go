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

// isReview reports whether a call creates a review, which is answered and not stored.
func isReview(c *call) bool {
	return c.Verb == VerbCreate && (reviewsAccess(c) || reviewsUser(c) || reviewsSubject(c) || reviewsToken(c) || reviewsRules(c))
}

func reviewsSubject(c *call) bool {
	return c.Resource.Group == authorizationv1.GroupName && c.Resource.Resource == "subjectaccessreviews"
}

func reviewsToken(c *call) bool {
	return c.Resource.Group == authenticationv1.GroupName && c.Resource.Resource == "tokenreviews"
}

func reviewsAccess(c *call) bool {
	return c.Resource.Group == authorizationv1.GroupName && c.Resource.Resource == "selfsubjectaccessreviews"
}

func reviewsRules(c *call) bool {
	return c.Resource.Group == authorizationv1.GroupName && c.Resource.Resource == "selfsubjectrulesreviews"
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
	switch {
	case reviewsToken(c):
		s.serveTokenReview(w, c, data)
	case reviewsSubject(c):
		s.serveSubjectReview(w, c, data)
	case reviewsRules(c):
		s.serveRulesReview(w, c, data)
	default:
		s.serveAccessReview(w, c, data)
	}
}

// serveTokenReview answers with the user of a token of Config.Tokens.
func (s *Server) serveTokenReview(w http.ResponseWriter, c *call, data []byte) {
	review := &authenticationv1.TokenReview{}
	want := authenticationv1.SchemeGroupVersion.WithKind("TokenReview")
	if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, &want, review); err != nil {
		s.fail(w, c, apierrors.NewBadRequest(err.Error()))
		return
	}
	user, known := s.cfg.Tokens[review.Spec.Token]
	review.Status = authenticationv1.TokenReviewStatus{Authenticated: known}
	if known {
		review.Status.User = authenticationv1.UserInfo{Username: user, Groups: []string{"system:authenticated"}}
	}
	review.TypeMeta = metav1.TypeMeta{}
	s.sendReview(w, c, typeMeta{"authentication.k8s.io/v1", "TokenReview"}, review)
}

// serveSubjectReview answers whether Config.Authorize allows a request of a user.
func (s *Server) serveSubjectReview(w http.ResponseWriter, c *call, data []byte) {
	review := &authorizationv1.SubjectAccessReview{}
	want := authorizationv1.SchemeGroupVersion.WithKind("SubjectAccessReview")
	if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, &want, review); err != nil {
		s.fail(w, c, apierrors.NewBadRequest(err.Error()))
		return
	}
	if review.Spec.ResourceAttributes == nil {
		s.fail(w, c, apierrors.NewBadRequest("only reviews of resourceAttributes are answered here"))
		return
	}
	review.Status = s.reviewed(c, review.Spec.User, review.Spec.Groups, review.Spec.ResourceAttributes)
	review.TypeMeta = metav1.TypeMeta{}
	s.sendReview(w, c, typeMeta{"authorization.k8s.io/v1", "SubjectAccessReview"}, review)
}

// reviewed calls Config.Authorize with a hypothetical request.
func (s *Server) reviewed(c *call, user string, groups []string, a *authorizationv1.ResourceAttributes) authorizationv1.SubjectAccessReviewStatus {
	if s.cfg.Authorize == nil {
		return authorizationv1.SubjectAccessReviewStatus{Allowed: true}
	}
	asked := Request{
		Time: c.Time, User: user, Groups: groups, Verb: Verb(a.Verb), Namespace: a.Namespace, Name: a.Name, Subresource: a.Subresource,
		Resource: schema.GroupVersionResource{Group: a.Group, Version: a.Version, Resource: a.Resource},
	}
	if err := s.cfg.Authorize(asked); err != nil {
		return authorizationv1.SubjectAccessReviewStatus{Reason: err.Error()}
	}
	return authorizationv1.SubjectAccessReviewStatus{Allowed: true}
}

// impersonate executes a request as another user, if Config.Authorize allows the sender the verb "impersonate" on that
// user.
func (s *Server) impersonate(c *call, r *http.Request) error {
	user := r.Header.Get(authenticationv1.ImpersonateUserHeader)
	if user == "" {
		return nil
	}
	users := schema.GroupVersionResource{Version: "v1", Resource: "users"}
	if s.cfg.Authorize != nil {
		if err := s.cfg.Authorize(Request{Time: c.Time, User: c.User, Verb: "impersonate", Resource: users, Name: user}); err != nil {
			return apierrors.NewForbidden(users.GroupResource(), user, err)
		}
	}
	c.User, c.Groups = user, r.Header.Values(authenticationv1.ImpersonateGroupHeader)
	return nil
}

// serveAccessReview answers whether Config.Authorize allows a request of the sender.
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
	review.Status = s.reviewed(c, c.User, c.Groups, review.Spec.ResourceAttributes)
	review.TypeMeta = metav1.TypeMeta{}
	s.sendReview(w, c, typeMeta{"authorization.k8s.io/v1", "SelfSubjectAccessReview"}, review)
}

// serveRulesReview answers with the rights of the sender in a namespace.
func (s *Server) serveRulesReview(w http.ResponseWriter, c *call, data []byte) {
	review := &authorizationv1.SelfSubjectRulesReview{}
	want := authorizationv1.SchemeGroupVersion.WithKind("SelfSubjectRulesReview")
	if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, &want, review); err != nil {
		s.fail(w, c, apierrors.NewBadRequest(err.Error()))
		return
	}
	if review.Spec.Namespace == "" {
		s.fail(w, c, apierrors.NewBadRequest("no namespace on request"))
		return
	}
	review.Status = authorizationv1.SubjectRulesReviewStatus{Incomplete: true}
	if s.cfg.Rules != nil {
		review.Status = s.cfg.Rules(c.User, c.Groups, review.Spec.Namespace)
	}
	review.TypeMeta = metav1.TypeMeta{}
	s.sendReview(w, c, typeMeta{"authorization.k8s.io/v1", "SelfSubjectRulesReview"}, review)
}

// sendReview sends the response to a review.
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
