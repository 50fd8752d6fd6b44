package apitest

import (
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig serves HTTPS on a free port of the loopback interface, and returns a kubeconfig for it, for programs such as
// kubectl. token is one of Config.Tokens; kubectl asks for a user name if it is empty. The result contains the token.
//
// Errors: ErrClosed, and those of net.Listen.
func (s *Server) Kubeconfig(token string) ([]byte, error) {
	url, authority, err := s.ListenTLS("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	const name = "apitest"
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters[name] = &clientcmdapi.Cluster{Server: url, CertificateAuthorityData: authority}
	cfg.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	cfg.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	cfg.CurrentContext = name
	return clientcmd.Write(*cfg)
}
