// Chinese words that all pages share.

import { number } from "../core/format";
import type { Words } from "./en";

export const zh: Words = {
  states: {
    Submitted: "已提交", Queued: "排队中", Starting: "启动中", Running: "运行中", Suspended: "已挂起",
    Restarting: "重启中", Succeeded: "已成功", Failed: "已失败", Aborted: "已中止", Deleted: "已删除",
  },
  notWatched: "未观测",
  ordinal: (i) => `第 ${number(i)}`,
  jobs: (i) => `${number(i)} 个作业`,
  gpus: (i) => `${number(i)} GPU`,
  pods: (i) => `${number(i)} 个 Pod`,
  attempts: (i) => `${number(i)} 次尝试`,
  attempt: (i) => `尝试 ${i}`,
  changes: (i) => `${number(i)} 个变化`,
  cpu: "CPU",
  unknown: "未知",
  comma: "，", colon: "：", list: "、", space: "",
  said: (text) => text.replace(/,? ?\bexit code (\d+)/, (m, code: string) => (m.startsWith(",") ? "，" : "") + `退出码 ${code}`).replace(/\b(\d+)(?:st|nd|rd|th) in line\b/, "排在第 $1 位"),
  nav: {
    label: "页面", jobs: "作业", timeline: "时间线", stats: "统计", operations: "运维", settings: "设置",
    docs: "API", submit: "提交作业", submitShort: "提交", more: "更多", search: "搜索或跳转", home: "Vedette，作业",
    toContent: "跳到内容", title: (page) => `${page} · Vedette`,
    notFound: "没有这个页面", notFoundHelp: "地址可能不完整。作业列表中有所有作业。",
  },
  cluster: { all: "所有集群", label: "集群" },
  at: {
    now: "现在", label: "时刻", go: "显示", back: "回到现在", pick: "查看某一时刻", help: "09:15、2026-11-21 22:10，或 2h（2 小时前）",
    ago: (text) => `${text} 前`, wrong: "无法识别的时间。可写 09:15、2026-11-21 22:10 或 2h。",
  },
  theme: { light: "浅色主题", dark: "深色主题", system: "跟随系统", toggle: "切换主题" },
  person: { menu: "个人菜单", nobody: "未登录", signOut: "退出登录", language: "语言", settings: "设置", signedIn: (name) => `已登录：${name}` },
  live: {
    live: (lag) => `实时 ${lag}`, word: "实时", reconnecting: (s) => `重新连接中，${s} s`, catchingUp: (i) => `追赶中，${number(i)} 个变化`,
    stale: (time) => `${time} 起已过期`, paused: (i) => `已暂停，${number(i)} 个新变化`, asOf: (time) => `截至 ${time}，回到现在`,
    connecting: "连接中", pause: "暂停", resume: "继续", help: "从记录器到本页的延迟，99 分位",
    never: "未记录", behind: (age) => `落后 ${age}`, nobody: "没有记录器写入此数据库。", notRecorded: "未记录",
    unrecorded: (cluster, types, time) => (types === "" ? `${cluster} 自 ${time} 起未被记录。` : `${cluster} 中的 ${types} 自 ${time} 起未被记录。`),
    countsAsOf: (time) => `截至 ${time}`,
    staleHelp: (time) => `${time} 起未连接，所见内容可能已过期。`,
    summary: (started, failed, ended, added) =>
      [added > 0 ? `${number(added)} 个新作业` : "", started > 0 ? `${number(started)} 个已开始` : "", ended > 0 ? `${number(ended)} 个已结束` : "", failed > 0 ? `${number(failed)} 个已失败` : ""].filter((t) => t !== "").join("，"),
  },
  empty: {
    noJobs: "还没有作业。", noJobsHelp: "提交一个作业，或运行 vedette demo。", noMatch: "没有匹配的作业。",
    remove: (term) => `移除“${term}”`, would: (count) => `将匹配 ${count} 个`, clear: "移除所有筛选",
  },
  error: {
    types: {
      "urn:vedette:problem:database": "数据库没有响应。", "urn:vedette:problem:sign-in": "会话已结束，请登录。", "urn:vedette:problem:unknown": "没有找到，或者你无权查看。", "urn:vedette:problem:fault": "门户出现故障。",
      "urn:vedette:problem:unavailable": "门户暂时不可用。", "urn:vedette:problem:too-many": "请求过多，请稍后再试。",
    },
    again: "重试", id: (id) => `ID ${id}`, from: (time) => `所见内容来自 ${time}。`, copyRole: "复制角色", copied: "已复制",
    signIn: "登录", network: "门户没有响应。请检查网络，或门户是否在运行。",
    loading: (share) => `门户已启动，正在读取历史：${share}。`, reload: "重新加载页面",
    denied: "你没有这项权限。请向命名空间的负责人申请此角色：", deniedNoRole: "你没有这项权限。", page: "本页出现故障，请重新加载。",
  },
  action: {
    retry: "重试", stop: "停止", clone: "复制并编辑", subscribe: "订阅", close: "关闭", cancel: "取消", copy: "复制", copyLink: "复制链接", open: "打开页面", undo: "撤销", more: "更多",
    open1: "打开", download: "下载", save: "保存", remove: "移除", clear: "清除", show: "显示", newer: "较新", older: "较早",
  },
  keys: { title: "快捷键", all: "全部快捷键", move: "移动", open: "打开", go: "前往", none: "输入文字时快捷键不起作用。", list: "显示全部快捷键", palette: "搜索或跳转", submit: "提交作业", theme: "切换主题", pause: "暂停或继续", filter: "筛选", back: "返回" },
  palette: { label: "搜索或跳转", jobs: "作业", pages: "页面", actions: "操作", times: "时刻", nothing: "没有结果。", hint: "作业名称、页面或时刻，例如“at 09:15”", as: (time) => `查看截至 ${time} 的一切` },
  filter: {
    label: "筛选", add: "按名称、状态、队列、提交者、标签筛选", addShort: "添加筛选", clear: "清除", remove: (term) => `移除 ${term}`,
    is: "是", isNot: "不是", anyOf: "是", noneOf: "不是", has: "含", hasNot: "不含", contains: "包含", over: ">", under: "<", atLeast: "≥", atMost: "≤",
    suggestions: "建议", mine: "我的", wrong: "筛选条件有误",
    keys: {
      state: "状态", cluster: "集群", namespace: "命名空间", queue: "队列", owner: "提交者", kind: "类型", type: "资源类型", name: "名称", label: "标签", reason: "原因", priority: "优先级",
      gpus: "GPU", pods: "Pod", waited: "等待", ran: "运行", tries: "尝试", submitted: "提交时间", ended: "结束时间", since: "进入状态", q: "名称", mine: "提交者", window: "时间范围",
    },
  },
  life: { label: "历程", submitted: (time) => `${time} 提交`, for: (state, time) => `${state} ${time}`, gap: (time) => `未观测 ${time}`, now: "现在" },
  local: (zone) => `本地时间，${zone}`,
};
