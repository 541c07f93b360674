import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { type NodeConfig, tokenVariable } from "./config.ts";
import { issuerNetworkOf } from "./issuer-network.ts";
import { detailOf, gatherLog } from "./log.ts";
import { provideModules } from "./modules.ts";
import { anyAddress, networkOf, publicAddresses } from "./network.ts";
import type { ObjectClass, Report } from "./object-instance.ts";
import { filesIn, serverAt } from "./services.ts";

// Code that the ledger process and the desk process share.

interface Entrypoint {
  fetch(request: Request, env: object, context: object): Promise<Response>;
}

interface Server {
  readonly default: Entrypoint;
  readonly local: Entrypoint;
  readonly Ledger: ObjectClass;
  readonly Deliverer: ObjectClass;
  readonly WebhookSender: ObjectClass;
  readonly RequestLog: ObjectClass;
}

const [, , configFile = ""] = process.argv;
export const config = JSON.parse(await readFile(configFile, "utf8")) as NodeConfig;
export const token = process.env[tokenVariable] ?? "";
process.chdir(config.sockets);
const writeLog = gatherLog();

function end(code: number): never {
  writeLog();
  process.exit(code);
}

export const fail = (error: unknown): never => {
  console.error(JSON.stringify({ level: "error", event: "process.failed", error: detailOf(error) }));
  return end(1);
};
process.on("uncaughtException", fail);
process.on("unhandledRejection", (error) => {
  console.error(JSON.stringify({ level: "error", event: "rejection.unhandled", error: String(error) }));
});
// Proves to the supervisor that the event loop isn't blocked.
process.on("message", (message) => process.send?.(message));

export const report: Report = (event, error, file) => {
  const outcome = error === undefined ? { level: "info" } : { level: "error", error: String(error) };
  console.error(JSON.stringify({ event, file, ...outcome }));
};

const { texts, mailboxPort } = config;

/** The bindings of both processes, except databases and objects. */
export const shared = {
  ...texts,
  ...Object.fromEntries(config.secretNames.map((secret) => [secret, process.env[secret] ?? ""])),
  STATIC: config.assets,
  LIMITS: config.limits,
  BUILD: config.build,
  FILES: filesIn(config.publicDirectory),
  HASHER: serverAt(config.hasherPort),
  MAILER: networkOf(anyAddress),
  WEBHOOK_NETWORK: networkOf(publicAddresses(texts.WEBHOOK_ALLOW ?? "")),
  ...(texts.OIDC_ISSUER && { OIDC_NETWORK: issuerNetworkOf(texts.OIDC_ISSUER) }),
  ...(mailboxPort !== undefined && { MAILBOX: serverAt(mailboxPort) }),
};

export async function loadServer(): Promise<Server> {
  provideModules(config);
  return (await import(pathToFileURL(config.serverFile).href)) as Server;
}

const background = new Set<Promise<unknown>>();

export const context = {
  waitUntil: (work: Promise<unknown>) => {
    const settled = Promise.resolve(work)
      .catch((error: unknown) => report("background.failed", error))
      .finally(() => background.delete(settled));
    background.add(settled);
  },
  passThroughOnException: () => {},
  props: {},
};

export async function settleBackground(): Promise<void> {
  await Promise.all(background);
}

/** Calls `stop` once, on SIGTERM. */
export function onStop(stop: () => Promise<void>): void {
  let isEnding = false;
  process.on("SIGTERM", () => {
    if (isEnding) return;
    isEnding = true;
    void stop()
      .then(() => end(0))
      .catch(fail);
  });
}
