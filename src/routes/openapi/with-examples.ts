import type { Refusal, RefusalCode } from "#domain/refusal.ts";
import { rotationHelp } from "#http/key-rotation.ts";
import { envelope } from "#http/refusal/envelope.ts";
import type { Schema, Schemas } from "../docs/schema.ts";
import { FailureSchemas } from "./details.ts";
import { exampleOf } from "./example-of.ts";
import type { Examples, OperationExamples } from "./examples.ts";
import { refusalExamples } from "./refusal-examples.ts";

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Examples;
}

type Content = Readonly<Record<string, Media>>;

interface Answer {
  readonly description: string;
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly "x-refusals"?: readonly RefusalCode[];
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly "x-minimum-role"?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface ApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<"title" | "version" | "summary" | "description", string>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas; readonly headers?: Readonly<Record<string, unknown>> };
}

const mapValues = <From, To>(record: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));

export const mapOperations = (document: ApiDocument, map: (operation: Operation) => Operation): ApiDocument => ({
  ...document,
  paths: mapValues(document.paths, (methods) => mapValues(methods, map)),
});

/**
 * Uses the first of these that exists: the example that the route declares, the operation's examples, or an example
 * made from the schema.
 */
function withMediaExamples(media: Media, examples: Examples, schemas: Schemas): Media {
  if (media.example !== undefined) return media;
  if (Object.keys(examples).length > 0) return { ...media, examples };
  return { ...media, example: exampleOf(media.schema, schemas) };
}

const withContentExamples = (content: Content, examples: Examples, schemas: Schemas): Content =>
  mapValues(content, (media) => withMediaExamples(media, examples, schemas));

/** Adds examples and the details of refusals. The routes declare only the codes. */
export function withExamples(
  document: ApiDocument,
  examples: Readonly<Record<string, OperationExamples>>,
): ApiDocument {
  const { components } = document;
  const failures = new FailureSchemas(components.schemas);
  const made = { schemas: components.schemas, failures };
  const { paths } = mapOperations(document, (operation) =>
    withOperationExamples(operation, examples[operation.operationId] ?? { answers: {} }, made),
  );
  return { ...document, paths, components: { ...components, schemas: failures.all } };
}

function withOperationExamples(
  operation: Operation,
  { calls = {}, answers, invalidInputs, style }: OperationExamples,
  { schemas, failures }: { readonly schemas: Schemas; readonly failures: FailureSchemas },
): Operation {
  const { requestBody, responses } = operation;
  return {
    ...operation,
    ...(requestBody && {
      requestBody: { ...requestBody, content: withContentExamples(requestBody.content, calls, schemas) },
    }),
    responses: mapValues(responses, ({ "x-refusals": codes, ...answer }) => {
      if (answer.content === undefined) return answer;
      if (codes === undefined) return { ...answer, content: withContentExamples(answer.content, answers, schemas) };
      const content = mapValues(answer.content, (media) => ({
        ...media,
        schema: failures.specific(media.schema, codes),
      }));
      return {
        ...answer,
        content: withContentExamples(content, refusalExamplesOf(codes, invalidInputs, style), schemas),
      };
    }),
  };
}

const anyInvalidInput = [refusalExamples.invalid_input];

function refusalExamplesOf(
  codes: readonly RefusalCode[],
  invalidInputs: readonly Refusal[] = anyInvalidInput,
  style: OperationExamples["style"],
): Examples {
  const help = rotationHelp("https://api.example");
  const refusals = codes.flatMap((code) => (code === "invalid_input" ? invalidInputs : [refusalExamples[code]]));
  const names = refusals.map(({ code }, i) => (code === "invalid_input" ? `${code}_${i + 1}` : code));
  return Object.fromEntries(refusals.map((refusal, i) => [names[i], { value: envelope(refusal, style, help) }]));
}

/** If a key is optional, `security` contains an empty alternative. */
export const isKeyRequired = ({ security }: Operation): boolean => security.length === 1;

/** The scopes of which the key must have one. Empty if the operation accepts no key. */
export const scopesOf = ({ security }: Operation): readonly string[] =>
  security.flatMap(({ programKey = [] }) => programKey);
