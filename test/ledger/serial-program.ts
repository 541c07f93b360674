import { randomBytes } from "node:crypto";
import { noTerms } from "#domain/commission.ts";
import { emailHash } from "#domain/email-digest.ts";
import type { Rule } from "#domain/rules.ts";
import type { Tiers } from "#domain/tiers.ts";
import { maskedEmail } from "#http/keyed-digest.ts";
import type { LedgerTask } from "#ledger/task.ts";
import type { Outcome } from "#operations/operation.ts";
import { recordClick } from "#operations/track/record-click.ts";
import type { SaleAnswer } from "#operations/track/sale.ts";
import { testSecrets } from "../../harness/service.ts";
import { createWorld, type Partner, type World, type WorldSettings } from "../../harness/world.ts";
import { clickCall } from "../support/click-calls.ts";
import { callsOf } from "../support/ledger-calls.ts";
import type { ledgerOn } from "../support/own-ledger.ts";
import { clickOf, daysAgo } from "../support/program-fixture.ts";
import { type Call, clickDays, newcomers, type Scope } from "./serial-history.ts";
import { Names, rowsOf } from "./serial-names.ts";

const rules: readonly Rule[] = [
  { when: { productIds: ["gift"] }, excluded: true },
  { when: { isFirst: true }, rateBps: 7_777 },
  { when: { coupon: true }, rateBps: 1_234 },
  { when: { withinMonths: 1 }, rateBps: 5_000 },
];
const address = maskedEmail(testSecrets.HASH_SECRET, "buyer@example.com");

interface Beginning {
  readonly hasRules?: boolean;
  /** Tiers of all policies. */
  readonly tiers?: Tiers;
  readonly program?: WorldSettings["program"];
  /** Places Bob in the group. */
  readonly isInGroup?: boolean;
}

function settingsOf(scope: Scope, { hasRules, isInGroup, tiers, program }: Beginning): WorldSettings {
  const longAgo = { effectiveFrom: daysAgo(500), createdAt: daysAgo(500) };
  const ruled = { rules: hasRules ? rules : null, tiers: tiers ?? null, ...longAgo };
  const policy = { scope, durationMonths: scope === "recurring" ? 1 : null, ...ruled };
  const groups = [{ name: "gold", policies: [{ ...policy, rateBps: 2_500 }] }];
  const coupons = [{ codes: ["ALICE5"] }, { codes: ["BOB5"], partner: 1 }];
  const bob = { code: "bob", ...(isInGroup && { group: 0 }) };
  const partners = [{ code: "alice" }, bob];
  return { partners, policies: [policy], groups, coupons, ...(program && { program }) };
}

export class SerialProgram {
  readonly world: World;
  #calls: ReturnType<typeof callsOf>;
  #ledger: ReturnType<typeof ledgerOn>;
  readonly #operations = randomBytes(4).toString("hex");
  readonly #clicks: ReadonlyMap<boolean, readonly string[]>;
  readonly #commissions = new Map<string, number>();
  readonly #tiers: Tiers | null;

  private constructor(world: World, ledger: ReturnType<typeof ledgerOn>, tiers: Tiers | null) {
    this.world = world;
    this.#tiers = tiers;
    this.#ledger = ledger;
    this.#calls = callsOf(world, ledger);
    const clicksOf = (isTest: boolean) =>
      clickDays.map((days, i) => clickOf(world.programId, this.#partner(i % 2), daysAgo(days), isTest));
    this.#clicks = new Map([false, true].map((isTest) => [isTest, clicksOf(isTest)]));
  }

  static async open(databaseUrl: string, ledger: ReturnType<typeof ledgerOn>, scope: Scope, beginning: Beginning = {}) {
    const world = await createWorld(databaseUrl, settingsOf(scope, beginning));
    return new SerialProgram(world, ledger, beginning.tiers ?? null);
  }

  /** Continues at another shard's Ledger, after the program was migrated there. */
  continueAt(ledger: ReturnType<typeof ledgerOn>): void {
    this.#ledger = ledger;
    this.#calls = callsOf(this.world, ledger);
  }

  /** The id of a commission is known once its sale was answered. */
  knows(call: Call): boolean {
    return (
      (call.kind === "decide" && this.#commissions.has(call.transaction)) ||
      (call.kind === "review" && call.transactions.every((each) => this.#commissions.has(each)))
    );
  }

  /** `isKnown`: the caller already knew the commission's id. */
  taskOf(call: Call, index: number, isKnown: boolean): LedgerTask {
    const at = daysAgo(0);
    const common = { operationId: this.#operation(index) };
    const { programId } = this.world;
    const change = { ...common, at, programId, actorId: "someone" };
    const { changeTask } = this.#ledger;
    switch (call.kind) {
      case "lead": {
        const { by, isTest, customer: customerKey } = call;
        const occurredAt = by === "key" ? daysAgo(call.daysAgo) : at;
        const clicks = this.#verified(call);
        const email = by === "key" && newcomers.includes(customerKey ?? "") ? address : null;
        return this.#calls.leadTask(by, clicks, customerKey, { ...common, isTest, customerKey, occurredAt, email });
      }
      case "sale":
        return this.#saleTask(call, common);
      case "refund": {
        const { transaction, asked, cents, isTest } = call;
        const isOfId = call.isNamed || asked === "cancel";
        return this.#calls.refundTask(transaction, asked, {
          ...common,
          isTest,
          cents: asked === "amount" || asked === "total" ? cents : null,
          refundId: isOfId ? call.refundId : null,
        });
      }
      case "click": {
        const { code } = this.#partner(call.partner);
        const fields = { ...common, code, isTest: call.isTest, eventId: call.event };
        return this.#ledger.taskOf(recordClick, clickCall(this.world, at, fields), at);
      }
      case "decide": {
        const { decision } = call;
        const commissionId = isKnown ? (this.#commissions.get(call.transaction) ?? Number.NaN) : 0;
        const kind = "decide-commissions";
        return changeTask(
          { ...change, kind, commissionIds: [commissionId], decision, reason: null, partnerNote: null },
          at,
        );
      }
      case "review": {
        const [first = "", ...others] = call.transactions;
        const idOf = (transaction: string) => (isKnown ? (this.#commissions.get(transaction) ?? Number.NaN) : 0);
        const commissionIds = isKnown ? ([idOf(first), ...others.map(idOf)] as const) : ([0] as const);
        const review =
          call.action === "hold"
            ? ({ action: "hold", reason: "an address that we know", partnerNote: null } as const)
            : ({ action: "release", note: null } as const);
        return changeTask({ ...change, kind: "review-commissions", commissionIds, review }, at);
      }
      case "partner": {
        const { id: partnerId } = this.#partner(call.partner);
        const kind = "update-partner";
        return changeTask({ ...change, kind, partnerId, changes: { status: call.status } }, at);
      }
      case "coupon": {
        const couponId = this.world.coupons[call.coupon]?.id ?? 0;
        return changeTask({ ...change, kind: "update-coupon", couponId, changes: { status: call.status } }, at);
      }
      case "group": {
        const { id: partnerId } = this.#partner(call.partner);
        const kind = "update-partner";
        return changeTask({ ...change, kind, partnerId, changes: { groupId: call.isIn ? this.#group : null } }, at);
      }
      case "policy": {
        const { scope, rateBps } = call;
        const groupId = call.isOfGroup ? this.#group : null;
        const terms = { type: "percent", rateBps, scope, durationMonths: scope === "recurring" ? 1 : null } as const;
        const kind = "set-policy";
        const ruled = { holdDays: 15, rules: call.hasRules ? rules : null, tiers: this.#tiers };
        const policy = { ...noTerms, ...terms, partnerId: null, groupId, ...ruled };
        return changeTask({ ...change, kind, policy }, at);
      }
      case "program": {
        const changes = { attributionModel: call.model, attributionWindowDays: call.windowDays };
        const kind = "update-program";
        return changeTask({ ...change, kind, isOwner: true, changes }, at);
      }
    }
  }

  #saleTask(call: Call & { readonly kind: "sale" }, common: object): LedgerTask {
    const { isTest, customer, amountCents, isGift, isRecurring, subscription, coupons } = call;
    const clicks = this.#verified(call);
    const task = this.#calls.saleTask(call.transaction, daysAgo(call.daysAgo), {
      ...common,
      ...{ isTest, customerKey: customer, clicks, amountCents, isRecurring, productId: isGift ? "gift" : null },
      clickId: clicks.at(-1)?.clickId ?? null,
      sentClickId: clicks.length > 0,
      couponCodes: coupons,
      saleType: subscription === null ? "payment" : "subscription",
      subscriptionId: subscription,
    });
    if (!isTest) void this.#noteSale(call.transaction, task.outcome);
    return task;
  }

  async #noteSale(transaction: string, answered: Promise<Outcome<SaleAnswer>>): Promise<void> {
    const outcome = await answered;
    if (outcome.ok) this.#commissions.set(transaction, outcome.answer.commissionId);
  }

  #operation(index: number): string {
    return `${this.#operations}${index.toString(16).padStart(8, "0")}`;
  }

  #partner(which: number): Partner {
    const partner = this.world.partners[which];
    if (partner === undefined) throw new Error("the program has two partners");
    return partner;
  }

  get #group(): number {
    const [group] = this.world.groups;
    if (group === undefined) throw new Error("the program has a group");
    return group.id;
  }

  #verified({ clicks, isTest }: { readonly clicks: readonly number[]; readonly isTest: boolean }) {
    return clicks.map((i) => ({
      clickId: this.#clicks.get(isTest)?.[i] ?? "",
      programId: this.world.programId,
      isTest,
      linkId: this.#partner(i % 2).linkId,
      at: daysAgo(clickDays[i] ?? 0),
    }));
  }

  /** Returns the program's rows and the responses, without values that differ between identical programs. */
  async told(
    calls: readonly Call[],
    outcomes: readonly Outcome<unknown>[],
    reader: Pick<World, "allRows"> = this.world,
  ) {
    const clicks = [...this.#clicks].flatMap(([isTest, ids]) =>
      ids.map((id, i) => [id, `${isTest ? "test" : "live"} click ${i}`] as const),
    );
    const operations = calls.map((_, i) => [this.#operation(i), `call ${i}`] as const);
    const hash = (digest: string | null | undefined) =>
      emailHash(testSecrets.HASH_SECRET, this.world.programId, digest ?? "");
    const hashes = [[hash(address?.digest), "address"] as const, [hash(address?.similar), "similar"] as const];
    const rows = await rowsOf(reader);
    const names = new Names(this.world, rows, new Map([...clicks, ...operations, ...hashes]));
    return {
      rows: names.ofRows(),
      outcomes: outcomes.map(({ meta: _, ...outcome }, i) => names.of(outcome, answeredBy[calls[i]?.kind ?? "sale"])),
    };
  }
}

const answeredBy = {
  ...{ lead: "leads", sale: "sales", refund: "refunds", click: "clicks" },
  ...{
    decide: "commissions",
    review: "commissions",
    partner: "partners",
    group: "partners",
    coupon: "coupons",
    policy: "commission_policies",
    program: "programs",
  },
} as const satisfies Record<Call["kind"], string>;
