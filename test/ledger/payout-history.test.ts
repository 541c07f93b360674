import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@libsql/client/http";
import fc from "fast-check";
import { describe, expect, onTestFailed, onTestFinished, test } from "vitest";
import { startDatabase } from "../../harness/database.ts";
import { createWorld, type World } from "../../harness/world.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";
import type { Task } from "../../src/ledger/task.ts";
import { createAdjustment } from "../../src/operations/manage/create-adjustment.ts";
import { continuePayout } from "../../src/operations/payouts/continue-payout.ts";
import type { PayoutRow } from "../../src/store/payouts.ts";
import { callsOf } from "../support/ledger-calls.ts";
import { ownLedger } from "../support/own-ledger.ts";
import { daysAgo } from "../support/program-fixture.ts";

// All histories advance one call per step, so that calls of many programs share a round.
const histories = Number(process.env.PAYOUT_HISTORIES ?? 300);
const sideBySide = 50;
const length = 24;

const now = daysAgo(0);
const clock = { now: () => now, sleep: (ms: number) => delay(ms), random: () => 0.5 };

const partner = fc.nat({ max: 1 });
const index = fc.nat({ max: 5 });
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("sale"), partner, isPending: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("browser sale"), partner }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("move"), index, partner }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("refund"), index, cents: fc.constantFrom(undefined, 100, 500) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel refund"), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("approve"), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reject"), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("adjust"), partner, cents: fc.constantFrom(-300, 50, 400) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("create"), minimumCents: fc.constantFrom(1, 150) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("finalize"), expectedCents: fc.constantFrom(undefined, undefined, 200) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("confirm"), index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel"), index }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("fail"), index, partner }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("step"), index }) },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;
const history = fc.array(command, { minLength: length, maxLength: length });

type Ledger = ReturnType<typeof ownLedger>;

class Program {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #calls: ReturnType<typeof callsOf>;
  readonly #payouts: PayoutRow[] = [];
  readonly #sales: { readonly commissionId: number; readonly customer: string }[] = [];
  #adjustments = 0;

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
    this.#calls = callsOf(world, ledger);
  }

  async run(command: Command): Promise<void> {
    switch (command.kind) {
      case "sale":
        return this.#sell(command.partner, "key", command.isPending ? now : daysAgo(2));
      case "browser sale":
        return this.#sell(command.partner, "browser", daysAgo(2));
      case "move": {
        const customer = this.#sales[command.index]?.customer;
        if (customer !== undefined) await this.#lead(command.partner, "key", customer);
        return;
      }
      case "refund":
        return this.#refund(command.index, command.cents === undefined ? "rest" : "amount", command.cents);
      case "cancel refund":
        return this.#refund(command.index, "cancel", undefined);
      case "approve":
      case "reject": {
        const commissionId = this.#sales[command.index]?.commissionId;
        const decision = command.kind === "approve" ? "approved" : "rejected";
        if (commissionId !== undefined) await this.#calls.decide(commissionId, decision);
        return;
      }
      case "adjust":
        return this.#adjust(command.partner, command.cents);
      default:
        return this.#pay(command);
    }
  }

  /** Refunds a sale, which may have been paid for, and has all payments come back. */
  async undo(): Promise<void> {
    await this.#finish();
    await this.#refund(0, "rest", undefined);
    for (const { id: payoutId } of this.#payouts) {
      for (const { id: partnerId } of this.#world.partners) await this.#fail(payoutId, partnerId);
    }
    await this.#finish();
  }

  /** Takes all steps that are left, pays all that is payable, and returns what still is. */
  async settle(): Promise<readonly unknown[]> {
    await this.#finish();
    for (const { id } of this.#payouts) await this.#change("cancel-payout", { payoutId: id });
    await this.#finish();
    await this.#create(1);
    const draft = this.#payouts.at(-1);
    if (draft !== undefined) await this.#confirm(draft.id);
    await this.#finish();
    return this.#world.rows(
      "select * from partner_balances where program_id = ? and (net_cents > 0 or in_payout_cents <> 0)",
      this.#world.programId,
    );
  }

  async #finish(): Promise<void> {
    for (let steps = 0; steps < 100; steps += 1) {
      const unfinished = this.#payouts.filter(({ phase }) => phase !== null);
      if (unfinished.length === 0) return;
      for (const payout of unfinished) await this.#step(payout);
    }
    throw new Error(`a payout is stuck: ${this.#ledger.faults.map(String)}`);
  }

  async #step(payout: PayoutRow): Promise<void> {
    const { programId } = this.#world;
    const call = { kind: "continue-payout", operationId: "step", at: now, programId, payout } as const;
    const outcome = await this.#submit(this.#ledger.taskOf(continuePayout, call, now));
    if (outcome.ok) this.#know((outcome.answer as { payout: PayoutRow | undefined }).payout);
  }

  async #pay(command: Command): Promise<void> {
    const payout = "index" in command ? this.#payouts[command.index % Math.max(1, this.#payouts.length)] : undefined;
    if (command.kind === "create") return this.#create(command.minimumCents);
    if (command.kind === "finalize") {
      const draft = this.#payouts.at(-1);
      const call = { payoutId: draft?.id ?? 0, expectedTotalCents: command.expectedCents, includesChangedUntil: 0 };
      return this.#change("finalize-payout", call);
    }
    if (payout === undefined) return;
    if (command.kind === "confirm") return this.#confirm(payout.id);
    if (command.kind === "cancel") return this.#change("cancel-payout", { payoutId: payout.id });
    if (command.kind === "fail") {
      return this.#fail(payout.id, this.#partner(command.partner).id);
    }
    return this.#step(payout);
  }

  /** Twice, as after a lost answer. */
  async #fail(payoutId: number, partnerId: number): Promise<void> {
    const call = { payoutId, partnerId, reason: "account closed" };
    await this.#change("fail-line", call);
    await this.#change("fail-line", call);
  }

  #partner(index: number) {
    const found = this.#world.partners[index];
    if (found === undefined) throw new Error("a program has two partners");
    return found;
  }

  #submit(task: Task) {
    return this.#ledger.submit(task).outcome;
  }

  #know(payout: PayoutRow | undefined): void {
    const index = this.#payouts.findIndex(({ id }) => id === payout?.id);
    if (payout !== undefined) this.#payouts.splice(index === -1 ? this.#payouts.length : index, 1, payout);
  }

  async #change(
    kind: "create-payout" | "finalize-payout" | "confirm-payout" | "cancel-payout" | "fail-line",
    more: object,
  ) {
    const { programId } = this.#world;
    const call = {
      kind,
      operationId: randomBytes(8).toString("hex"),
      at: now,
      programId,
      actorId: "somebody",
      ...more,
    };
    const outcome = await this.#submit(this.#ledger.changeTasks[kind](call as never, now));
    expect(outcome.ok ? "" : outcome.refusal.code).not.toBe("internal");
    if (outcome.ok) this.#know((outcome.answer as { payout: PayoutRow }).payout);
  }

  #create(minimumCents: number) {
    const common = { currency: "EUR", until: now, partnerIds: undefined, reference: undefined };
    return this.#change("create-payout", { ...common, minimumCents });
  }

  #confirm(payoutId: number) {
    const common = { paidAt: undefined, note: undefined, expectedTotalCents: undefined, includesChangedUntil: now };
    return this.#change("confirm-payout", { ...common, payoutId });
  }

  async #lead(partner: number, by: "key" | "browser", customer: string): Promise<void> {
    const click = this.#calls.click(this.#partner(partner), daysAgo(4 - partner));
    await this.#calls.lead(by, [click], customer);
  }

  async #sell(partner: number, by: "key" | "browser", occurredAt: number): Promise<void> {
    const customer = `c${this.#sales.length}`;
    await this.#lead(partner, by, customer);
    const sale = await this.#calls.sale(`s${this.#sales.length}`, occurredAt, { customerKey: customer });
    this.#sales.push({ commissionId: sale.commissionId, customer });
  }

  async #refund(index: number, asked: "rest" | "amount" | "cancel", cents: number | undefined): Promise<void> {
    if (index >= this.#sales.length) return;
    const refundId = asked === "cancel" ? "r" : cents === 500 ? undefined : "r";
    await this.#submit(this.#calls.refundTask(`s${index}`, asked, { cents, refundId }));
  }

  async #adjust(partner: number, cents: number): Promise<void> {
    const { programId } = this.#world;
    const partnerId = this.#partner(partner).id;
    this.#adjustments += 1;
    const reference = `a${this.#adjustments}`;
    const call = {
      kind: "create-adjustment" as const,
      operationId: `${programId} ${reference}`,
      ...{
        actorId: "u",
        at: now,
        programId,
        partnerId,
        amountCents: cents,
        currency: "EUR",
        reason: "bonus",
        reference,
      },
    };
    await this.#submit(this.#ledger.taskOf(createAdjustment, call, now));
  }
}

const seed = Number(process.env.PAYOUT_SEED ?? randomBytes(4).readUInt32LE());
const all = fc.sample(history, { numRuns: histories, seed });
const batches = Array.from({ length: Math.ceil(histories / sideBySide) }, (_, i) => i * sideBySide);

describe(`whatever is sold, refunded, moved and paid, every entry is paid once, and every sum is that of its entries: seed ${seed}`, () => {
  test.each(batches)(
    "histories from %i on",
    async (from) => {
      const database = await startDatabase();
      onTestFinished(() => database.dispose());
      const ledger = ownLedger(database.url, clock);
      let stage = "worlds";
      onTestFailed(() =>
        console.error(`failed at: ${stage}; queued ${JSON.stringify(ledger.loop.queued)}`, ledger.faults),
      );
      const batch = await Promise.all(
        all.slice(from, from + sideBySide).map(async (commands) => {
          const world = await createWorld(database.url, { partners: [{}, {}], policies: [{ holdDays: 1 }] });
          return { commands, program: new Program(world, ledger) };
        }),
      );
      for (let step = 0; step < length; step += 1) {
        stage = `step ${step}`;
        await Promise.all(
          batch.map(({ commands, program }) => {
            const command = commands[step];
            return command && program.run(command);
          }),
        );
      }
      const client = createClient({ url: database.url });
      onTestFinished(() => client.close());
      stage = "the audit in the middle";
      expect(await auditLedger(client)).toEqual([]);
      stage = "the payments that come back";
      await Promise.all(batch.map(({ program }) => program.undo()));
      expect(await auditLedger(client)).toEqual([]);
      stage = "the last steps";
      const left = await Promise.all(batch.map(({ program }) => program.settle()));
      expect(left.flat()).toEqual([]);
      stage = "the audit";
      expect(await auditLedger(client)).toEqual([]);
    },
    60_000,
  );
});
