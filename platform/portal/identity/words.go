package identity

// words are the texts of the sign-in page.
type words struct {
	Title, Organization, Token, Help, HelpEnd, SignIn, Open, Jobs, Proxy, Cluster, ClusterHelp, Local string
}

// wordsOf has the words by language.
var wordsOf = map[string]words{
	"en": {
		Title: "Sign in to Vedette", Organization: "Continue with your organization", Token: "Token", Help: "A token of this portal, or one of your kubeconfig: ", HelpEnd: "prints one.",
		SignIn: "Sign in", Open: "This portal needs no sign-in.", Jobs: "Show the jobs", Proxy: "Open the portal through the proxy of your organization, which signs you in.",
		Cluster: "Cluster", ClusterHelp: "The name of the cluster that issued the token. It is needed if the portal cannot tell.",
		Local: "This portal is open to the user who runs it. Open the address that it printed, or the one that this command prints for that user:",
	},
	"zh": {
		Title: "登录 Vedette", Organization: "使用组织账户继续", Token: "令牌", Help: "本门户的令牌，或你的 kubeconfig 中的令牌：", HelpEnd: "会输出一个。",
		SignIn: "登录", Open: "此门户无需登录。", Jobs: "查看作业", Proxy: "请通过组织的代理打开此门户，代理会为你登录。",
		Cluster: "集群", ClusterHelp: "签发该令牌的集群的名称。仅在门户无法判断时需要填写。",
		Local: "此门户仅供运行它的用户使用。请打开它输出的地址，或由该用户运行以下命令获取地址：",
	},
}

// wrongLocal is the problem of an address with another token.
const wrongLocal = "The token in this address is not accepted."

// problemsInChinese are the problems of a sign-in. Other problems stay in English.
var problemsInChinese = map[string]string{
	wrongLocal: "此地址中的令牌无效。",
	"The form cannot be read. Paste the token again.":                                    "无法读取表单。请重新粘贴令牌。",
	"The token is missing. Paste it again.":                                              "没有令牌。请重新粘贴。",
	"This portal has no identity provider.":                                              "此门户没有身份提供方。",
	"This sign-in has expired, or another one began. Sign in again.":                     "本次登录已过期，或已开始另一次登录。请重新登录。",
	"The identity provider refused. Sign in again, or ask its administrator.":            "身份提供方拒绝了登录。请重新登录，或联系其管理员。",
	"You have more groups than a browser can keep. Ask the administrator of the portal.": "你所属的组过多，浏览器无法保存。请联系门户管理员。",
}

// said returns a problem in the language of the page.
func said(problem, language string) string {
	if text, ok := problemsInChinese[problem]; ok && language == "zh" {
		return text
	}
	return problem
}
