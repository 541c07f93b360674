import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { node } from "../../scripts/root.ts";
import { buildCli } from "../../sdk/build.ts";

export interface Ended {
  /** Null: killed. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly ended: Promise<Ended>;
  /** What it wrote on stdout so far. */
  out(): string;
  kill(signal: NodeJS.Signals): void;
}

export type Environment = Readonly<Record<string, string>>;

/** The command as it is built. */
export interface Command {
  /** A folder of the test file's own. */
  readonly directory: string;
  start(args: readonly string[], environment?: Environment): Running;
  run(args: readonly string[], environment?: Environment): Promise<Ended>;
}

/** Builds it before the file's tests; to be called at the top of the file. */
export function command(): Command {
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "tributary-cli-"));
    await buildCli(join(directory, "cli.mjs"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const start: Command["start"] = (args, environment = {}) => {
    const child = spawn(node, [join(directory, "cli.mjs"), ...args], {
      env: environment,
      cwd: directory,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const written = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      written.out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      written.err += text;
    });
    const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, ...written })));
    return { ended, out: () => written.out, kill: (signal) => void child.kill(signal) };
  };
  return {
    get directory() {
      return directory;
    },
    start,
    run: (args, environment) => start(args, environment).ended,
  };
}

export interface Received {
  readonly at: number;
  readonly path: string;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type Behaviour = (response: ServerResponse, call: Received) => void;

/** A server that is none of ours: it answers the first call by the first behaviour, and so on; the last one stays. */
export async function serverThat(...behaviours: Behaviour[]): Promise<{ url: string; calls: readonly Received[] }> {
  const calls: Received[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { authorization: key = "" } = request.headers;
    const call = { at: performance.now(), path: `${request.url}`, key, body: JSON.parse(text || "{}") };
    calls.push(call);
    (behaviours[calls.length - 1] ?? behaviours.at(-1))?.(response, call);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

export const refusal = (status: number, message: string, headers?: Record<string, string>): Behaviour =>
  answer(status, { data: null, error: { status, name: "SomeError", message, details: {} } }, headers);

export const cut: Behaviour = (response) => void response.socket?.resetAndDestroy();
