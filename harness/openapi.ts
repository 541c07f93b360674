import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

interface Response {
  readonly $ref?: string;
  readonly content?: Record<string, unknown>;
}
interface Operation {
  readonly responses: Record<string, Response>;
}
interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly responses?: Record<string, Response> };
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

const documentPaths = ["/api/v1/openapi.json", "/api/openapi.json", "/api/partner/openapi.json"];
const checkers = new Map<string, Promise<ReplyChecker>>();
/** Services of one build have the same documents, whose schemas take a while to compile: once for all files of a process. */
const processWide = globalThis as { checkersByText?: Map<string, ReplyChecker> };
processWide.checkersByText ??= new Map();
const { checkersByText } = processWide;

/** Reads the service's documents once per URL. */
export function replyChecker(url: string): Promise<ReplyChecker> {
  let checker = checkers.get(url);
  if (checker === undefined) {
    checker = readDocuments(url).then(knownCheckerFor);
    checkers.set(url, checker);
    checker.catch(() => checkers.delete(url));
  }
  return checker;
}

async function readDocuments(url: string): Promise<string[]> {
  const answers = await Promise.all(
    documentPaths.map((path) => fetch(url + path, { headers: { connection: "close" } })),
  );
  const texts = await Promise.all(answers.map(async (answer) => ({ answer, text: await answer.text() })));
  const found = texts.filter(({ answer }) => answer.ok).map(({ text }) => text.replaceAll(url, ""));
  if (found.length === 0) throw new Error(`${url} gives no OpenAPI document`);
  return found;
}

function knownCheckerFor(texts: readonly string[]): ReplyChecker {
  const key = texts.join("\n");
  const checker = checkersByText.get(key) ?? checkerFor(texts.map((text) => withWholeResponses(JSON.parse(text))));
  checkersByText.set(key, checker);
  return checker;
}

/** Puts each response that is a component where it is referred to. */
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
  // Ajv doesn't need to know OpenAPI's own keywords and formats.
  // Its validators run too seldom for its optimizer to pay.
  const ajv = new Ajv2020({
    ...{ strict: false, validateFormats: false, validateSchema: false, allErrors: true },
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
    // The document has schemas only for JSON. For CSV it lists just the type.
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
