package message

import (
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/job"
)

// unit returns a function that writes a unit after a number.
func unit(words string) func(n int) string {
	return func(n int) string { return thousands(n) + words }
}

// signalInChinese translates the beginning of a signal, and keeps the name in it.
func signalInChinese(signal string) string {
	if signal == SignalLog {
		return "日志"
	}
	if name, ok := strings.CutPrefix(signal, SignalAnnotation); ok {
		return "注解 " + name
	}
	if path, ok := strings.CutPrefix(signal, SignalField); ok {
		return "状态字段 " + path
	}
	return " " + signal
}

var chinese = words{
	titles: map[Kind]pattern{
		Started:      phrase("开始运行<，等待 {waited}>：{job}"),
		NearDeadline: phrase("«距截止还有 {left}：|临近截止：»{job}"),
		RunningLong:  phrase("«{?p90}已运行 {ran}，超过往常|已运行 {ran}，超过 {after}|运行时间长»：{job}"),
		NoProgress:   phrase("«{quiet} 无进展|无进展»：{job}"),
		WaitsLong:    phrase("«已等待 {waited}|等待中»[，排第 {place}]：{job}"),
		Restarted:    phrase("已重启<，第 {n} 次尝试<，共 {m} 次>>：{job}"),
		Failed:       phrase("已失败<，{reason}>：{job}"),
		Succeeded:    phrase("已成功<，运行 {ran}>：{job}"),
		Aborted:      phrase("已中止<，{reason}>：{job}"),
		Deleted:      phrase("运行中被删除：{job}"),
		StateChanged: phrase("«{state}<，{reason}>|状态变化»：{job}"),
		GapClosed:    phrase("补录 {changes}：{cluster}"),
		Digest:       phrase("{counts}"),
		Escalation:   phrase("«{age} 未确认|未确认»：{title}"),
		Test:         phrase("«{channel} 测试|渠道测试»"),
	},
	sentences: map[Kind]pattern{
		Started:      phrase("«使用 {gpus}，节点 {nodes}。|使用 {gpus}。|使用节点 {nodes}。|正在运行。»[预计 {end} 结束。]"),
		NearDeadline: phrase("«将于 {deadline} 停止。|将于截止时停止。»[按当前进度还需 {needed}。]"),
		RunningLong:  phrase("«九成同类作业在 {p90} 内结束。|规则允许 {after}。|仍在运行。»"),
		NoProgress:   phrase("<{since} 起>没有新的«{signal}|进展»<，占用 {gpus}>。"),
		WaitsLong: phrase("«需要 {gpus}；队列 {queue} 配额 {quota}，剩余 {free}。|需要 {gpus}，在队列 {queue} 中等待。|需要 {gpus}。|在队列 {queue} 中等待。|等待{aNode}。|等待原因未知。»" +
			"[调度器：{refused}。][预计 {start} 开始<（{early} 至 {late}）>。][用 {fewer} 预计 {earlier} 开始。]"),
		Restarted:  phrase("{subject}{cause}<；还可重试 {retries} 次>。"),
		Failed:     phrase("{subject}{cause}。[第 {list} 次尝试原因相同，剩余重试 {retries} 次。]"),
		Succeeded:  phrase("«等待 {waited}，尝试 {attempts} 次。|等待 {waited}。|尝试 {attempts} 次。|正常结束。»"),
		Aborted:    phrase("«{time} 停止|已停止»[，由{by}操作]<，已运行 {ran}>。"),
		Deleted:    phrase("«{time} 删除|已删除»[，由{by}操作]<，已运行 {ran}>。<历史保留至 {until}。>"),
		GapClosed:  phrase("«{gapFrom} 至 {gapTo} 未观测|曾有一段时间未观测»<：{why}>。<事后发现：{counts}。>"),
		Digest:     phrase("<{from} 至 {to}，>共 {all} 个作业。[{k} 个失败同为 {cause}。]"),
		Escalation: phrase("<{toldAt} >«已通过 {channel} 通知 {told}。|已通知 {told}。|已发送通知。»现由你处理。"),
		Test:       phrase("«{actor} 于 {time} 发送。|{time} 发送。|手动发送。»没有作业发生变化。«{rules} 的消息会发到这里。|没有规则会发到这里。»"),
	},
	entered: map[job.State]pattern{
		job.Submitted:  phrase("«{time} 提交|已提交»[，提交者 {owner}]。"),
		job.Queued:     phrase("«在队列 {queue} 中等待|正在等待»[，需要 {gpus}]。"),
		job.Suspended:  phrase("«{time} 起挂起|已挂起»[，此前已运行 {ran}]。"),
		job.Starting:   phrase("已分配资源，正在启动。[等待了 {waited}。]"),
		job.Running:    phrase("«{time} 起运行|正在运行»。"),
		job.Restarting: phrase("已结束，正在重试。"),
		job.Succeeded:  phrase("正常结束。"),
		job.Failed:     phrase("异常结束。"),
		job.Aborted:    phrase("«{time} 停止|已停止»。"),
		job.Deleted:    phrase("«{time} 删除|已删除»[，由{by}操作]。<历史保留至 {until}。>"),
		"":             phrase("«{time} 之前为{from}。|{time} 发生变化。|发生变化。»"),
	},
	states: map[job.State]string{
		job.Submitted: "已提交", job.Queued: "排队中", job.Starting: "启动中", job.Running: "运行中", job.Suspended: "已挂起",
		job.Restarting: "重启中", job.Succeeded: "已成功", job.Failed: "已失败", job.Aborted: "已中止", job.Deleted: "已删除",
	},
	causes: map[Reason]pattern{
		OOMKilled:        phrase("内存超过« {limit}|上限»，被终止"),
		ExitError:        phrase("«以退出码 {code} 结束|出错结束»"),
		Evicted:          phrase("被驱逐<：{evictedWhy}>"),
		NodeLost:         phrase("随节点失联"),
		DeadlineExceeded: phrase("超过时限< {limit}>"),
		Preempted:        phrase("被« {other} |»抢占"),
		ImagePull:        phrase("无法拉取镜像"),
		OverQuota:        phrase("超出配额< {overQuota}>"),
		"":               phrase("已结束，原因未观测到"),
	},
	reasons: map[Reason]pattern{OverQuota: phrase("超出配额")},
	brief: map[Reason]pattern{
		ExitError: phrase("«退出码 {code}|出错»"), NodeLost: phrase("节点失联"), DeadlineExceeded: phrase("超过时限"), Evicted: phrase("被驱逐"),
		Preempted: phrase("被抢占"), ImagePull: phrase("无法拉取镜像"), OverQuota: phrase("超出配额"),
	},
	subject:   phrase("«<节点 {node} 上的 >{replica} |<节点 {node} 上的 >{pod} |节点 {node} 上的 Pod |作业»"),
	on:        phrase("<，节点 {node}>"),
	late:      phrase("«补录：{time} 发生，{seen} 发现。|补录：{seen} 发现，发生时间未知。|补录：发生时间未知。»"),
	lateTimer: phrase("迟到：未能及时检查。"),
	replay:    phrase("«补发：原定 {due} 发送。|补发。»"),
	broken:    phrase("«规则“{rule}”|规则»的模板出错：{error}"),
	labels: map[label]string{
		causeFact: "原因", memoryFact: "内存上限", timeFact: "时限", attemptsFact: "尝试", waitedRanFact: "等待、运行", waitedFact: "等待", ranFact: "运行",
		gpusFact: "GPU", nodesFact: "节点", queueFact: "队列", ownerFact: "提交者", quotaFact: "配额", placeFact: "排队位置", beforeFact: "前面所需",
		likeFact: "同类作业等待", jobLabel: "作业", logLabel: "最后日志",
	},
	facts: map[label]pattern{
		causeFact: phrase("«{reason}<，退出码 {code}>|退出码 {code}»"), memoryFact: phrase("{memory}"), timeFact: phrase("{timeLimit}"),
		attemptsFact: phrase("{n}</{m}>"), waitedRanFact: phrase("{waited}、{ran}"), waitedFact: phrase("{waited}"), ranFact: phrase("{ran}"),
		gpusFact: phrase("{gpuCount}<，{nodes}节点>"), nodesFact: phrase("{nodeCount}"), queueFact: phrase("{queue}"), ownerFact: phrase("{owner}"),
		quotaFact: phrase("{quota} GPU 已用 {used}"), placeFact: phrase("第 {place}<，共 {inLine}>"), beforeFact: phrase("{beforeGPUs}"), likeFact: phrase("{likeMedian}"),
	},
	notes: map[label]pattern{
		causeFact: phrase("{said}"), quotaFact: phrase("剩余 {free}<，需要 {gpuCount}>"), placeFact: phrase("一小时前第 {placeBefore}"),
		beforeFact: phrase("{beforeJobs}<，{higher} 个优先级更高>"), likeFact: phrase("<{likeDays} 天内 >{likeJobs} 个的中位数"),
	},
	buttons: map[button]pattern{
		openJob: phrase("打开作业"), logsButton: phrase("日志"), allLogs: phrase("日志"), stopButton: phrase("停止"), retryButton: phrase("重试"),
		whyWaits: phrase("等待原因"), cloneFewer: phrase("用 {fewer} 复制"), openChanges: phrase("打开变化"), openFailed: phrase("打开 {failed} 个失败"),
		openAll: phrase("打开全部 {all} 个"), acknowledge: phrase("确认"), openSettings: phrase("打开设置"),
	},
	groups: map[group]groupWords{
		failedGroup:       {unit(" 个已失败"), phrase("已失败"), phrase("«{brief}|运行 {ran}<，{n}/{m}>»")},
		noProgressGroup:   {unit(" 个无进展"), phrase("无进展<超过 {after}>"), phrase("«{since} 起没有新的{signal}|{quiet} 无进展»")},
		nearDeadlineGroup: {unit(" 个临近截止"), phrase("临近截止"), phrase("还有 {left}")},
		waitsGroup:        {unit(" 个排队中"), phrase("«排队超过 {after}|排队中»"), phrase("«排第 {place}<，预计 {start}>|预计 {start}|需要 {gpus}»")},
		runningLongGroup:  {unit(" 个运行过久"), phrase("运行过久"), phrase("«通常 {p90}|运行 {ran}»")},
		deletedGroup:      {unit(" 个运行中被删除"), phrase("运行中被删除"), phrase("«由{by}操作|运行 {ran}»")},
		restartedGroup:    {unit(" 个已重启"), phrase("已重启"), phrase("«第 {n} 次尝试<，共 {m} 次><，{brief}>|{brief}»")},
		abortedGroup:      {unit(" 个已中止"), phrase("已中止"), phrase("«由{by}操作|{reason}|运行 {ran}»")},
		changedGroup:      {nil, phrase("{state}"), phrase("{reason}")},
		startedGroup:      {unit(" 个开始运行"), phrase("开始运行"), phrase("等待 {waited}")},
		succeededGroup:    {unit(" 个已成功"), phrase("已成功"), phrase("运行 {ran}")},
	},
	footer: footerWords{
		why: phrase("«你是{role}，规则“{rule}”。|你是{role}。|规则“{rule}”。»"), mute: "静音此作业", today: "今日静音",
		change: "修改规则", zone: "时间 ", placeEnd: "。",
		gap:  phrase("{cluster} 在« {gapFrom} 至 {gapTo} |一段时间内»未观测，事后发现 {changesWere}。"),
		more: phrase("另有 {more} 个"),
	},
	silence:     phrase("静默 {silence}（{matchers}）已结束，共暂缓 {held}；`vedette notify silence show {silence}` 可列出这些消息。"),
	otherCauses: phrase("已失败，其他原因"),
	gaps:        unit(" 段未观测"), gpus: unit(" GPU"), nodes: unit(" 个"), retries: strconv.Itoa, retriesWere: strconv.Itoa,
	attempts: strconv.Itoa, changes: unit(" 个变化"), changesWere: unit(" 个变化"), jobs: unit(" 个作业"), messages: unit(" 条消息"),
	number: thousands, nth: thousands, inState: func(n int, word string) string { return thousands(n) + " 个" + word },
	list:  func(items []string) string { return strings.Join(items, "、") },
	comma: "，", space: "",
	attempt: phrase("第 {attempt} 次尝试"),
	log:     phrase("{source}<，第 {logAttempt} 次尝试><，保留 {kept} 行中的 {lines} 行>"),
	signal:  signalInChinese,
	owner:   "提交者", byOwner: "提交者",
}
