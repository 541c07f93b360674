import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, onTestFailed, onTestFinished, test } from "vitest";
import { supersedeWriters } from "#store/supersede-writers.ts";
import { startDatabase } from "../../harness/database.ts";
import { databaseAt, openDatabaseClient } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { expectParts } from "./balance-parts.ts";
import { type Command, history, length, start, stepMs } from "./payout-commands.ts";
import { PayoutProgram } from "./payout-program.ts";
import { readShown } from "./payout-shown.ts";

// All histories advance by one call per step, so that calls of many programs share a round (one batched commit).
const histories = Number(process.env.PAYOUT_HISTORIES ?? 3);
const sideBySide = 50;
/** Before this step, the database is restored from a backup that contains everything. */
const restoredBefore = length / 2;

const decisions: ReadonlySet<Command["kind"]> = new Set(["approve", "reject", "hold", "release"]);

interface Run {
  readonly commands: readonly (Command | undefined)[];
  readonly isSuspicious: boolean;
  readonly isUndecided: boolean;
  readonly needsTwo: boolean;
}

/**
 * Two of three histories run all commands, alternately with and without risk signals. The third runs only the commands
 * that involve no person's decision, twice: with and without signals.
 */
function runsOf(commands: readonly Command[], i: number): readonly Run[] {
  const needsTwo = i % 2 === 1;
  if (i % 3 < 2) return [{ commands, isSuspicious: i % 3 === 1, isUndecided: false, needsTwo }];
  const undecided = commands.map((each) => (decisions.has(each.kind) ? undefined : each));
  return [false, true].map((isSuspicious) => ({ commands: undecided, isSuspicious, isUndecided: true, needsTwo }));
}

/**
 * The expected totals of each partner and commission. A refund of a paid commission becomes a debt. A late settlement
 * is deducted from the accounts.
 */
function moneyOf({ model }: PayoutProgram) {
  const { accounts } = model.shown();
  return {
    partners: accounts.map(
      ({ pending, payable, inPayout, paid }, i) =>
        pending + payable + inPayout + paid + (i === 0 ? model.lateCents[0] : model.lateCents[1]),
    ),
    commissions: model.commissions.map(({ partner, cents }) => ({ partner, cents })),
  };
}

const wasGivenBack = ({ model }: PayoutProgram): boolean =>
  model.payouts.some(({ status, lines }) => status === "canceled" || lines.some(({ state }) => state === "failed"));

const seed = Number(process.env.PAYOUT_SEED ?? fc.readConfigureGlobal().seed ?? randomBytes(4).readUInt32LE());
const all = fc.sample(history, { numRuns: histories, seed });
const batches = Array.from({ length: Math.ceil(histories / sideBySide) }, (_, i) => i * sideBySide);

describe(`payouts of random histories, with seed ${seed}`, () => {
  test.each(batches)("payouts of random histories match a model after each call, from history %i on", async (from) => {
    const database = await startDatabase();
    onTestFinished(() => database.dispose());
    const client = openDatabaseClient(database.url);
    let step = 0;
    const now = () => start + step * stepMs;
    const openLedger = () => ownLedger(database.url, { now, sleep: (ms) => delay(ms), random: () => 0.5 });
    let ledger = openLedger();
    onTestFailed(() => console.error(`step ${step}; queued ${JSON.stringify(ledger.loop.queued)}`, ledger.faults));
    const batch = await Promise.all(
      all
        .slice(from, from + sideBySide)
        .flatMap(runsOf)
        .map(async (run) => {
          const world = await createWorld(database.url, {
            program: { payoutApproval: run.needsTwo ? "two_people" : "one_person" },
            partners: [{}, {}],
            policies: [{ holdDays: 1 }],
          });
          const program = new PayoutProgram(world, ledger, now, run);
          await program.begin();
          return { ...run, world, program };
        }),
    );
    const expectAsModel = async () => {
      const found = await readShown(
        database.url,
        client,
        batch.map(({ world }) => world),
      );
      for (const [i, { program, commands }] of batch.entries()) {
        const after = commands.slice(0, step).map((each) => JSON.stringify(each));
        expect(found[i], `history ${from + i} after ${after.join("\n")}`).toEqual(program.model.shown());
      }
    };
    const expectAllParts = async () => {
      for (const { world, program } of batch) {
        await expectParts(databaseAt(database.url), world, wasGivenBack(program));
      }
    };
    while (step < length) {
      if (step === restoredBefore) {
        // The database's clock differs from the clock of the histories.
        await supersedeWriters(databaseAt(database.url), now());
        await client.execute({ sql: "update ledger_writers set restored_at = ?, seq = seq + 1", args: [now()] });
        ledger = openLedger();
        for (const { program } of batch) program.restored(ledger, now());
      }
      await Promise.all(
        batch.map(({ commands, program }) => {
          const command = commands[step];
          return command && program.run(command);
        }),
      );
      step += 1;
      await expectAsModel();
      if (step === restoredBefore || step === length) await expectAllParts();
    }
    expect(await auditLedger(client)).toEqual([]);
    await Promise.all(batch.map(({ program }) => program.undo()));
    await expectAsModel();
    await expectAllParts();
    expect(await auditLedger(client)).toEqual([]);
    const undecided = batch.filter(({ isUndecided }) => isUndecided);
    for (const { program } of undecided.filter(({ isSuspicious }) => isSuspicious)) {
      const lines = program.model.payouts.flatMap(({ lines }) => lines);
      expect(lines.filter(({ commissions }) => commissions.length > 0)).toEqual([]);
    }
    await Promise.all(batch.map(({ program }) => program.release()));
    await expectAsModel();
    await Promise.all(batch.map(({ program }) => program.settle()));
    await expectAsModel();
    await Promise.all(batch.map(({ program }) => program.refundPaid()));
    await expectAsModel();
    expect(await auditLedger(client)).toEqual([]);
    const [plain, suspicious] = [false, true].map((wanted) =>
      undecided.filter(({ isSuspicious }) => isSuspicious === wanted).map(({ program }) => moneyOf(program)),
    );
    expect(suspicious).toEqual(plain);
  });
});
