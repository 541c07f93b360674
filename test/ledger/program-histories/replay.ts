import { isDeepStrictEqual } from "node:util";
import { answerOf } from "./answers.ts";
import { type Both, openBoth } from "./both.ts";
import type { Command, History } from "./commands.ts";
import { perform } from "./perform.ts";
import type { Service } from "./service.ts";

/**
 * Plays a history, and returns the differences between the service and the model up to the first call that has one.
 * Compares the books at the end, and with `isEachCompared` after each call.
 */
export async function replay(service: Service, given: History, isEachCompared = false): Promise<readonly unknown[]> {
  const both = await openBoth(service, given);
  const { program } = both;
  service.histories.set(program.world.programId, given);
  for (const [i, command] of given.commands.entries()) {
    service.pass(1_000);
    both.model.book.now = service.now();
    const differences = await step(both, command, i);
    if (isEachCompared || differences.length > 0) differences.push(...(await booksDiffer(both)));
    if (differences.length > 0) return [`${i} ${JSON.stringify(command)}`, ...differences];
  }
  const differences = await booksDiffer(both);
  return [...(differences.length > 0 ? ["in the end", ...differences] : []), ...service.takeFaults()];
}

async function step(both: Both, command: Command, i: number): Promise<unknown[]> {
  const done = await perform(both, command, i);
  if (done === undefined) return [];
  const [is, mustBe] = done;
  return different("answer", answerOf(both, command, is), mustBe);
}

async function booksDiffer({ program, model }: Both): Promise<readonly unknown[]> {
  return [
    ...different("commissions", await program.commissions(), model.commissions()),
    ...different("balances", await program.balances(), model.balances()),
    ...different("lines", await program.lines(), model.payouts.shownLines()),
  ];
}

/** Reasons that count as equal. If several of them apply, the order of the calls decides which one is returned. */
const unattributed = new Set(["no_click", "existing_customer", "attribution_window_expired", "customer_not_found"]);

const loosely = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, each) => (unattributed.has(each) ? "unattributed" : each)));

function different(what: string, is: unknown, mustBe: unknown): unknown[] {
  const [found, expected] = [loosely(is), loosely(mustBe)];
  return isDeepStrictEqual(found, expected) ? [] : [{ what, is: found, mustBe: expected }];
}
