package channeltest

import (
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// Portal is the address of the portal in all messages of this package.
const Portal = "https://vedette.example"

const (
	longName = "llama3-70b-dpo-mix-v4-seed-1337-lr2e-5-bs2048-longctx-32k"
	jobPage  = Portal + "/jobs/gpu-west/0bcbde3e-8960-4961-ad34-668f0e3945bb"
	mutePage = Portal + "/mute/4711"
	rulePage = Portal + "/rules/17"
)

// Samples returns messages of fixed content in a language, by name: failed, waits, digest,
// test, hostile and huge. Changes of words in other packages do not change them, so they
// suit golden files.
func Samples(language string) map[string]*message.Message {
	return map[string]*message.Message{
		"failed": Failed(language), "waits": Waits(language), "digest": Digest(language), "test": Probe(language),
		"hostile": Hostile(language), "huge": Huge(language),
	}
}

// pick returns the text in a language.
func pick(language, english, chinese string) string {
	if language == message.Chinese {
		return chinese
	}
	return english
}

func messageOf(language string, kind message.Kind, s job.State) *message.Message {
	return &message.Message{
		ID:   "gpu-west/0bcbde3e-8960-4961-ad34-668f0e3945bb/48377/" + string(s) + "/my-failures/group",
		Kind: kind, Language: language, State: s, Name: longName, JobLabel: pick(language, "Job", "作业"),
		URL: jobPage, Happened: time.Date(2026, 11, 22, 2, 21, 42, 0, time.UTC),
		Thread: "0bcbde3e-8960-4961-ad34-668f0e3945bb@gpu-west", Dedup: "vedette/gpu-west/0bcbde3e-8960-4961-ad34-668f0e3945bb/my failures",
		Rule: "my failures", Role: "owner", Place: "gpu-west / team-llm",
		Footer: message.Footer{
			Place:  pick(language, "gpu-west / team-llm", ""),
			Why:    pick(language, "You get this as owner, by the rule “my failures”.", "gpu-west / team-llm。你是提交者，规则“我的失败”。"),
			Mute:   message.Link{Text: pick(language, "Mute this job", "静音此作业"), URL: mutePage},
			Change: message.Link{Text: pick(language, "Change the rule", "修改规则"), URL: rulePage},
			Zone:   pick(language, "Times UTC+8", "时间 UTC+8"),
		},
	}
}

// Failed returns a message about a job that failed, with a log and a long name.
func Failed(language string) *message.Message {
	m := messageOf(language, message.Failed, job.Failed)
	m.StateWord = pick(language, "Failed", "已失败")
	m.Head = pick(language, "Failed, OOMKilled", "已失败，OOMKilled")
	m.Title = m.Head + pick(language, ": ", "：") + m.Name
	m.ShortTitle = m.Title
	m.Sentence = pick(language,
		"Worker 2 used all of its 480 GiB of memory on gpu-h100-17 and was killed. Attempts 1, 2 and 3 ended the same way; no retries were left.",
		"节点 gpu-h100-17 上的 worker-2 内存超过 480 GiB，被终止。第 1、2、3 次尝试原因相同，剩余重试 0 次。")
	m.ShortSentence = m.Sentence
	label := func(english, chinese string) string { return pick(language, english, chinese) }
	m.Facts = []message.Fact{
		{Label: label("Cause", "原因"), Value: label("OOMKilled, exit code 137", "OOMKilled，退出码 137")},
		{Label: label("Memory limit", "内存上限"), Value: "480 GiB"},
		{Label: label("Attempts", "尝试"), Value: "3/3"},
		{Label: label("Waited, ran", "等待、运行"), Value: label("3m 41s, 33m 18s", "3m 41s、33m 18s")},
		{Label: "GPU", Value: label("32, 4 nodes", "32，4 个节点")},
		{Label: label("Queue", "队列"), Value: "gpu-h100"},
	}
	m.LogTitle, m.LogNote = label("Last log lines", "最后几行日志"), "worker-2"
	m.Log = []string{
		"10:40  WARN shuffle_buffer 461.9 GiB of 480.0 GiB", "10:41  WARN shuffle_buffer 478.3 GiB of 480.0 GiB",
		"10:41  Traceback (most recent call last):", "10:41  Killed",
	}
	m.Buttons = []message.Button{
		{Text: label("Open job", "打开作业"), URL: jobPage, Primary: true},
		{Text: label("Retry", "重试"), URL: jobPage + "/retry"},
		{Text: label("All logs", "日志"), URL: jobPage + "/logs"},
	}
	return m
}

// Waits returns a message about a job that waits too long.
func Waits(language string) *message.Message {
	m := messageOf(language, message.WaitsLong, job.Queued)
	label := func(english, chinese string) string { return pick(language, english, chinese) }
	m.Name = "reward-model-v9-seed-2024"
	m.StateWord = label("Queued", "排队中")
	m.Head = label("Waiting 1h 05m, 7th in line", "已等待 1h 05m，排第 7")
	m.ShortTitle = label("Waiting 1h 05m: ", "已等待 1h 05m：") + m.Name
	m.Title = m.Head + label(": ", "：") + m.Name
	m.ShortSentence = label("It needs 32 GPUs; queue gpu-h100 has 0 of 256 left.", "需要 32 GPU；队列 gpu-h100 配额 256，剩余 0。")
	m.Sentence = m.ShortSentence + label(
		" Likely start about 11:34 (11:10 to 12:40). With 16 GPUs it would likely start at 10:58.",
		"预计 11:34 开始（11:10 至 12:40）。用 16 GPU 预计 10:58 开始。")
	m.Facts = []message.Fact{
		{Label: label("Quota", "配额"), Value: label("256 of 256 GPUs in use", "256 GPU 已用 256"), Note: label("0 left, 32 needed", "剩余 0，需要 32")},
		{Label: label("Place in line", "排队"), Value: label("7th of 19", "第 7，共 19"), Note: label("11th an hour ago", "一小时前第 11")},
		{Label: label("Needed by those before it", "前面需要"), Value: "176 GPU", Note: label("6 jobs, two of higher priority", "6 个作业，2 个优先级更高")},
		{Label: label("Jobs like it waited", "同类作业等待"), Value: "1h 57m", Note: label("median of 120 in 30 days", "30 天内 120 个的中位数")},
	}
	m.Buttons = []message.Button{
		{Text: label("Why it waits", "等待原因"), URL: jobPage + "/why"},
		{Text: label("Clone with 16 GPUs", "用 16 GPU 复制"), URL: Portal + "/submit?clone=0bcbde3e"},
		{Text: label("Stop", "停止"), URL: jobPage + "/stop"},
	}
	m.URL = jobPage + "/why"
	return m
}

// Digest returns a digest of nine jobs.
func Digest(language string) *message.Message {
	m := messageOf(language, message.Digest, job.Failed)
	label := func(english, chinese string) string { return pick(language, english, chinese) }
	m.Name, m.JobLabel, m.Thread = "", "", ""
	m.StateWord = label("Failed", "已失败")
	m.Title = label("4 failed, 2 waiting, 1 aborted, 2 succeeded since 09:42", "4 个已失败，2 个排队中，1 个已中止，2 个已成功")
	m.Head, m.ShortTitle = m.Title, m.Title
	m.Sentence = label("2 of 4 failures: OOMKilled on gpu-h100-17. 9 jobs, 09:42 to 10:42.", "09:42 至 10:42，共 9 个作业。2 个失败同为 OOMKilled，节点 gpu-h100-17。")
	m.ShortSentence = label("9 jobs, 09:42 to 10:42.", "09:42 至 10:42，共 9 个作业。")
	row := func(name, owner, text, at string) message.Row {
		return message.Row{Name: name, URL: Portal + "/jobs/gpu-west/" + name, Owner: owner, GPUs: "–", Text: text, Time: at}
	}
	m.Sections = []message.Section{
		{State: job.Failed, Title: label("Failed, OOMKilled, gpu-h100-17", "已失败，OOMKilled，gpu-h100-17"), Rows: []message.Row{
			row("llama3-70b-dpo-mix-v4-seed-1337", "liwei", "32 GPU", "10:21:42"), row("qwen2-72b-pretrain-stage3-seed-42", "ana", "64 GPU", "10:35:43"),
		}, Count: 2},
		{State: job.Failed, Title: label("Failed, other reasons", "已失败，其他原因"), Rows: []message.Row{
			row("whisper-large-zh-38", "emre", label("exit code 1", "退出码 1"), "10:29:28"), row("segment-anything-ft-1", "chen", label("image not found", "镜像不存在"), "10:14:45"),
		}, Count: 2},
		{State: job.Queued, Title: label("Waiting over 30m", "排队超过 30m"), Rows: []message.Row{
			row("reward-model-v9-seed-2024", "liwei", label("7th in line", "排第 7"), "1h 05m"), row("dlrm-1tb-embed-lr3e-4-bs256", "goro", label("2nd in line", "排第 2"), "33m 51s"),
		}, Count: 2},
		{State: job.Aborted, Title: label("Aborted", "已中止"), Rows: []message.Row{row("sequence-rank-v12-seed-7", "ines", "", "10:39:31")}, Count: 1},
		{State: job.Succeeded, Title: label("Succeeded", "已成功"), Rows: []message.Row{row("dinov3-pretrain-lr1e-4-bs256", "", "", ""), row("ctr-calibration-sweep", "", "", "")}, Count: 2},
	}
	m.Buttons = []message.Button{
		{Text: label("Open 4 failed", "打开 4 个失败"), URL: Portal + "/jobs?state=Failed", Primary: true},
		{Text: label("Open all 9", "打开全部 9 个"), URL: Portal + "/jobs"},
	}
	m.URL = Portal + "/jobs?state=Failed"
	m.Footer.Mute.Text = label("Mute for today", "今日静音")
	m.Footer.Place, m.Footer.Why = "", label("You get this as on call, by the rule “team digest”.", "你在值班，规则“团队汇总”。")
	return m
}

// Probe returns a test of a channel, which has neither a job nor a state.
func Probe(language string) *message.Message {
	m := messageOf(language, message.Test, "")
	m.Name, m.JobLabel, m.Thread, m.Place, m.Footer.Place = "", "", "", "", ""
	m.Title = pick(language, "Test of group", "group 测试")
	m.Head, m.ShortTitle = m.Title, m.Title
	m.Sentence = pick(language, "ana sent this at 10:42. No job changed. Messages of my failures come here.", "ana 于 10:42 发送。没有作业发生变化。my failures 的消息会发到这里。")
	m.ShortSentence = m.Sentence
	m.Buttons = []message.Button{{Text: pick(language, "Open settings", "打开设置"), URL: Portal + "/settings", Primary: true}}
	m.URL = Portal + "/settings"
	return m
}

// Hostiles are texts of users that try to be markup in one of the syntaxes, after the
// first step of escaping that all channels share.
var Hostiles = []string{
	"@all <at id=all></at> <at user_id=\"all\">x</at> <@all> <!channel> <!here|x> <at>liwei</at>",
	"[PWN](https://evil.example/PWN) ![PWN](https://evil.example/p.png) <https://evil.example|PWN> <a href='https://evil.example'>PWN</a>",
	"**PWN** __PWN__ *PWN* _PWN_ ~~PWN~~ ~PWN~ `PWN` ```PWN``` :tada: :+1:",
	"</font><font color=\"info\">PWN</font> <img src=x onerror=PWN> &lt;at id=all&gt; &#60;at id=all&#62; <script>PWN</script>",
	"# PWN", "> PWN", "- PWN", "1. PWN", "--- PWN", "| PWN | PWN |", "\\*PWN\\* \\x1b[31m \\u202e", "](https://evil.example)", "\"},{\"tag\":\"at\",\"user_id\":\"all\"",
	"${PWN} {{PWN}} <person id = 'all'></person> <link url='https://evil.example'>PWN</link> $urlVal",
}

// Hostile returns a message in which all texts of users try to be markup.
func Hostile(language string) *message.Message {
	m := Failed(language)
	m.Name = Hostiles[1]
	m.Head = m.StateWord + pick(language, ", ", "，") + Hostiles[0]
	m.Title = m.Head + pick(language, ": ", "：") + m.Name
	m.ShortTitle = m.Title
	m.Sentence = strings.Join(Hostiles, " ")
	m.ShortSentence = Hostiles[0]
	m.Facts, m.Log = nil, nil
	for i, h := range Hostiles[:6] {
		m.Facts = append(m.Facts, message.Fact{Label: fmt.Sprintf("Label %d", i), Value: h, Note: h})
	}
	m.Log = Hostiles[:10]
	m.LogNote = Hostiles[0]
	m.Footer.Place, m.Footer.Why, m.Footer.Zone = Hostiles[0], Hostiles[3], Hostiles[2]
	m.Place, m.Rule, m.Role = Hostiles[0], Hostiles[1], Hostiles[2]
	return m
}

// HostileDigest returns a digest in which all texts of users try to be markup.
func HostileDigest(language string) *message.Message {
	m := Digest(language)
	m.Sections = nil
	for i, h := range Hostiles {
		row := message.Row{Name: h, URL: Portal + fmt.Sprintf("/jobs/%d", i), Owner: h, GPUs: "1", Text: h, Time: "10:21:42"}
		m.Sections = append(m.Sections, message.Section{State: job.Failed, Title: h, Rows: []message.Row{row}, Count: 1})
	}
	m.More = Hostiles[1]
	return m
}

// Huge returns a message with the maximum amount of text that the other packages pass on:
// values of 256 bytes and lines of 300, in characters that need escapes.
func Huge(language string) *message.Message {
	m := Failed(language)
	value := strings.Repeat("<&测*", 256/8)
	m.Name = value
	m.Title = m.Head + pick(language, ": ", "：") + m.Name
	m.ShortTitle = m.Title
	m.ShortSentence = value
	m.Sentence = strings.Repeat(value+" ", 8)
	m.Facts, m.Log = nil, nil
	for range 6 {
		m.Facts = append(m.Facts, message.Fact{Label: "Label", Value: value, Note: value})
	}
	for range 20 {
		m.Log = append(m.Log, strings.Repeat("`<&测", 50))
	}
	return m
}

// HugeDigest returns a digest of 400 jobs in 80 sections.
func HugeDigest(language string) *message.Message {
	m := Digest(language)
	m.Sections = nil
	for i := range 80 {
		s := message.Section{State: job.Failed, Title: fmt.Sprintf("Failed, reason %d", i), Count: 5}
		if i > 40 {
			s.State, s.Title = job.Succeeded, fmt.Sprintf("Succeeded %d", i)
		}
		for j := range 5 {
			name := fmt.Sprintf("job-%d-%d-%s", i, j, strings.Repeat("long-", 8))
			s.Rows = append(s.Rows, message.Row{Name: name, URL: Portal + "/jobs/gpu-west/" + name, Owner: "liwei", GPUs: "32", Text: "32 GPU", Time: "10:21:42"})
		}
		m.Sections = append(m.Sections, s)
	}
	return m
}
