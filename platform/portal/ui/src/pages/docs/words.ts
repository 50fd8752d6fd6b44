// Words of the documentation of the API.

import { pageWords } from "../../words";

const en = {
  title: "API",
  about: "The pages use this API themselves. Times are RFC 3339 in UTC, durations are seconds, lists have a cursor. Errors are problem documents (RFC 9457). The parameter “at” shows what was known at an instant.",
  document: "OpenAPI document",
  find: "Find an operation",
  none: "No operation matches.",
  operations: "Operations",
  parameters: "Parameters",
  body: "Request",
  answers: "Answers",
  heads: { name: "Name", where: "Where", type: "Type", what: "What it is" },
  required: "required",
  optional: "optional",
  list: (t: string) => `list of ${t}`,
  map: (t: string) => `map of ${t}`,
  any: "any",
  curl: "From a shell",
  copy: "Copy",
  fields: (name: string) => `Fields of ${name}`,
  default: (v: string) => `default ${v}`,
  range: (low: string, high: string) => `${low} to ${high}`,
  otherwise: "otherwise",
  csrf: "A browser that is signed in sends the header X-Vedette-CSRF with every write.",
  empty: "no content",
};

const zh: typeof en = {
  title: "API",
  about: "页面自身也使用此 API。时间为 UTC 的 RFC 3339，时长以秒计，列表带游标。错误为问题文档（RFC 9457）。参数“at”显示某一时刻的已知情况。",
  document: "OpenAPI 文档",
  find: "查找操作",
  none: "没有匹配的操作。",
  operations: "操作",
  parameters: "参数",
  body: "请求",
  answers: "响应",
  heads: { name: "名称", where: "位置", type: "类型", what: "含义" },
  required: "必需",
  optional: "可选",
  list: (t) => `${t} 的列表`,
  map: (t) => `${t} 的映射`,
  any: "任意",
  curl: "在 Shell 中",
  copy: "复制",
  fields: (name) => `${name} 的字段`,
  default: (v) => `默认 ${v}`,
  range: (low, high) => `${low} 到 ${high}`,
  otherwise: "其他",
  csrf: "已登录的浏览器在每次写入时发送请求头 X-Vedette-CSRF。",
  empty: "无内容",
};

// words are the words of the documentation in the chosen language.
export const words = pageWords({ en, zh });
