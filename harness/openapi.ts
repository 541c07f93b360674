import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { documentFiles } from "#http/built-documents.ts";

interface Response {
  readonly $ref?: string;
  readonly content?: Record<string, unknown>;
}
interface Operation {
  readonly responses: Record<string, Response>;
}
interface Failure {
  readonly properties?: { readonly error?: { readonly properties?: { readonly details?: Details } } };
}
interface Details {
  additionalProperties?: unknown;
}
interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, Failure>;
    readonly responses?: Record<string, Response>;
  };
}

export interface GivenReply {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly type?: string | undefined;
  readonly text: string;
  readonly body: unknown;
}

/** Throws if the document doesn't allow the reply. */
export type ReplyChecker = (reply: GivenReply) => void;

/** The documents in the build, which the service also serves. Generating them would take most of a second. */
const names = ["tracking", "session", "partner", "embed"] as const;
export type DocumentName = (typeof names)[number];

const folderVariable = "BUILT_DOCUMENTS";

/** Uses the documents of a build in this process and in processes that it starts later. */
export function useDocumentsOf({ publicDirectory }: { readonly publicDirectory: string }): void {
  process.env[folderVariable] = publicDirectory;
}

export function builtDocument(name: DocumentName): unknown {
  const folder = process.env[folderVariable];
  if (folder === undefined) throw new Error("useDocumentsOf says where the build has its documents");
  return JSON.parse(readFileSync(join(folder, documentFiles[name]), "utf8"));
}

/** The checker for all test files of a process, because compiling the schemas takes a while. */
const processWide = globalThis as { replyChecker?: ReplyChecker };

export function replyChecker(): ReplyChecker {
  processWide.replyChecker ??= checkerFor(
    names.map((name) => withClosedDetails(withWholeResponses(builtDocument(name) as OpenApiDocument))),
  );
  return processWide.replyChecker;
}

/**
 * Forbids fields of `details` that a document doesn't list. Clients must accept unknown fields, but the documents must
 * list all of them.
 */
function withClosedDetails(document: OpenApiDocument): OpenApiDocument {
  for (const { properties } of Object.values(document.components.schemas)) {
    const details = properties?.error?.properties?.details;
    if (details !== undefined) details.additionalProperties = false;
  }
  return document;
}

/** Replaces references to responses with the responses themselves. */
function withWholeResponses(document: OpenApiDocument): OpenApiDocument {
  const { responses: shared = {} } = document.components;
  for (const { responses } of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, { $ref = "" }] of Object.entries(responses)) {
      const whole = shared[$ref.replace("#/components/responses/", "")];
      if (whole !== undefined) responses[status] = whole;
    }
  }
  return document;
}

function checkerFor(documents: readonly OpenApiDocument[]): ReplyChecker {
  // Ajv doesn't need OpenAPI's own keywords and formats. Its validators run too rarely for its optimizer to be worth
  // its time.
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    allErrors: true,
    code: { optimize: false },
  });
  const validators = new Map<string, ValidateFunction>();
  const validatorOf = (steps: readonly string[], document: string): ValidateFunction => {
    const reference = `${document}#/${steps.map(escapePointer).join("/")}`;
    const validate = validators.get(reference) ?? ajv.compile({ $ref: reference });
    validators.set(reference, validate);
    return validate;
  };
  const operations = documents.flatMap((document, i) => {
    ajv.addSchema(document, `document-${i}`);
    return Object.entries(document.paths).map(([template, byMethod]) => ({
      document: `document-${i}`,
      template,
      pattern: new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
      byMethod,
    }));
  });

  return ({ method, path, status, type, text, body }) => {
    const where = `${method} ${path} → ${status}`;
    const pathname = path.replace(/[?#].*$/s, "");
    const verb = method.toLowerCase();
    const operation = operations.find(
      ({ pattern, byMethod }) => pattern.test(pathname) && byMethod[verb] !== undefined,
    );
    if (operation === undefined) throw new Error(`${where}: the OpenAPI document has no such operation`);
    const responses = operation.byMethod[verb]?.responses ?? {};
    const statusKey = statusKeys(status).find((key) => responses[key] !== undefined);
    if (statusKey === undefined) throw new Error(`${where}: a status that the OpenAPI document does not list: ${text}`);
    const content = responses[statusKey]?.content;
    if (content === undefined && text !== "") throw new Error(`${where}: a body where the document has none: ${text}`);
    if (content?.["application/json"] === undefined) return;
    // The document has schemas only for JSON. For CSV it lists only the content type.
    if (type !== undefined && type !== "application/json" && content[type] !== undefined) return;
    const steps = ["paths", operation.template, verb, "responses", statusKey, "content", "application/json", "schema"];
    const validate = validatorOf(steps, operation.document);
    if (!validate(body)) {
      throw new Error(`${where}: not as the OpenAPI document says: ${ajv.errorsText(validate.errors)}\n${text}`);
    }
  };
}

const statusKeys = (status: number) => [String(status), `${String(status)[0]}XX`, "default"];

const escapePointer = (step: string) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
