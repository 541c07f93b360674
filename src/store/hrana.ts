import type { DatabaseConfig } from "./database.ts";
import type { Row, SqlValue, Statement } from "./statement.ts";

// SQL over HTTP: https://github.com/tursodatabase/libsql/blob/main/docs/HRANA_3_SPEC.md. Opening a stream costs the
// server several times as much as a small batch, so streams are reused.

/** Less than the ten seconds after which servers close an idle stream. */
const maxIdleMs = 5_000;
const maxIdle = 4;

const pipeline = "v3/pipeline";
const begins = { read: "BEGIN TRANSACTION READONLY", write: "BEGIN IMMEDIATE" } as const;
export type BatchMode = keyof typeof begins;

export class HranaError extends Error {
  override readonly name = "HranaError";
  readonly code: string | undefined;
  readonly statementIndex: number | undefined;

  constructor({ message, code }: Fault, index?: number) {
    super(typeof code === "string" ? `${code}: ${message}` : message);
    this.code = typeof code === "string" ? code : undefined;
    this.statementIndex = index;
  }
}

/** Thrown if the server doesn't know the stream. The server has then executed nothing. */
class StreamGone extends Error {
  override readonly name = "StreamGone";
}

interface Stream {
  readonly baton: string;
  readonly url: string;
  readonly idleSince: number;
}

interface Lease {
  /** Undefined if a new stream must be opened. */
  readonly stream: Stream | undefined;
}

/**
 * Pool of streams that are open but idle. A stream is only an address, so different requests of one isolate can use it.
 */
export class IdleStreams {
  #idle: Stream[] = [];
  #leased = 0;

  /**
   * Returns undefined if enough streams are in use: the caller then closes its stream after the batch. Servers allow
   * few streams, and an unclosed one stays open for ten seconds.
   */
  lease(): Lease | undefined {
    const now = Date.now();
    this.#idle = this.#idle.filter(({ idleSince }) => Math.abs(now - idleSince) < maxIdleMs);
    const stream = this.#idle.pop();
    if (stream === undefined && this.#leased >= maxIdle) return undefined;
    this.#leased += 1;
    return { stream };
  }

  end(next: Omit<Stream, "idleSince"> | undefined): void {
    this.#leased -= 1;
    if (next !== undefined) this.#idle.push({ ...next, idleSince: Date.now() });
  }
}

export interface HranaAnswer {
  readonly status: number;
  readonly text: string;
}

export interface HranaRequest {
  readonly method: "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Fetch = (address: string, request: HranaRequest) => Promise<HranaAnswer>;

/** The result of one statement. */
export interface Answer {
  readonly columns: readonly { readonly name: string | null }[];
  readonly rows: readonly Row[];
}

export class HranaClient {
  readonly #url: string;
  readonly #authToken: string | undefined;
  readonly #fetch: Fetch;
  readonly #idle: IdleStreams | undefined;

  constructor({ url, authToken }: DatabaseConfig, fetch: Fetch, idle: IdleStreams | undefined) {
    this.#url = url.replace(/^libsql:/, "https:").replace(/\/?$/, "/");
    this.#authToken = authToken;
    this.#fetch = fetch;
    this.#idle = idle;
  }

  async batch(statements: readonly Omit<Statement, "multiRow">[], mode: BatchMode): Promise<readonly Answer[]> {
    const batch = `{"type":"batch","batch":{"steps":${stepsOf(statements, mode)}}}`;
    const lease = this.#idle?.lease();
    if (lease === undefined) {
      const { answer } = await this.#send(`[${batch},{"type":"close"}]`, undefined);
      return answersIn(answer, statements.length);
    }
    let next: Omit<Stream, "idleSince"> | undefined;
    try {
      const sent = await this.#sendOn(lease.stream, `[${batch}]`);
      next = sent.next;
      return answersIn(sent.answer, statements.length);
    } finally {
      this.#idle?.end(next);
    }
  }

  async #sendOn(stream: Stream | undefined, requests: string): Promise<Sent> {
    try {
      return await this.#send(requests, stream);
    } catch (error) {
      if (!(error instanceof StreamGone)) throw error;
      return await this.#send(requests, undefined);
    }
  }

  async #send(requests: string, stream: Stream | undefined): Promise<Sent> {
    const { url = this.#url, baton = null } = stream ?? {};
    const { status, text } = await this.#fetch(`${url}${pipeline}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        // No compression, because compressing would take longer than all other work on a small batch.
        "accept-encoding": "identity",
        ...(this.#authToken !== undefined && { authorization: `Bearer ${this.#authToken}` }),
      },
      body: `{"baton":${JSON.stringify(baton)},"requests":${requests}}`,
    });
    if (status !== 200) throw refusal(status, text, stream !== undefined);
    const answer = JSON.parse(text) as PipelineAnswer;
    const next = answer.base_url === null ? url : answer.base_url.replace(/\/?$/, "/");
    return { answer, next: answer.baton === null ? undefined : { baton: answer.baton, url: next } };
  }
}

interface Sent {
  readonly answer: PipelineAnswer;
  /** The address for the stream's next request, if the server keeps the stream open. */
  readonly next: Omit<Stream, "idleSince"> | undefined;
}

/** The type of `code` is unknown, because a gateway in front of the server may use its own codes. */
type Fault = { readonly message: string; readonly code?: unknown };

interface PipelineAnswer {
  readonly baton: string | null;
  readonly base_url: string | null;
  readonly results: readonly (
    | { readonly type: "ok"; readonly response: { readonly result?: BatchResult } }
    | { readonly type: "error"; readonly error: Fault }
  )[];
}

interface BatchResult {
  readonly step_results: readonly (StepResult | null)[];
  readonly step_errors: readonly (Fault | null)[];
}

interface StepResult {
  readonly cols: Answer["columns"];
  readonly rows: readonly (readonly Value[])[];
}

type Value =
  | { readonly type: "null" }
  | { readonly type: "integer"; readonly value: string }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "text"; readonly value: string };

const goneCode = /^(STREAM_EXPIRED|BATON_)/;

function refusal(status: number, text: string, isOnStream: boolean): Error {
  const { code, message = text } = faultIn(text);
  const isGone = isOnStream && status === 400 && (code === undefined || goneCode.test(String(code)));
  return isGone ? new StreamGone(message) : new HranaError({ message: `status ${status}: ${message}`, code });
}

function faultIn(text: string): Partial<Fault> {
  try {
    const { message, code } = JSON.parse(text) as Partial<Fault>;
    return { ...(message !== undefined && { message }), ...(code !== undefined && { code }) };
  } catch {
    return {};
  }
}

const notRolledBack = `{"type":"not","cond":{"type":"is_autocommit"}}`;
const after = (step: number) => `{"type":"and","conds":[{"type":"ok","step":${step}},${notRolledBack}]}`;

/** Each step has a condition: the previous step succeeded. The last step rolls back unless the commit succeeded. */
function stepsOf(statements: readonly Omit<Statement, "multiRow">[], mode: BatchMode): string {
  const commit = statements.length + 1;
  const steps = statements.map((statement, i) => {
    const { sql, args } = statement.listed?.() ?? statement;
    return `{"condition":${after(i)},"stmt":{"sql":${JSON.stringify(sql)},"args":[${args.map(encoded).join(",")}],"want_rows":true}}`;
  });
  return `[${[
    `{"stmt":{"sql":"${begins[mode]}"}}`,
    ...steps,
    `{"condition":${after(commit - 1)},"stmt":{"sql":"COMMIT"}}`,
    `{"condition":{"type":"not","cond":{"type":"ok","step":${commit}}},"stmt":{"sql":"ROLLBACK"}}`,
  ].join(",")}]`;
}

function encoded(value: SqlValue | undefined): string {
  switch (typeof value) {
    case "string":
      return `{"type":"text","value":${JSON.stringify(value)}}`;
    case "number":
      if (Number.isSafeInteger(value)) return `{"type":"integer","value":"${value}"}`;
      // A whole number sent as a float would be stored as an integer that is too large to read back.
      if (Number.isInteger(value) || !Number.isFinite(value)) throw new RangeError(`${value} is no value of SQL`);
      return `{"type":"float","value":${value}}`;
    case "boolean":
      return `{"type":"integer","value":"${value ? 1 : 0}"}`;
    default:
      return `{"type":"null"}`;
  }
}

function answersIn({ results: [result] }: PipelineAnswer, count: number): readonly Answer[] {
  if (result === undefined) throw new HranaError({ message: "the answer has no result" });
  if (result.type === "error") throw new HranaError(result.error);
  const { step_results: steps, step_errors: errors } = result.response.result ?? { step_results: [], step_errors: [] };
  const failed = errors.findIndex((error, i) => error !== null && i <= count + 1);
  const fault = errors[failed];
  if (fault) throw new HranaError(fault, failed > 0 && failed <= count ? failed - 1 : undefined);
  return Array.from({ length: count + 1 }, (_, i) => {
    const step = steps[i + 1];
    if (!step) throw new HranaError({ message: "the transaction was rolled back" });
    return { columns: step.cols, rows: step.rows.map((row) => row.map(decoded)) };
  }).slice(0, count);
}

function decoded(value: Value): unknown {
  switch (value.type) {
    case "null":
      return null;
    case "integer": {
      const number = Number(value.value);
      if (!Number.isSafeInteger(number)) throw new RangeError(`${value.value} is no safe integer`);
      return number;
    }
    default:
      return value.value;
  }
}
