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
    name: "名称", namespace: "命名空间", queue: "队列", priority: "优先级", replicas: "Pod", gpus: "每个 Pod 的 GPU", memoryRequested: "内存请求", memoryLimit: "内存上限", image: "镜像", retries: "重试次数", deadline: "最长运行",
    command: "命令", env: "环境变量", prefix: "名称前缀", directory: "工作目录", gpuResource: "GPU 资源名", cpus: "CPU", memory: "内存", sharedMemory: "共享内存", nodes: "节点", ttl: "结束后删除", serviceAccount: "服务账号", nodeSelector: "节点选择器", labels: "标签", workers: "Worker", parallelism: "并行 Pod", completions: "完成数",
  },
  groups: { Job: "作业", Container: "容器", Resources: "资源", Limits: "限制", Placement: "调度" },
  units: { seconds: "秒" },
  inAll: (i) => `共 ${number(i)}`,
  quotaLeft: (left, total, line) => `${total} 个 GPU 剩余 ${left} 个，${number(line)} 个排队`,
  listHelp: "以空格分隔；引号内为一个整体。",
  mapHelp: "name=value，以空格分隔。",
  stop: "。",
  needed1: "必填",
  helps: {
    "name of the job (default: the prefix and a few characters)": "作业名称（默认：前缀加几个字符）", "beginning of the name of a job without a name": "没有名称的作业的名称前缀",
    "local queue of Kueue": "Kueue 的本地队列", "queue of Volcano": "Volcano 的队列", "PriorityClass of the Pods": "Pod 的 PriorityClass",
    "image of the container": "容器镜像", "image of the container (default: that of the runtime)": "容器镜像（默认：运行时的镜像）",
    "command and its arguments": "命令及参数", "command and its arguments (default: that of the runtime)": "命令及参数（默认：运行时的命令）", "command and its arguments (default: those of the image)": "命令及参数（默认：镜像的命令）",
    "environment variables": "环境变量", "working directory of the command": "命令的工作目录", "GPUs of each node": "每个节点的 GPU", "GPUs of each Pod": "每个 Pod 的 GPU", "GPUs of each worker": "每个 worker 的 GPU",
    "resource name of the GPUs": "GPU 的资源名", "CPUs of each node": "每个节点的 CPU", "CPUs of each worker": "每个 worker 的 CPU", "CPUs of each Pod": "每个 Pod 的 CPU",
    "memory of each Pod": "每个 Pod 的内存", "memory of each node": "每个节点的内存", "memory of each worker": "每个 worker 的内存",
    "size of /dev/shm, which counts as memory (0: what the node gives, mostly 64 MB)": "/dev/shm 的大小，计入内存（0：由节点决定，通常为 64 MB）",
    "workers, beside the head": "head 以外的 worker", "Pods that run at the same time": "同时运行的 Pod", "how often failed containers are started again": "失败的容器重启几次",
    "how often all Pods start again after one has failed": "一个 Pod 失败后全部重启几次", "how often a failed Pod is replaced": "失败的 Pod 替换几次", "how often the job is tried again with a new cluster": "用新集群重试几次",
    "the job fails if it runs longer": "运行超过此时长则失败", "the job is deleted so long after its end": "结束后经过此时长删除", "ServiceAccount of the Pods": "Pod 的 ServiceAccount", "labels that the nodes must have": "节点必须具有的标签",
    "nodes": "节点", "Pods, with the master": "包括 master 在内的 Pod", "CPUs of the head": "head 的 CPU", "memory of the head": "head 的内存", "name of the training runtime": "训练运行时的名称", "kind of the training runtime": "训练运行时的类型",
    "Runs a command in one Pod, or in several at the same time.": "在一个 Pod 中运行命令，或同时在多个 Pod 中运行。", "Runs a command in several Pods that reach each other by name. If one fails, all start again.": "在多个可按名称互访的 Pod 中运行命令；一个失败则全部重启。",
    "Runs torchrun, or another command, in one Pod per node. The operator tells the Pods of each other.": "每个节点一个 Pod，运行 torchrun 或其他命令；由 operator 告知彼此。", "Starts a Ray cluster, runs a command on it, and ends the cluster.": "启动 Ray 集群，在其上运行命令，然后结束集群。",
    "Runs a command on each node of a training runtime of Kubeflow Trainer.": "在 Kubeflow Trainer 训练运行时的每个节点上运行命令。", "Runs a command in several Pods that start together. If one fails, all start again.": "在多个同时启动的 Pod 中运行命令；一个失败则全部重启。",
  },
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
  holdIt: "保持挂起，直到我释放",
  yaml: "YAML",
  yamlGreen: "绿色：与原作业不同",
  yamlForm: "由表单生成",
  yamlOwn: "在此编辑；表单中的字段保持同步",
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
  wrongFields: (fields) => `需更正：${fields}`,
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
