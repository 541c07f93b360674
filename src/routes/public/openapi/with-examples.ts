import type { Refusal, RefusalCode } from "../../../domain/refusal.ts";
import { rotationHelp } from "../../../http/key-rotation.ts";
import { envelope } from "../../../http/refusal/envelope.ts";
import type { Schema, Schemas } from "../docs/schema.ts";
import type { Examples, OperationExamples } from "./examples.ts";
import { refusalExamples } from "./refusal-examples.ts";

type Content = Readonly<Record<string, { readonly schema: Schema; readonly examples?: Examples }>>;

interface Answer {
  readonly description: string;
  readonly content: Content;
  readonly "x-refusals"?: readonly RefusalCode[];
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface ApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly summary: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
}

const mapValues = <From, To>(record: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));

const withContentExamples = (content: Content, examples: Examples): Content =>
  Object.keys(examples).length === 0 ? content : mapValues(content, (media) => ({ ...media, examples }));

export function withExamples(
  document: ApiDocument,
  examples: Readonly<Record<string, OperationExamples>>,
): ApiDocument {
  const withOwnExamples = (operation: Operation) =>
    withOperationExamples(operation, examples[operation.operationId] ?? { answers: {} });
  return { ...document, paths: mapValues(document.paths, (methods) => mapValues(methods, withOwnExamples)) };
}

function withOperationExamples(
  operation: Operation,
  { calls = {}, answers, invalidInputs, style }: OperationExamples,
): Operation {
  const { requestBody, responses } = operation;
  return {
    ...operation,
    ...(requestBody && { requestBody: { ...requestBody, content: withContentExamples(requestBody.content, calls) } }),
    responses: mapValues(responses, ({ "x-refusals": codes, ...answer }) => {
      const examples = codes === undefined ? answers : refusalExamplesOf(codes, invalidInputs, style);
      return { ...answer, content: withContentExamples(answer.content, examples) };
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
