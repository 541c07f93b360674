import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { Task } from "#engine/task.ts";
import { maskedEmail } from "#http/keyed-digest.ts";
import { createAdjustment } from "#operations/manage/create-adjustment.ts";
import type { ReviewOutcome } from "#operations/manage/review-commissions.ts";
import type { MaskedEmail } from "#operations/operation.ts";
import { testSecrets } from "../../harness/service.ts";
import type { World } from "../../harness/world.ts";
import { callsOf } from "../support/ledger-calls.ts";
import type { ownLedger } from "../support/own-ledger.ts";
import { asksNothing } from "../support/payout-calls.ts";
import { daysAgo } from "../support/program-fixture.ts";
import { saleCents } from "./commission-model.ts";
import { type Command, start, stepMs } from "./payout-commands.ts";
import { type Approving, type Failing, PayoutModel } from "./payout-model.ts";

const partnerEmail = "partner@example.com";

type Ledger = ReturnType<typeof ownLedger>;
type Kind = "create-payout" | "finalize-payout" | "confirm-payout" | "cancel-payout" | "fail-line" | "settle-line";

interface Settings {
  readonly isSuspicious: boolean;
  /** True if two people must approve each payout. */
  readonly needsTwo: boolean;
}

/** Sends each call to the service and to the model, and compares the two responses. */
export class PayoutProgram {
  readonly model: PayoutModel;
  readonly #world: World;
  #ledger: Ledger;
  #calls: ReturnType<typeof callsOf>;
  readonly #now: () => number;
  readonly #payoutIds: number[] = [];
  readonly #commissionIds: number[] = [];
  readonly #email: MaskedEmail | null;
  readonly #needsTwo: boolean;
  #adjustments = 0;
  /** When the database was restored (ms). */
  #restoredAt: number | undefined;

  /** With `isSuspicious`, all customers have the partners' email address, which raises a signal. */
  constructor(world: World, ledger: Ledger, now: () => number, { isSuspicious, needsTwo }: Settings) {
    this.model = new PayoutModel(isSuspicious, needsTwo);
    this.#needsTwo = needsTwo;
    this.#email = isSuspicious ? maskedEmail(testSecrets.HASH_SECRET, partnerEmail) : null;
    this.#world = world;
    this.#ledger = ledger;
    this.#calls = callsOf(world, ledger);
    this.#now = now;
  }

  async begin(): Promise<void> {
    if (this.#email === null) return;
    for (const { id: partnerId } of this.#world.partners) {
      const change = { kind: "update-partner", partnerId, changes: { email: partnerEmail } } as const;
      await this.#submit(this.#ledger.changeTask({ ...this.#call(), ...change }, this.#now()));
    }
  }

  /** Continues with a new Ledger after the database was restored. */
  restored(ledger: Ledger, restoredAt: number): void {
    this.#ledger = ledger;
    this.#calls = callsOf(this.#world, ledger);
    this.#restoredAt = restoredAt;
    this.model.restore();
  }

  run(command: Command): Promise<void> {
    this.model.at = this.#now();
    switch (command.kind) {
      case "sale":
        return this.#sell(command.partner, "key", !command.isPending);
      case "browser sale":
        return this.#sell(command.partner, "browser", true);
      case "move":
        return this.#move(command.index, command.partner);
      case "refund":
        return this.#refund(command.index, command.cents === null ? "rest" : "amount", command.cents);
      case "cancel refund":
        return this.#refund(command.index, "cancel", null);
      case "approve":
        return this.#decide(command.index, "approved");
      case "reject":
        return this.#decide(command.index, "rejected");
      case "hold":
      case "release":
        return this.#review(command.index, command.kind);
      case "adjust":
        return this.#adjust(command.partner, command.cents);
      default:
        return this.#pay(command);
    }
  }

  /** Refunds sale 0, whose commission may already be paid, and reports all payments as returned. */
  async undo(): Promise<void> {
    this.model.at = this.#now();
    await this.#refund(0, "rest", null);
    for (const index of this.#payoutIds.keys()) {
      for (const partner of [0, 1]) await this.#fail(index, partner, { isByKey: false, acknowledges: true });
    }
  }

  /** Ends all holds of all commissions. */
  async release(): Promise<void> {
    this.model.at = this.#now();
    for (const index of this.#commissionIds.keys()) await this.#review(index, "release");
  }

  /** Pays everything that is payable. */
  async settle(): Promise<void> {
    this.model.at = this.#now();
    for (const index of this.#payoutIds.keys()) await this.#cancel(index, true);
    await this.#create(1, undefined, "person");
    if (this.model.payouts.at(-1)?.status === "draft") {
      const last = this.#payoutIds.length - 1;
      if (this.#needsTwo) await this.#finalize(last, { acknowledges: true });
      await this.#confirm(last, { by: "two", acknowledges: true });
    }
    const left = this.model.shown().accounts.filter(({ payable, inPayout }) => payable > 0 || inPayout !== 0);
    expect(left).toEqual([]);
  }

  /** Refunds sales, all of them or a part, after everything was paid. */
  async refundPaid(): Promise<void> {
    this.model.at = this.#now();
    for (const index of this.#commissionIds.keys()) {
      if (index % 2 === 0) await this.#refund(index, "rest", null);
      else await this.#refund(index, "amount", 500);
    }
  }

  async #pay(command: Command): Promise<void> {
    if (command.kind === "create") {
      const { until, minimumCents, settledBy } = command;
      return this.#create(minimumCents, until === undefined ? undefined : this.#now() - until * stepMs, settledBy);
    }
    const last = this.#payoutIds.length - 1;
    if (last < 0) return;
    if (command.kind === "finalize") return this.#finalize(last, command);
    const index = "index" in command ? command.index % this.#payoutIds.length : last;
    if (command.kind === "confirm") return this.#confirm(index, command);
    if (command.kind === "cancel") return this.#cancel(index, command.acknowledges);
    if (command.kind === "fail") return this.#fail(index, command.partner, command);
    if (command.kind === "settle") return this.#settle(index, command.partner, command.id);
  }

  async #create(minimumCents: number, until: number | undefined, settledBy: "person" | "api"): Promise<void> {
    const common = { currency: "EUR", minimumCents, until: until ?? null, settledBy };
    const expected = this.model.create(minimumCents, until, settledBy);
    const { code, payoutId } = await this.#change("create-payout", common);
    expect(code).toBe(expected);
    if (payoutId !== undefined) this.#payoutIds.push(payoutId);
  }

  #acknowledged(acknowledges: boolean) {
    return { restoreAcknowledged: acknowledges ? (this.#restoredAt ?? 1) : null };
  }

  async #finalize(
    index: number,
    {
      expectedCents,
      settledBy,
      acknowledges,
    }: { expectedCents?: number | undefined; settledBy?: "person" | "api" | undefined; acknowledges: boolean },
  ): Promise<void> {
    const totals = { expectedTotalCents: expectedCents ?? null, settledBy: settledBy ?? null };
    const call = { payoutId: this.#payoutIds[index], ...totals, ...this.#acknowledged(acknowledges) };
    const expected = this.model.finalize(index, expectedCents, acknowledges, settledBy);
    expect((await this.#change("finalize-payout", call)).code).toBe(expected);
  }

  async #confirm(index: number, approving: Approving): Promise<void> {
    const acknowledged = this.#acknowledged(approving.acknowledges);
    const call = { payoutId: this.#payoutIds[index], actorId: approving.by, isByOwner: true, ...acknowledged };
    expect((await this.#change("confirm-payout", call)).code).toBe(this.model.pay(index, approving));
  }

  async #cancel(index: number, acknowledges: boolean): Promise<void> {
    const call = { payoutId: this.#payoutIds[index], ...this.#acknowledged(acknowledges) };
    expect((await this.#change("cancel-payout", call)).code).toBe(this.model.cancel(index, acknowledges));
  }

  async #lineId(index: number, partnerId: number): Promise<number> {
    const sql = "select id from payout_lines where program_id = ? and payout_id = ? and partner_id = ?";
    const [line] = await this.#world.rows(sql, this.#world.programId, this.#payoutIds[index] ?? 0, partnerId);
    return Number(line?.id ?? Number.MAX_SAFE_INTEGER);
  }

  /** Sends the call twice, like a client that lost the first response. */
  async #fail(index: number, partner: number, failing: Failing): Promise<void> {
    const partnerId = this.#partner(partner).id;
    const line = failing.isByKey ? { id: await this.#lineId(index, partnerId) } : { partnerId };
    const acknowledged = failing.isByKey ? {} : this.#acknowledged(failing.acknowledges);
    const call = {
      payoutId: this.#payoutIds[index],
      line,
      reason: "account closed",
      partnerNote: null,
      ...acknowledged,
    };
    const expected = this.model.fail(index, partner, failing);
    expect((await this.#change("fail-line", call)).code).toBe(expected);
    expect((await this.#change("fail-line", call)).code).toBe(expected);
  }

  /** Sends the call twice, like a client that lost the first response. */
  async #settle(index: number, partner: number, settlementId: string): Promise<void> {
    const lineId = await this.#lineId(index, this.#partner(partner).id);
    const call = { payoutId: this.#payoutIds[index], lineId, settlementId, settledAt: null };
    const expected = this.model.settle(index, partner, settlementId);
    expect((await this.#change("settle-line", call)).code).toBe(expected);
    expect((await this.#change("settle-line", call)).code).toBe(expected);
  }

  #partner(index: number) {
    const found = this.#world.partners[index];
    if (found === undefined) throw new Error("a program has two partners");
    return found;
  }

  #submit(task: Task) {
    return this.#ledger.submit(task).outcome;
  }

  #call() {
    const { programId } = this.#world;
    return { operationId: randomBytes(8).toString("hex"), at: this.#now(), programId, actorId: "one" };
  }

  async #change(kind: Kind, more: object) {
    const call = { ...this.#call(), kind, ...asksNothing, ...more };
    const outcome = await this.#submit(this.#ledger.changeTask(call as never, call.at));
    if (!outcome.ok) return { code: outcome.refusal.code, payoutId: undefined };
    return { code: "ok", payoutId: (outcome.answer as { payout?: { id: number } }).payout?.id };
  }

  async #lead(partner: number, by: "key" | "browser", customer: string): Promise<void> {
    const click = this.#calls.click(this.#partner(partner), daysAgo(4 - partner));
    await this.#calls.lead(by, [click], customer, { email: this.#email });
  }

  async #sell(partner: number, by: "key" | "browser", isDue: boolean): Promise<void> {
    const index = this.#commissionIds.length;
    await this.#lead(partner, by, `c${index}`);
    const sale = await this.#calls.sale(`s${index}`, isDue ? daysAgo(2) : start, {
      customerKey: `c${index}`,
      amountCents: saleCents,
    });
    this.#commissionIds.push(sale.commissionId);
    this.model.sell(partner, { isDue, isUnconfirmed: by === "browser" });
  }

  async #move(index: number, partner: number): Promise<void> {
    if (index >= this.#commissionIds.length) return;
    await this.#lead(partner, "key", `c${index}`);
    this.model.confirm(index, partner);
  }

  async #decide(index: number, decision: "approved" | "rejected"): Promise<void> {
    const commissionId = this.#commissionIds[index];
    if (commissionId === undefined) return;
    const outcome = await this.#calls.decide(commissionId, decision);
    const [one] = outcome.ok ? outcome.answer.outcomes : [];
    const code = outcome.ok ? (one?.result === "refused" ? one.refusal.code : "ok") : outcome.refusal.code;
    expect(code).toBe(this.model.decide(index, decision));
  }

  /** Sends the call twice, like a client that lost the first response. */
  async #review(index: number, action: "hold" | "release"): Promise<void> {
    const commissionId = this.#commissionIds[index];
    if (commissionId === undefined) return;
    const review =
      action === "hold"
        ? ({ action, reason: "an address that we know", partnerNote: null } as const)
        : ({ action, note: null } as const);
    const call = { ...this.#call(), kind: "review-commissions", commissionIds: [commissionId], review } as const;
    for (const expected of [this.model[action](index), this.model[action](index)]) {
      const outcome = await this.#submit(this.#ledger.changeTask(call, call.at));
      if (!outcome.ok) throw new Error(`refused: ${outcome.refusal.code}`);
      const [reviewed] = outcome.answer as readonly ReviewOutcome[];
      expect(reviewed?.result === "refused" ? reviewed.refusal.code : reviewed?.result).toBe(expected);
    }
  }

  async #refund(index: number, asked: "rest" | "amount" | "cancel", cents: number | null): Promise<void> {
    if (index >= this.#commissionIds.length) return;
    const refundId = asked === "cancel" ? "r" : cents === 500 ? null : "r";
    const outcome = await this.#submit(this.#calls.refundTask(`s${index}`, asked, { cents, refundId }));
    if (!outcome.ok) return;
    const { status, refundedTotalCents } = outcome.answer as { status: string; refundedTotalCents: number };
    if (status !== "skipped") this.model.refund(index, refundedTotalCents);
  }

  async #adjust(partner: number, amountCents: number): Promise<void> {
    this.#adjustments += 1;
    const call = {
      ...this.#call(),
      kind: "create-adjustment" as const,
      partnerId: this.#partner(partner).id,
      amountCents,
      currency: "EUR",
      reason: "bonus",
      partnerNote: null,
      reference: `a${this.#adjustments}`,
    };
    await this.#submit(this.#ledger.taskOf(createAdjustment, call, this.#now()));
    this.model.adjust(partner, amountCents);
  }
}
