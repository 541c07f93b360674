import { setTimeout as delay } from "node:timers/promises";
import { type ExitCode, exit } from "../exit.ts";
import { createOutput, type Output } from "../output.ts";
import { errorOf, refused } from "../refused.ts";
import { connect, type Reply } from "../service.ts";
import { type Event, inOneLine } from "./event.ts";
import { createFeed, type ReadFeed, seqBefore } from "./feed.ts";
import { forward, type Target } from "./forward.ts";
import { readOptions, type Start } from "./options.ts";
import { busyPauseMs, pauseAfter } from "./pause.ts";

export const help = `tributary-sdk listen [flags]

Shows each event of the program's feed as it happens, one per line, until Ctrl-C. Reads at most once a second.

  --forward-to <url>   posts each event there, signed like a webhook, one after the other, and shows the answer's
                       status. One that fails is not sent again: the next one follows. https, or http on localhost
  --secret <whsec_…>   signs with this secret; default: a new one, which is printed at the start
  --types <types>      only these, separated by commas: sale.recorded,commission.updated:approved
  --after <seq>        starts after the event with this number; default: after the newest
  --since <duration>   starts with the events of the last 30s, 15m, 1h or 7d
  --test               reads the test book

Ctrl-C says which --after continues. Needs a key with the scope read. With --json, each line is one event.

Exit code 130 after Ctrl-C; 1 if the service refuses the call.`;

export async function run(args: string[]): Promise<ExitCode> {
  const { start, types, target, isTest, ...common } = readOptions(args);
  const output = createOutput(common.json === true);
  const service = connect(common, output);
  const read = createFeed({ service, isTest, note: output.note });
  const first = await firstAfter(read, start);
  if (typeof first !== "number") return refused(output, first);

  let after = first;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      output.note(`Stopped. Continue with --after ${after}`);
      process.exit(exit.interrupted);
    });
  }
  output.note(`Listening for events after ${after}. Ctrl-C stops.`);
  if (target) output.note(`Forwarding to ${target.url}, signed with ${target.secret}`);
  const query = types === undefined ? {} : { types };
  for (let pauseMs = busyPauseMs; ; ) {
    const from = after;
    const { reply, page } = await read({ ...query, after: String(after), limit: "500" });
    const next = page?.next_after ?? continuedAfter(reply, output);
    if (next === undefined) return refused(output, reply, (field) => `--${field}`);
    for (const event of page?.events ?? []) {
      await show(output, event, target);
      after = event.seq;
    }
    pauseMs = pauseAfter(pauseMs, next > from);
    after = next;
    await delay(pauseMs);
  }
}

async function firstAfter(read: ReadFeed, start: Start): Promise<number | Reply> {
  if (start === undefined) {
    const { reply, page } = await read({ limit: "1" });
    return page?.newest_seq ?? reply;
  }
  return "after" in start ? start.after : seqBefore(read, Date.now() - start.sinceMs);
}

async function show(output: Output, event: Event, target: Target | undefined): Promise<void> {
  output.data(event);
  output.say(inOneLine(event));
  if (target) output.note(`  ${await forward(target, event)}`);
}

/**
 * Returns the position at which the feed continues, if the only problem is that the events after `after` were deleted.
 */
function continuedAfter(reply: Reply, { note }: Output): number | undefined {
  const { code, newest_seq, oldest_seq } = Object(reply.isReached ? errorOf(reply).details : undefined) as Gone;
  if (code === "feed_restarted") {
    note(
      `The service was restored from a backup: there may be events that it no longer has. Continuing after ${newest_seq}.`,
    );
    return newest_seq;
  }
  if (code !== "too_old" || oldest_seq === undefined) return undefined;
  note(`The events before ${oldest_seq} are no longer kept. Continuing with ${oldest_seq}.`);
  return oldest_seq - 1;
}

interface Gone {
  readonly code?: string;
  readonly newest_seq?: number;
  readonly oldest_seq?: number;
}
