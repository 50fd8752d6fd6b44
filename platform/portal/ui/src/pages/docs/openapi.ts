// Reads the OpenAPI document: its operations, and schemas as lines.

// Schema is the part of JSON Schema that the document uses.
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: Schema;
}

interface Content {
  schema?: Schema;
}

interface Response {
  description?: string;
  content?: Record<string, Content>;
}

interface RawOperation {
  operationId?: string;
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Record<string, Content> };
  responses?: Record<string, Response>;
}

// Document is an OpenAPI document.
export interface Document {
  info?: { title?: string; version?: string; description?: string };
  paths?: Record<string, Record<string, RawOperation>>;
  components?: { schemas?: Record<string, Schema> };
}

// Operation is a method of a path.
export interface Operation {
  id: string;
  method: string;
  path: string;
  // group is the first part of the path after the prefix.
  group: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  body: Schema | undefined;
  answers: { status: string; description: string; media: string; schema: Schema | undefined }[];
}

const methods = ["get", "post", "delete", "put", "patch"] as const;

// operationsOf returns the operations of a document, by path and method.
export function operationsOf(d: Document): Operation[] {
  const out: Operation[] = [];
  for (const path of Object.keys(d.paths ?? {}).sort()) {
    for (const method of methods) {
      const raw = d.paths?.[path]?.[method];
      if (raw !== undefined) {
        out.push(operationOf(path, method, raw));
      }
    }
  }
  return out;
}

function operationOf(path: string, method: string, raw: RawOperation): Operation {
  const answers = Object.entries(raw.responses ?? {}).flatMap(([status, r]) => {
    const media = Object.entries(r.content ?? {});
    const description = r.description ?? "";
    return media.length === 0 ? [{ status, description, media: "", schema: undefined }] : media.map(([name, c]) => ({ status, description, media: name, schema: c.schema }));
  });
  return {
    id: raw.operationId ?? `${method}-${path}`, method: method.toUpperCase(), path, group: path.replace(/^\/api\/v\d+\//, "").split("/")[0] ?? "", summary: raw.summary ?? "", description: raw.description ?? "",
    parameters: raw.parameters ?? [], body: Object.values(raw.requestBody?.content ?? {})[0]?.schema, answers,
  };
}

// nameOf returns the name of the schema of a reference, or "".
export function nameOf(s: Schema | undefined): string {
  return s?.$ref?.replace(/^#\/components\/schemas\//, "") ?? "";
}

// resolve follows a reference. An unknown one is an empty schema.
export function resolve(d: Document, s: Schema | undefined): Schema {
  if (s === undefined) {
    return {};
  }
  return s.$ref === undefined ? s : (d.components?.schemas?.[nameOf(s)] ?? {});
}

// typeText describes the type of a value: "string, date-time", "list of Job", "map of
// string".
export function typeText(s: Schema | undefined, words: { list: (t: string) => string; map: (t: string) => string; any: string }): string {
  if (s === undefined) {
    return words.any;
  }
  if (s.$ref !== undefined) {
    return nameOf(s);
  }
  const types = (Array.isArray(s.type) ? s.type : [s.type ?? ""]).filter((t) => t !== "null");
  const type = types[0] ?? "";
  if (type === "array") {
    return words.list(typeText(s.items, words));
  }
  if (type === "object" && typeof s.additionalProperties === "object") {
    return words.map(typeText(s.additionalProperties, words));
  }
  const format = s.format === "date-time" ? "date-time" : "";
  return [type === "" ? words.any : type, format].filter((t) => t !== "").join(", ");
}

// inner returns the schema whose fields belong below a field: of a reference, a list or a map.
export function inner(s: Schema | undefined): Schema | undefined {
  if (s === undefined) {
    return undefined;
  }
  if (s.items !== undefined) {
    return inner(s.items);
  }
  if (typeof s.additionalProperties === "object") {
    return inner(s.additionalProperties);
  }
  return s.$ref !== undefined || s.properties !== undefined ? s : undefined;
}

// curlOf returns a command that calls an operation. Quotes in values cannot end an argument.
export function curlOf(o: Operation, origin: string): string {
  const query = o.parameters.filter((p) => p.in === "query" && p.required === true).map((p) => `${encodeURIComponent(p.name)}=${encodeURIComponent(String(p.example ?? p.name))}`).join("&");
  const parts = [o.method === "GET" ? "curl" : `curl -X ${o.method}`, "-H 'Authorization: Bearer '\"$TOKEN\""];
  if (o.body !== undefined) {
    parts.push("-H 'Content-Type: application/json'", "-d @request.json");
  }
  parts.push(quoted(origin + o.path + (query === "" ? "" : "?" + query)));
  return parts.join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
