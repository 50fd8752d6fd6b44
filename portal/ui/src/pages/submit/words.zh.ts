// Chinese words of the page that submits jobs.

import { number } from "../../core/format";
import type { SubmitWords } from "./words.en";

export const zh: SubmitWords = {
  title: "提交作业",
  kept: (t) => `草稿保存在此浏览器，${t}`,
  keptWithout: (t) => `草稿已保存（不含密钥），${t}`,
  discard: "重新开始",
  openFile: "打开 YAML 文件",
  templates: "模板",
  yamlCard: "YAML",
  yamlCardText: "集群支持的任何类型",
  clone: (name) => ["复制自 ", name, ""],
  cloneEnd: (state, reason) => `（${state}${reason === "" ? "" : `：${reason}`}）`,
  changed: (i) => `${number(i)} 行已修改`,
  cluster: "集群",
  namespace: "命名空间",
  fields: {
    name: "名称", namespace: "命名空间", queue: "队列", priority: "优先级", replicas: "Pod", gpus: "每个的 GPU", memoryRequested: "内存请求", memoryLimit: "内存上限", image: "镜像", retries: "重试次数", deadline: "最长运行",
    command: "命令", env: "环境变量", prefix: "名称前缀", directory: "工作目录", gpuResource: "GPU 资源名", cpus: "CPU", memory: "内存", sharedMemory: "共享内存", nodes: "节点", ttl: "结束后删除", serviceAccount: "服务账号", nodeSelector: "节点选择", labels: "标签", workers: "Worker", parallelism: "并行 Pod", completions: "完成数",
  },
  groups: { Job: "作业", Container: "容器", Resources: "资源", Limits: "限制", Placement: "调度" },
  units: { seconds: "秒" },
  inAll: (i) => `共 ${number(i)}`,
  quotaLeft: (left, total, line) => `${total} 个 GPU 剩余 ${left} 个，${number(line)} 个排队`,
  listHelp: "以空格分隔；引号内为一个整体。",
  mapHelp: "name=value，以空格分隔。",
  optional: "可选",
  noDefault: "无",
  inYAML: (i) => `另有 ${number(i)} 个字段在 YAML 中设置。`,
  mistake: (m) => {
    const d = m.detail ?? "";
    switch (m.code) {
      case "required": return "必填";
      case "integer": return "不是整数";
      case "number": return "不是数字";
      case "quantity": return "不是数量，例如 500m 或 16Gi";
      case "duration": return "不是时长，例如 90s 或 1h30m";
      case "choice": return `可选值：${d}`;
      case "pattern": return `不符合 ${d}`;
      case "pair": return `${d} 没有值：请写 name=value`;
      case "quote": return "引号没有结束";
      case "least": return `至少 ${d}`;
      case "most": return `至多 ${d}`;
      case "shortest": return `至少 ${d} 个字符`;
      case "longest": return `至多 ${d} 个字符`;
      case "fewest": return `至少 ${d} 项`;
      case "mostItems": return `至多 ${d} 项`;
    }
  },
  notify: "启动、失败或结束时通知我",
  yaml: "YAML",
  yamlGreen: "绿色：与原作业不同",
  yamlForm: "由表单生成",
  yamlOwn: "在此编辑；已知字段保持同步",
  editHere: "在此编辑",
  backToForm: "回到表单",
  copyYAML: "复制 YAML",
  editor: "作业的 YAML",
  emptyForm: "填写必填字段后生成 YAML。",
  empty: "选择模板，或编写 YAML。",
  accept: (cluster) => `${cluster} 会接受它`,
  refuse: (cluster, i) => `${cluster} 会拒绝它：${number(i)} 个问题`,
  checking: "试运行",
  checked: (t) => `试运行，${t} 前`,
  line: (i) => `第 ${i} 行：`,
  goTo: (i) => `转到第 ${i} 行`,
  set: (field, value) => `将${field}设为 ${value}`,
  warnings: "服务器提醒",
  forecast: "预测",
  place: "排队位置",
  placeOf: (place, length) => `第 ${number(place)} / ${number(length)} 位`,
  before: (text, jobs) => `前面 ${number(jobs)} 个作业需要 ${text}`,
  hold: "将占用",
  onPods: (i) => `${number(i)} 个 Pod`,
  like: "类似作业运行",
  median: (i) => `${number(i)} 个的中位数`,
  likely: "可能启动于",
  about: (t) => `约 ${t}`,
  range: (a, b) => `${a} 到 ${b}`,
  needed: (fields) => `必填：${fields}`,
  unknown: "未知",
  sent: (cluster, person) => (person === "" ? `发送到 ${cluster}。` : `以 ${person} 的名义发送到 ${cluster}。`),
  keptAs: "提交的内容保存为修订版本 1。",
  cancel: "取消",
  submit: "提交",
  submitting: "正在提交",
  submitted: (name) => `已提交 ${name}。`,
  already: (name) => `${name} 之前已提交。`,
  mayNot: "该门户不能写入集群。请使用命令行，或联系运维人员。",
  wrongFile: "文件大于 1 MB，或不是文本。",
  keys: { submit: "提交" },
};
