import { randomBytes } from "node:crypto";
import { noDetails } from "#domain/sale-type.ts";
import type { SaleCorrection } from "#operations/manage/correction.ts";
import { recordLead } from "#operations/track/record-lead.ts";
import { recordRefund } from "#operations/track/record-refund.ts";
import { recordSale } from "#operations/track/record-sale.ts";
import { findCorrectableSale } from "#store/views/correctable-sale.ts";
import { databaseAt } from "../../../harness/database-client.ts";
import { createWorld, type World, type WorldSettings } from "../../../harness/world.ts";
import type { ownLedger } from "../../support/own-ledger.ts";
import { asksNothing } from "../../support/payout-calls.ts";
import { clickOf, day } from "../../support/program-fixture.ts";
import type { Click, RefundAsked, Shown } from "./events.ts";
import type { Service } from "./service.ts";

type Answer = Readonly<Record<string, unknown>>;
export type Outcome = { readonly ok: true; readonly answer: Answer } | { readonly ok: false; readonly refusal: Answer };
type Call = Parameters<ReturnType<typeof ownLedger>["changeTask"]>[0];

const newId = () => randomBytes(8).toString("hex");

export type PayoutAction = "create" | "finalize" | "confirm" | "cancel" | "file" | "fail";

const payoutKinds: Readonly<Record<PayoutAction, string>> = {
  ...{ create: "create-payout", finalize: "finalize-payout", confirm: "confirm-payout", cancel: "cancel-payout" },
  ...{ file: "download-payout", fail: "fail-line" },
};

interface PayoutCall {
  readonly back: number;
  readonly partner: number;
  readonly until: number | null;
  readonly acknowledges: boolean;
}

export interface Assigned {
  readonly partner: number;
  readonly since: number | null;
  readonly payPast: boolean;
  readonly source: "person" | "import";
  readonly firstSaleAt: number | null;
}

/** Creates a program, and returns calls to it through a Ledger without a runtime. */
export async function openProgram(service: Service, settings: WorldSettings) {
  const world = await createWorld(service.url(), settings);
  return { world, ...callsTo(world, service), ...readsOf(world, service) };
}

export type Program = Awaited<ReturnType<typeof openProgram>>;

function callsTo(world: World, service: Service) {
  const { ledger, now, pass } = service;
  const { programId, partners, groups } = world;
  const key = { programId, vouched: true } as const;
  const ids = new Map<number, string>();
  const clickId = ({ n, partner, at }: Click): string => {
    const of = partners[partner];
    if (of === undefined) throw new Error("no such partner");
    const known = ids.get(n) ?? clickOf(programId, of, at);
    ids.set(n, known);
    return known;
  };
  const sent = (clicks: readonly Click[]) =>
    clicks.map((click) => {
      const { linkId = 0 } = partners[click.partner] ?? {};
      return { clickId: clickId(click), programId, isTest: false, linkId, at: click.at };
    });
  const common = (occurredAt: number) => ({ operationId: newId(), at: now(), isTest: false, occurredAt });
  const outcomeOf = async (task: { readonly outcome: Promise<unknown> }) => (await task.outcome) as Outcome;
  const change = (call: Partial<Call> & Pick<Call, "kind">) => {
    const by = { operationId: newId(), at: now(), actorId: "someone", programId };
    return outcomeOf(ledger().submit(ledger().changeTask({ ...by, ...call } as Call, now())));
  };
  const lead = (customerKey: string, clicks: readonly Click[], at: number) => {
    const none = { email: null, pageUrl: null, eventName: null };
    const call = { ...common(at), ...none, kind: "lead", programId, customerKey, clicks: sent(clicks) } as const;
    return outcomeOf(
      ledger().submit(ledger().taskOf(recordLead, { ...call, sentClickId: clicks.length > 0, key }, now())),
    );
  };
  const sale = (transactionId: string, shown: Shown) => {
    const clicks = sent(shown.clicks);
    const call = {
      ...({ ...common(shown.at), ...noDetails, kind: "sale", key, transactionId, clicks } as const),
      ...{ customerKey: shown.customerKey, clickId: clicks.at(-1)?.clickId ?? null, sentClickId: clicks.length > 0 },
      ...{ sentOccurredAt: true, amountCents: shown.cents, currency: shown.currency },
      ...{ isRecurring: shown.isRecurring, subscriptionId: shown.subscription, couponCodes: shown.coupons },
    };
    return outcomeOf(ledger().submit(ledger().taskOf(recordSale, call as never, now())));
  };
  const refund = (
    transactionId: string,
    at: number | null,
    { asked, cents, refundId, chargeTotalCents }: RefundAsked,
  ) => {
    const call = {
      ...({
        ...common(at ?? now()),
        kind: "refund",
        key,
        transactionId,
        asked,
        cents,
        refundId,
        chargeTotalCents,
      } as const),
      ...{ reason: null, sentOccurredAt: at !== null },
    };
    return outcomeOf(ledger().submit(ledger().taskOf(recordRefund, call, now())));
  };
  const correct = async (saleId: number, clicks: readonly Click[], changes: SaleCorrection) => {
    const found = await findCorrectableSale(databaseAt(service.url()), programId, saleId);
    const more = { clicks: sent(clicks), changes, reason: "wrong", isDryRun: false };
    return change({ ...found, kind: "correct-sale", ...more });
  };
  const decide = (commissionId: number, decision: "approved" | "rejected") =>
    change({ kind: "decide-commissions", commissionIds: [commissionId], decision, reason: "r", partnerNote: null });
  const review = (commissionId: number, action: "hold" | "release") => {
    const how = action === "hold" ? { action, reason: "r", partnerNote: null } : { action, note: null };
    return change({ kind: "review-commissions", commissionIds: [commissionId], review: how } as never);
  };
  const assign = (customerKey: string, { partner, since, payPast, source, firstSaleAt }: Assigned) => {
    const { id: partnerId, code: partnerCode } = partners[partner] ?? {};
    if (source === "person")
      return change({ kind: "assign-customer", customerKey, partnerId, since, payPast, reason: "r" } as never);
    const row = {
      line: 1,
      customerKey,
      partnerCode,
      since: since ?? undefined,
      payPast,
      firstSaleAt: firstSaleAt ?? undefined,
    };
    const rows = [{ ...row, subscriptionId: undefined }];
    return change({ kind: "import-customers", source: "E", isDryRun: false, rows } as never);
  };
  const setPartner = (partner: number, isActive: boolean) =>
    change({
      kind: "update-partner",
      partnerId: partners[partner]?.id,
      changes: { status: isActive ? "active" : "paused" },
    } as never);
  const setGroup = (partner: number, isIn: boolean) =>
    change({
      kind: "update-partner",
      partnerId: partners[partner]?.id,
      changes: { groupId: isIn ? groups[0]?.id : null },
    } as never);
  const setCoupon = (coupon: number, changes: object) =>
    change({ kind: "update-coupon", couponId: world.coupons[coupon]?.id, changes } as never);
  const setPolicy = (owner: "program" | number, terms: object) => {
    const partnerId = owner === "program" ? null : partners[owner]?.id;
    return change({ kind: "set-policy", policy: { ...terms, partnerId, groupId: null } } as never);
  };
  const payouts: number[] = [];
  const payout = async (action: PayoutAction, { back, partner, until, acknowledges }: PayoutCall) => {
    const payoutId = payouts.at(-1 - back);
    const call = {
      ...asksNothing,
      restoreAcknowledged: acknowledges ? service.restoredAt() : null,
      payoutId,
      until,
      currency: "EUR",
      line: { partnerId: partners[partner]?.id },
      reason: "r",
      partnerNote: null,
    };
    const done = await change({ kind: payoutKinds[action], ...call } as never);
    if (action === "create" && done.ok) payouts.push((done.answer.payout as { id: number }).id);
    return done;
  };
  let adjustments = 0;
  const adjust = (partner: number, amountCents: number) => {
    adjustments += 1;
    const money = { partnerId: partners[partner]?.id, amountCents, currency: "EUR", reference: `a${adjustments}` };
    return change({ kind: "create-adjustment", ...money, reason: "r", partnerNote: null } as never);
  };
  const erase = (customerKey: string) => {
    const who = { keys: [customerKey], emailHash: null, clickId: null, digests: "[]" };
    return change({ kind: "erase-person", ...who } as never);
  };
  const wait = async (days: number) => {
    pass(days * day);
    await ledger().loop.maintain();
  };
  const restore = async (payoutsThen: number) => {
    await service.restore();
    payouts.splice(payoutsThen);
  };
  return {
    change,
    lead,
    sale,
    refund,
    correct,
    decide,
    review,
    assign,
    setPartner,
    setGroup,
    setCoupon,
    setPolicy,
    payout,
    adjust,
    erase,
    wait,
    backUp: service.backUp,
    restore,
    now,
    pass,
  };
}

function readsOf({ programId, partners }: World, { rows }: Service) {
  const indexOf = (id: unknown) => (id === null ? null : partners.findIndex((partner) => partner.id === id));
  return {
    codes: partners.map(({ code }) => code),
    idsOf: async (transactionId: string) => {
      const [found] = await rows(
        "select s.id, c.id as commission_id from sales s join commissions c on c.sale_id = s.id where s.program_id = ? and s.transaction_id = ?",
        ...[programId, transactionId],
      );
      return { saleId: Number(found?.id), commissionId: Number(found?.commission_id) };
    },
    commissions: async () => {
      const found = await rows(
        `select s.transaction_id as t, s.is_recurring, s.refunded_cents, c.partner_id, c.source, c.status, c.reason, c.amount_cents, c.currency,
           (select sum(e.amount_cents) from ledger_entries e where e.commission_id = c.id) as entries
         from commissions c join sales s on s.id = c.sale_id where c.program_id = ? order by s.id`,
        programId,
      );
      return found.map(
        ({ t, is_recurring, partner_id, source, status, reason, amount_cents, currency, entries, refunded_cents }) => ({
          ...{ t, isRecurring: is_recurring === 1, partner: indexOf(partner_id), source, status, reason },
          ...{ amount: amount_cents, entries: entries ?? 0, refunded: refunded_cents },
          currency: status === "void" ? null : currency,
        }),
      );
    },
    balances: async () => {
      const found = await rows("select * from partner_balances where program_id = ?", programId);
      return found
        .map(({ partner_id, currency, pending_cents, payable_cents, in_payout_cents, paid_cents }) => {
          const money = [pending_cents, payable_cents, in_payout_cents, paid_cents].map(Number);
          return { of: `${indexOf(partner_id)} ${currency}`, money };
        })
        .filter(({ money }) => money.some((cents) => cents !== 0))
        .toSorted((a, b) => a.of.localeCompare(b.of));
    },
    /** The lines of all finalized payouts, including canceled ones. */
    lines: async () => {
      const found = await rows(
        `select l.partner_id, l.amount_cents, l.commissions from payout_lines l join payouts p on p.id = l.payout_id
         where l.program_id = ? and l.state in ('live', 'failed') and p.finalized_number is not null
         order by p.finalized_number`,
        programId,
      );
      const shown = found.map(({ partner_id, ...line }) => [indexOf(partner_id), line.amount_cents, line.commissions]);
      return shown.map((line) => line.join(" ")).toSorted();
    },
  };
}
