// Chinese words of the page of a job.

import { number } from "../../core/format";
import type { JobWords } from "./words.en";

export const zh: JobWords = {
  tabs: { label: "作业的各部分", overview: "概览", attempts: "尝试", pods: "Pod", events: "事件", yaml: "YAML", logs: "日志", notifications: "通知" },
  revisions: (i) => `${number(i)} 个修订版本`,
  place: (i, of) => `第 ${i} 个，共 ${of} 个`,
  previous: "列表中的上一个作业",
  next: "列表中的下一个作业",
  facts: {
    kind: "类型", queue: "队列", owner: "提交者", gpus: "GPU", submitted: "提交于", waited: "等待", waiting: "已等待", ran: "运行", running: "已运行", priority: "优先级",
    pods: "Pod", uid: "UID", retryOf: "重试自", retriedBy: "已重试为", stoppedBy: "停止者", controller: "控制者", node: "节点", copy: "复制 UID", trace: "链路追踪", openTrace: "打开",
  },
  onNodes: (gpus, nodes) => `${gpus}，${number(nodes)} 个节点`,
  inAttempts: (time, tries) => `${time}，${number(tries)} 次尝试`,
  deleted: (time) => `已于 ${time} 删除。`,
  deletedUntil: (time, until) => `已于 ${time} 删除。历史保留至 ${until}。`,
  unknownPresence: "现在看不到该对象。显示的是最后看到的内容。",
  strip: {
    label: "作业的历程", attempt: (i, time) => `尝试 ${i}，${time}`, attemptShort: (i) => `尝试 ${i}`, submitted: (t) => `${t} 提交`, asOf: (t) => `截至 ${t}`, now: (t) => `现在 ${t}`, early: (t) => `一成在 ${t} 前`,
    half: (t) => `一半在 ${t} 前`, late: (t) => `九成在 ${t} 前`, gap: (t) => `${t} 未观测`, startedBare: (t) => `${t} 启动`, likely: (from, to) => `可能在 ${from} 到 ${to} 之间启动`,
  },
  waiting: {
    title: "为什么等待", from: (source, time) => `来自 ${source}，截至 ${time}`, quota: "配额", of: (used, total, unit) => `${used} / ${total} ${unit}`, gpusUnit: "GPU", left: (left, needed) => `剩余 ${left}，需要 ${needed}`,
    place: "排队位置", placeOf: (place, length) => `第 ${number(place)} 位，共 ${number(length)} 个`, was: (place) => `一小时前第 ${number(place)} 位`, ahead: "前面的作业需要", jobs: (i) => `${number(i)} 个作业`,
    likely: "可能启动于", about: (t) => `约 ${t}`, range: (a, b) => `${a} 到 ${b}，依据以往等待，不依据排队`, like: "类似作业等待", median: (i, days) => `${number(days)} 天内 ${number(i)} 个的中位数`,
    notKnown: "未知", notTested: "历史不支持给出范围", quotaOf: (q) => `${q} 的配额`, lineOf: (q) => `${q} 的排队`, all: (i) => `全部 ${number(i)} 个`, you: "你", others: "其他",
    lineNote: "所需 GPU，已等待时间。", special: (places, priority) => `第 ${places.join("、")} 位的优先级为 ${priority}。`, hidden: (i) => `另有 ${number(i)} 个你看不到的作业。`,
    histogram: "类似作业等待了多久", days: (i) => `${number(i)} 天`, now: (t) => `现在 ${t}`, longer: (i, of) => `${number(of)} 个中有 ${number(i)} 个比该作业等待得更久。`, nodes: "节点", nodesNote: "为什么都不合适，调度器的原话", nodesOf: (i) => `${number(i)} 个节点`, someNodes: "节点", notKnownTitle: "未知的内容",
    bar: (from, to, i) => `${from} 到 ${to}：${number(i)} 个作业`, held: (share, i) => `该范围对历史中 ${number(i)} 个作业的 ${share} 成立。`, reason: "原因", said: "时间", count: "节点", owner: "提交者", place1: "位置", job: "作业", used: "已用", share: "占比", gpus: "GPU", waited: "等待",
  },
  failure: {
    title: "为什么失败", cause: "原因", of: (i, all) => `${number(all)} 次尝试中的 ${number(i)} 次`, exit: "退出码", limit: "内存上限", larger: (limit) => `以 ${limit} 上限复制`, largerNote: "比原来多一半。实际需要多少没有记录。", like: "同样结束的作业", in: (i, days) => `${number(days)} 天内 ${number(i)} 个`,
    same: "相同提交者和类型", node: "节点", unknown: "未知：",
  },
  attempts: {
    title: "尝试", note: "与上一次不同之处已标出", list: "各次尝试", job: "作业", thisJob: "本作业", diff: "完整差异", all: (i) => `全部 ${number(i)} 次`, field: "字段", none: "还没有开始任何尝试。", compare: "比较", with: "与", differs: "与上一次不同",
    fields: { ended: "结束", ran: "运行", firstFailure: "最先失败", image: "镜像", nodes: "节点", lastStep: "最后步骤", began: "开始", pods: "Pod", exitCode: "退出码", node: "节点", memory: "内存", gpus: "GPU", command: "命令" },
    same: "两次尝试运行的是同一个对象。", one: "比较需要两次尝试。",
  },
  transitions: {
    title: "状态变化", note: (i) => `共 ${i} 次，最新在前`, state: "状态", since: "时间", for: "持续", reason: "原因", version: "版本", source: "来源", all: "全部显示", none: "没有记录到状态变化。",
    sources: { watched: "监视", listed: "列出", relisted: "重新列出", inferred: "推断", watch: "监视", list: "列出", relist: "重新列出" },
  },
  log: {
    title: "最后的日志", attempt: (pod, i) => `${pod}，尝试 ${i}`, kept: (shown, all) => `Pod 结束时保留，${number(all)} 行中的 ${number(shown)} 行`, keptAt: (pod, t, i) => `${pod}：${t} 保留 ${number(i)} 行`, missing: (i) => `${number(i)} 行未保留`, missingUnknown: "未保留的行数未知", 
    allPods: "所有 Pod", allAttempts: "所有尝试", pod: "Pod", attemptLabel: "尝试", search: "搜索日志", hits: (i, of) => `第 ${number(i)} 个，共 ${of} 个`, noHits: "无匹配", nextHit: "下一个匹配", previousHit: "上一个匹配", wrap: "换行", times: "时间", follow: "跟随", live: "实时，跟随末尾", liveOnly: "实时", ended: "日志已结束。", away: "集群没有返回日志。这些是 Pod 结束时保留的日志。", older: "显示更早的日志",
    dropped: (i) => `省略了 ${number(i)} 行较早的日志，以保持页面流畅。`, cut: (i) => `截去 ${number(i)} 字节`, empty: "没有日志。未启动的 Pod 不写日志，也没有保留的日志。", region: "日志", broken: "连接已断开，正在重新连接。", download: "下载显示的内容", open: "全部日志",
    shown: (i) => `显示 ${number(i)} 行`,
  },
  deliveries: {
    title: "通知", rule: "规则", channel: "渠道", answer: "响应", tries: "次数", receiver: "接收者", state: "状态", when: "时间", message: "消息", again: "重新发送", acknowledge: "确认", mute: "静音", none: "没有发送过关于该作业的消息。", noneHelp: "订阅后，启动、失败或结束时会通知你。", off: "该门户的数据库没有通知。",
    next: (t) => `下次 ${t}`, acked: (who, t) => `${who} 已确认，${t}`, open: "全部", 
    states: { waiting: "等待发送", held: "暂缓", sending: "发送中", sent: "已发送", dead: "死信", dropped: "已丢弃", superseded: "已被取代", silenced: "已静默" },
  },
  diff: {
    title: "差异", of: (from, to) => `修订版本 ${from} 到 ${to}`, differ: (i) => `${number(i)} 行不同`, none: "没有不同的行。", fold: (i) => `${number(i)} 行未变`, foldBook: (i) => `${number(i)} 行由系统维护`, cut: (i) => `差异过大，另有 ${number(i)} 行未显示。`, left: "之前", right: "之后", unified: "合并", split: "并排", bookkeeping: "系统字段", last: "对象的最后一次变化",
    removed: "删除", added: "新增", lineNumber: "行", text: "内容", how: "如何显示差异",
  },
  yaml: {
    revision: (i, of) => `修订版本 ${number(i)} / ${number(of)}`, slider: "修订版本", older: "更早的修订版本", newer: "更新的修订版本", compare: "与此比较", end: "结束比较", copy: "复制 YAML", fold: (i) => `${number(i)} 行由系统维护`,
    none: "没有记录修订版本。", stripped: "该修订版本的内容已按保留策略移除。", readOnly: "只读", 
  },
  pods: { none: "还没有创建 Pod。", notRecorded: "未记录 Pod。请将 pods 加入记录器的目标。", state: "状态", name: "名称", attempt: "尝试", node: "节点", restarts: "重启", exit: "退出码", created: "创建时间", ran: "存在", life: "历程", detail: "详情", },
  events: { none: "没有关于该作业的事件。", notRecorded: "未记录事件，集群也没有响应。", live: "来自 API server，约保留一小时", type: "级别", reason: "原因", object: "对象", message: "消息", count: "次数", first: "首次", last: "最近", normal: "普通", warning: "警告" },
  ask: {
    stop: (name) => `停止 ${name}？`, stopText: "将以你的名义停止该作业。历史会保留。", holds: (i) => `${i < 0 ? "它可能占用 GPU" : `它占用 ${number(i)} 个 GPU`}。输入其名称以停止。`, name: "作业名称", why: "原因", whyHelp: "会写入作业和消息。", keep: "保留", stopNow: "停止作业",
    retry: (name) => `重试 ${name}？`, retryText: "将以你的名义提交该作业的副本。", retryNow: "重试", mute: (name) => `将 ${name} 的消息静音？`, muteText: "你将不再收到关于该作业的消息。", until: "直到", untilEnd: "作业结束", hour: "1 小时后", tomorrow: "明天 09:00", muteNow: "静音",
    acknowledge: (name) => `确认 ${name} 的失败？`, acknowledgeText: "其他人会看到你已知晓，不再升级。", acknowledgeNow: "确认", mayNot: "现在不能对该作业执行此操作。它可能已结束，或者你没有权限。", optional: "可选",
  },
  subscribe: { title: (name) => `关于 ${name} 的消息`, button: "订阅", starts: "启动时通知我", channel: "渠道", address: "地址", states: "当状态为", now: "订阅", none: "没有配置渠道。请联系该门户的运维人员。", verify: "验证码已发送到该地址。请在设置页输入。", done: "已订阅。", },
  actions: { more: "更多操作", release: "释放", retried: (name) => `已重新提交为 ${name}。`, copyLink: "复制链接", copyName: "复制名称", timeline: "在时间线中显示", like: "同名作业", },
  keys: { retry: "重试", logs: "日志", yaml: "YAML", diff: "差异", older: "更早的修订版本", newer: "更新的修订版本", previous: "上一个作业", next: "下一个作业", back: "回到列表", search: "搜索日志", follow: "跟随日志" },
  expected: "作业已提交。",
  expectedHelp: "记录器看到它后，页面会立即打开。",
  gone: "没有该作业", goneHelp: "它可能已按保留策略移除，或者你看不到其命名空间。",
  changed: (state) => `作业现在${state}。`,
  more: "显示更多",
};
