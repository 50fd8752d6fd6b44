import { pageWords } from "../../words";
import { n, ordinal } from "../../words/en";
import { number } from "../../core/format";

const en = {
  caption: (matching: string) => `Jobs, ${matching} in all`,
  views: { label: "Views", all: "All", mine: "Mine", waiting: "Waiting over 30 min", failed: "Failed today", save: "Save view", name: "Name of the view", remove: (name: string) => `Remove the view ${name}`, saved: (name: string) => `Saved the view ${name} in this browser.`, removed: (name: string) => `Removed the view ${name}.` },
  window: { label: "Time", h1: "Last hour", h24: "Last 24 hours", d7: "Last 7 days", d30: "Last 30 days", all: "Any time" },
  columns: "Columns", reset: "Reset columns", density: { compact: "Compact rows", normal: "Normal rows", relaxed: "Relaxed rows" }, more: "More for this list", copyLink: "Copy link to this list", download: "Download as CSV",
  state: "Show only one state, or several", all: "All", exclude: "Alt-click excludes",
  newJobs: (i: number) => `${n(i, "new job")}, show ${i === 1 ? "it" : "them"}`,
  range: (first: number, last: number, of: string) => `${number(first)}–${number(last)} of ${of}`,
  none: "0 jobs",
  column: { state: "State", name: "Name", namespace: "Namespace", cluster: "Cluster", kind: "Kind", queue: "Queue", owner: "Owner", priority: "Priority", gpus: "GPUs", pods: "Pods", submitted: "Submitted", since: "Since", ended: "Ended", waited: "Waited", ran: "Ran", tries: "Tries", life: "Life", detail: "Detail" },
  sortBy: (column: string) => `Sort by ${column}`,
  select: (name: string) => `Select ${name}`,
  selected: (i: number) => `${number(i)} selected`,
  retried: (i: number) => `Retried ${n(i, "job")}.`, stopped: (i: number) => `Asked to stop ${n(i, "job")}.`, failed: (i: number, why: string) => `${n(i, "job")} ${i === 1 ? "was" : "were"} refused: ${why}`,
  confirmStop: (i: number) => `Stop ${n(i, "job")}`, holdGPUs: (i: number) => `${n(i, "GPU")} ${i === 1 ? "is" : "are"} held. Click again to stop.`,
  inLine: (i: number) => `${ordinal(i)} in line`, exitCode: (i: number) => `exit code ${i}`, morePods: (i: number) => `and ${n(i, "more pod")}`,
  waits: (d: string) => `waits ${d}`, ran: (d: string) => `ran ${d}`,
  keys: { next: "Next job", previous: "Previous job", open: "Open the job", preview: "Show or hide the drawer", select: "Select the job", close: "Close the drawer", retry: "Retry the selection", newer: "Newer jobs", older: "Older jobs" },
  drawer: { submitted: "submitted", owner: "owner", tries: (i: number) => n(i, "attempt"), facts: "Facts", transitions: "Transitions", newest: (i: number) => `${number(i)}, newest first`, time: "Since", for: "For", reason: "Reason", failed: "Why it failed", waits: "Why it waits", queue: "Queue", cluster: "Cluster", kind: "Kind", priority: "Priority", gpus: "GPUs", pods: "Pods", waited: "Waited", ran: "Ran", labels: "Labels", overview: "Overview", attempts: "Attempts", podsTab: "Pods", events: "Events", yaml: "YAML", logs: "Logs", lastLines: "Last log lines", cause: "Cause", exitCode: "Exit code", limit: "Memory limit", node: "Node", place: "Place in line", likely: "Likely to start", quota: "Quota left" , gone: "This job is no longer in the history, or you may not see it." },
};

const zh: typeof en = {
  caption: (matching) => `作业，共 ${matching} 个`,
  views: { label: "视图", all: "全部", mine: "我的", waiting: "等待超过 30 分钟", failed: "今日失败", save: "保存视图", name: "视图名称", remove: (name) => `移除视图 ${name}`, saved: (name) => `已在此浏览器中保存视图 ${name}。`, removed: (name) => `已移除视图 ${name}。` },
  window: { label: "时间", h1: "最近 1 小时", h24: "最近 24 小时", d7: "最近 7 天", d30: "最近 30 天", all: "任何时间" },
  columns: "列", reset: "恢复默认", density: { compact: "紧凑行距", normal: "标准行距", relaxed: "宽松行距" }, more: "列表的更多操作", copyLink: "复制列表链接", download: "下载 CSV",
  state: "只显示一种或几种状态", all: "全部", exclude: "Alt 加点击可排除",
  newJobs: (i) => `${number(i)} 个新作业，点击显示`,
  range: (first, last, of) => `第 ${number(first)}–${number(last)} 个，共 ${of} 个`,
  none: "0 个作业",
  column: { state: "状态", name: "名称", namespace: "命名空间", cluster: "集群", kind: "类型", queue: "队列", owner: "提交者", priority: "优先级", gpus: "GPU", pods: "Pod", submitted: "提交时间", since: "进入状态", ended: "结束时间", waited: "等待", ran: "运行", tries: "尝试", life: "历程", detail: "详情" },
  sortBy: (column) => `按“${column}”排序`,
  select: (name) => `选择 ${name}`,
  selected: (i) => `已选 ${number(i)} 个`,
  retried: (i) => `已重试 ${number(i)} 个作业。`, stopped: (i) => `已请求停止 ${number(i)} 个作业。`, failed: (i, why) => `${number(i)} 个作业被拒绝：${why}`,
  confirmStop: (i) => `停止 ${number(i)} 个作业`, holdGPUs: (i) => `占用 ${number(i)} 个 GPU。再次点击以停止。`,
  inLine: (i) => `排在第 ${number(i)} 位`, exitCode: (i) => `退出码 ${i}`, morePods: (i) => `及另外 ${number(i)} 个 Pod`,
  waits: (d) => `已等待 ${d}`, ran: (d) => `运行 ${d}`,
  keys: { next: "下一个作业", previous: "上一个作业", open: "打开作业", preview: "显示或隐藏侧栏", select: "选择作业", close: "关闭侧栏", retry: "重试所选", newer: "较新的作业", older: "较早的作业" },
  drawer: { submitted: "提交", owner: "提交者", tries: (i) => `尝试 ${number(i)} 次`, facts: "概要", transitions: "状态变化", newest: (i) => `共 ${number(i)} 次`, time: "时间", for: "持续", reason: "原因", failed: "为什么失败", waits: "为什么等待", queue: "队列", cluster: "集群", kind: "类型", priority: "优先级", gpus: "GPU", pods: "Pod", waited: "等待", ran: "运行", labels: "标签", overview: "概览", attempts: "尝试", podsTab: "Pod", events: "事件", yaml: "YAML", logs: "日志", lastLines: "最后的日志", cause: "原因", exitCode: "退出码", limit: "内存上限", node: "节点", place: "队列位置", likely: "可能开始于", quota: "剩余配额", gone: "历史中已没有这个作业，或你无权查看。" },
};

// words are the words of the list of jobs.
export const words = pageWords({ en, zh });
