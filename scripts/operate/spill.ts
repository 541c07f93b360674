import { setTimeout as delay } from "node:timers/promises";
import { home, maxShard } from "#domain/shard.ts";
import { type ExitCode, exit } from "../../sdk/cli/exit.ts";
import { parseFlags, UsageError, wholeNumber } from "../../sdk/cli/flags.ts";
import { ExplainedError, operatorCommand } from "../command.ts";
import { operatorApi, type Send } from "../service/operator-api.ts";

export const help = `${operatorCommand} spill [--retry | --discard <id> …] [--shard <n>] [--data <folder>]

Shows the clicks that the service keeps in its own storage. The service's page /docs/guides/durability/ describes it.

  --retry           has those that were set aside written again
  --discard <id> …  prints some of those that were set aside, and deletes them
  --shard <n>       the Ledger of this shard; default: 0, home`;

const maxDiscarded = 100;
const retryWithinMs = 10_000;

interface Spilled {
  readonly data: readonly { readonly id: number; readonly click: unknown }[];
  readonly meta: { readonly waiting: number; readonly setAside: number };
}

/**
 * Connects to the Ledger of a shard. The paths of calls are relative to the path of its spill (the clicks that it
 * keeps).
 */
async function connect(folder: string | undefined, shard: number): Promise<Send> {
  const { send } = await operatorApi(folder);
  return (method, path, body) => {
    const { pathname, searchParams } = new URL(`/spill${path}`, "http://service");
    if (shard !== home) searchParams.set("shard", String(shard));
    return send(method, searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`, body);
  };
}

async function listAll(send: Send): Promise<Spilled> {
  const data: Spilled["data"][number][] = [];
  for (;;) {
    const page = await send<Spilled>("GET", `?after=${data.at(-1)?.id ?? 0}`);
    if (page.data.length === 0) return { data, meta: page.meta };
    data.push(...page.data);
  }
}

async function show(send: Send): Promise<void> {
  const { data, meta } = await listAll(send);
  for (const { id, click } of data) console.log(`${id} ${JSON.stringify(click)}`);
  console.log(`${meta.waiting} waiting for the database, ${meta.setAside} set aside.`);
}

async function retry(send: Send): Promise<void> {
  const { data } = await send<{ data: { retried: number } }>("POST", "/retry");
  console.log(`${data.retried} put back.`);
  const end = Date.now() + retryWithinMs;
  while ((await send<Spilled>("GET", "")).meta.waiting > 0 && Date.now() < end) await delay(250);
  await show(send);
}

async function discard(send: Send, ids: readonly number[]): Promise<void> {
  const { data } = await listAll(send);
  const found = data.filter(({ id }) => ids.includes(id));
  const missing = ids.filter((id) => !found.some((click) => click.id === id));
  if (missing.length > 0)
    throw new ExplainedError(`Nothing is discarded: no click ${missing.join(", ")} is set aside.`);
  for (const { id, click } of found) console.log(`${id} ${JSON.stringify(click)}`);
  let discarded = 0;
  for (let from = 0; from < ids.length; from += maxDiscarded) {
    const body = { ids: ids.slice(from, from + maxDiscarded) };
    discarded += (await send<{ data: { discarded: number } }>("POST", "/discard", body)).data.discarded;
  }
  console.log(`${discarded} discarded.`);
}

export async function run(args: string[]): Promise<ExitCode> {
  const flag = { type: "boolean", default: false } as const;
  const { values, positionals } = parseFlags(args, {
    retry: flag,
    discard: flag,
    shard: { type: "string", default: "0" },
    data: { type: "string" },
  });
  const ids = [...new Set(positionals.map(Number))];
  if (values.retry && values.discard) throw new UsageError("--retry and --discard exclude each other.");
  if (values.discard ? ids.length === 0 : ids.length > 0) throw new UsageError("Name clicks after --discard, by id.");
  const wrong = positionals.find((id) => !/^[1-9]\d{0,15}$/.test(id));
  if (wrong !== undefined) throw new UsageError(`"${wrong}" is not the id of a click.`);
  const send = await connect(values.data, wholeNumber("shard", values.shard, home, maxShard));
  if (values.discard) await discard(send, ids);
  else if (values.retry) await retry(send);
  else await show(send);
  return exit.good;
}
