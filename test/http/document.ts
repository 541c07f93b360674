import { Ajv2020 } from "ajv/dist/2020.js";
import { openApiDocument } from "#routes/openapi/document.ts";

/** Sets additionalProperties to false in every object, so that an undocumented member is a fault. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  const isOpenObject = members.type === "object" && "properties" in members && !("additionalProperties" in members);
  return isOpenObject ? { ...members, additionalProperties: false } : members;
};

export const document = JSON.parse(JSON.stringify(openApiDocument()));
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, code: { optimize: false } });
ajv.addSchema(closed(document) as object, "document");

const pointer = (...parts: readonly string[]) =>
  `document#/${parts.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;

/** The differences between a body and the schema at `place`, a path in the document. */
export function faultsBySchema(body: unknown, ...place: readonly string[]): readonly string[] {
  const validate = ajv.compile({ $ref: pointer(...place) });
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** Throws if the response doesn't match the document. */
export function checkAgainstDocument(method: string, path: string, status: number, body: unknown): void {
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) return;
  if (operation.responses[status] === undefined)
    throw new Error(`${method} ${path} answers ${status}, which is not described`);
  const place = [
    "paths",
    path,
    method.toLowerCase(),
    "responses",
    String(status),
    "content",
    "application/json",
    "schema",
  ];
  const faults = faultsBySchema(body, ...place);
  if (faults.length > 0) throw new Error(`${method} ${path} ${status}: ${faults.join("; ")}\n${JSON.stringify(body)}`);
}
